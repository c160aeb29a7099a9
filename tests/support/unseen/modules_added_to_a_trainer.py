"""A trainer of several agents: its update is compiled anew for each model that is added, and has a key for each."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)


class Trainer:
    def __init__(self):
        self.modules, self.optimizers = {}, {}
        self.traced_update = None

    def add_module(self, name):
        model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
        self.modules[name], self.optimizers[name] = model, tf.keras.optimizers.SGD(0.1)
        self.optimizers[name].build(model.trainable_variables)
        self.traced_update = tf.function(self._do_update)

    def _do_update(self, batch):
        losses = {}
        for name, part in batch.items():
            model = self.modules[name]
            with tf.GradientTape() as tape:
                losses[name] = tf.reduce_mean(tf.square(model(part["obs"]) - part["rewards"]))
            gradients = tape.gradient(losses[name], model.trainable_variables)
            self.optimizers[name].apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return losses


trainer = Trainer()
rng = np.random.default_rng(0)
for name in ("default", "opponent", "league"):
    trainer.add_module(name)
    for _ in range(3):
        batch = {
            key: {"obs": tf.constant(rng.normal(size=(4, 3)), tf.float32), "rewards": tf.ones([4, 1])}
            for key in trainer.modules
        }
        losses = trainer.traced_update(batch)
    print({key: float(loss) for key, loss in losses.items()})
