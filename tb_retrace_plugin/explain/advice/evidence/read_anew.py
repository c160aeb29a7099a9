"""What is said where graphs differ in what the changed arguments do not explain."""

from __future__ import annotations

MAY = "This may change results: "
READ_ANEW = (
    " If it is something that each trace reads anew, such as an attribute of an object, an entry of a dictionary or"
    " which layers are trainable, calls run with what an earlier trace has read. "
)
