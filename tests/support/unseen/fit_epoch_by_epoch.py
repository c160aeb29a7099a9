"""Early stopping by hand: fit one epoch at a time with arrays for validation."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x, y, xv, yv = (rng.normal(size=(n, d)).astype("float32") for n, d in ((8, 3), (8, 1), (6, 3), (6, 1)))
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
best = 1e9
for epoch in range(4):
    history = model.fit(x, y, validation_data=(xv, yv), batch_size=4, epochs=1, verbose=0, shuffle=False)
    best = min(best, history.history["val_loss"][0])
    print(epoch, round(best, 5))
