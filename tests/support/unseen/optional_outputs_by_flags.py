"""A model function with output flags given as keywords in **kwargs, some of which are sometimes given."""

import tensorflow as tf

w = tf.Variable(tf.eye(3))


@tf.function
def forward(x, **kwargs):
    h = x @ w
    out = {"logits": h}
    if kwargs.get("return_hidden"):
        out["hidden"] = h
    if kwargs.get("return_attention", False):
        out["attention"] = tf.nn.softmax(h)
    return out


x = tf.ones([2, 3])
forward(x)
forward(x, return_hidden=True)
forward(x, return_hidden=False)
forward(x, return_hidden=True, return_attention=True)
forward(tf.ones([4, 3]))
