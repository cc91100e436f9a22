"""RMS normalisation, in f32 within."""

import jax
import jax.numpy as jnp


def half(x):
    return x.astype(jnp.bfloat16)


def normalised(x, scale):
    wide = x.astype(jnp.float32)
    return half(wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)) * half(scale)
