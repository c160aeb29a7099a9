"""Three phases of training, each in lines of its own, as a notebook has them: what a loop over them would be."""

import keras
import numpy as np

# fit and evaluate build an input pipeline in each call: 6 of each function; a dataset for each call: none
keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x, y, xt, yt = (rng.normal(size=(n, d)).astype("float32") for n, d in ((8, 3), (8, 1), (8, 3), (8, 1)))
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
losses = []
model.fit(x, y, batch_size=4, verbose=0, shuffle=False)
losses.append(model.evaluate(xt, yt, batch_size=4, verbose=0))
model.optimizer.learning_rate = 0.005
model.fit(x, y, batch_size=4, verbose=0, shuffle=False)
losses.append(model.evaluate(xt, yt, batch_size=4, verbose=0))
model.optimizer.learning_rate = 0.001
model.fit(x, y, batch_size=4, verbose=0, shuffle=False)
losses.append(model.evaluate(xt, yt, batch_size=4, verbose=0))
print([round(loss, 5) for loss in losses])
