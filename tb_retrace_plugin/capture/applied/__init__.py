"""The ways in which `tb-retrace try` changes a program from outside, one file each."""
