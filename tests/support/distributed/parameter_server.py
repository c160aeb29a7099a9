"""A coordinator, two workers and a parameter server, all servers in this process. Arguments: log directory, ports."""

from __future__ import annotations

import json
import os
import sys

import tensorflow as tf

from tb_retrace_plugin import record, set_step

log_dir, ports = sys.argv[1], sys.argv[2:]
cluster = {"worker": [f"localhost:{port}" for port in ports[:2]], "ps": [f"localhost:{ports[2]}"]}
threads = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=4)  # with one for each of two cores they wait for ever
servers = [
    tf.distribute.Server(
        tf.train.ClusterSpec(cluster), job_name=job, task_index=index, protocol="grpc", config=threads, start=True
    )
    for job, addresses in cluster.items()
    for index in range(len(addresses))
]
os.environ["TF_CONFIG"] = json.dumps(
    {"cluster": {**cluster, "chief": [f"localhost:{ports[3]}"]}, "task": {"type": "chief", "index": 0}}
)
resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(cluster), rpc_layer="grpc")
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weight = tf.Variable(1.0)


@tf.function
def train_step(x: tf.Tensor) -> tf.Tensor:
    weight.assign_add(0.1 * tf.reduce_mean(x))
    return weight.read_value()


with record(log_dir):
    for step in range(6):
        set_step(step)
        coordinator.schedule(train_step, args=(tf.ones([2 + step // 3]),))
    coordinator.join()
print("weight", float(weight), "traces", train_step.experimental_get_tracing_count())

# mypy: disallow-untyped-decorators=False
