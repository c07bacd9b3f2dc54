#!/usr/bin/env python3
"""Training of a multilayer perceptron in JAX, compiled as one step: 16 layers of 4096, batches of 4096 in bfloat16.
Ordinary JAX. Prints steps a second."""
import os

import common

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX takes three quarters of the device's memory
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

LAYERS, WIDTH, BATCH, RATE = 16, 4096, 4096, 1e-3


def loss(weights, inputs, wanted):
    for weight in weights:
        inputs = jax.nn.relu(inputs @ weight) + inputs
    return jnp.mean((inputs - wanted).astype(jnp.float32) ** 2)


@jax.jit
def learn(weights, inputs, wanted):
    return [weight - RATE * slope.astype(weight.dtype) for weight, slope in
            zip(weights, jax.grad(loss)(weights, inputs, wanted))]


class Training:
    def __init__(self):
        keys = jax.random.split(jax.random.PRNGKey(0), LAYERS + 2)
        self.weights = [jax.random.normal(key, (WIDTH, WIDTH), jnp.bfloat16) / WIDTH for key in keys[2:]]
        self.inputs, self.wanted = (jax.random.normal(key, (BATCH, WIDTH), jnp.bfloat16) for key in keys[:2])
        for _ in range(2):
            self.step()

    def step(self):
        self.weights = learn(self.weights, self.inputs, self.wanted)
        jax.block_until_ready(self.weights)


if __name__ == "__main__":
    training = Training()
    common.run(lambda seconds: common.rate_of(training.step, seconds), __doc__)
