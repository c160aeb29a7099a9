"""Agents that share their weights are told apart by a name, of which the graph has nothing."""

import tensorflow as tf

networks = {"agent": tf.Variable(tf.ones([3, 2]))}


@tf.function
def act(agent, observation):
    return tf.argmax(observation @ networks[agent.split("_")[0]], -1)


for _ in range(2):
    for agent in ("agent_0", "agent_1", "agent_2"):
        act(agent, tf.ones([1, 3]))
