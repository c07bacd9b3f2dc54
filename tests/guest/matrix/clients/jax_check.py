"""JAX: a compiled step, repeated on the GPU."""
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return jnp.tanh(x @ x.T / x.shape[0]) + 0.5


x = jnp.arange(512 * 512, dtype=jnp.float32).reshape(512, 512) % 7
for _ in range(50):
    x = step(x)
print(jax.devices()[0].platform, float(x.sum()))
