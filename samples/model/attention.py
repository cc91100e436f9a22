"""Causal attention; heads are sharded over `tensor`."""

import jax
import jax.numpy as jnp
import numpy as np

from .norm import half, normalised
from .sizes import HEAD


def parameters(sizes):
    n, d = sizes.pairs, sizes.d
    columns, rows = (None, "fsdp", "tensor"), (None, "tensor", "fsdp")
    return {
        "norm": ((n, d), (None, None)),
        "query": ((n, d, d), columns),
        "key": ((n, d, d), columns),
        "value": ((n, d, d), columns),
        "output": ((n, d, d), rows),
    }


def attention(sizes, x, w):
    batch, sequence, d = x.shape
    with jax.named_scope("attention"):
        h = normalised(x, w["norm"])

        def heads(name):
            split = (h @ half(w[name])).reshape(batch, sequence, d // HEAD, HEAD)
            return sizes.keep(split, "fsdp", None, "tensor", None)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key).astype(jnp.float32) / np.sqrt(HEAD)
        scores = jnp.where(jnp.tril(jnp.ones((sequence, sequence), bool)), scores, -1e9)
        chances = half(jax.nn.softmax(scores, -1))
        mixed = jnp.einsum("bhqk,bkhd->bqhd", chances, value).reshape(batch, sequence, d)
        return sizes.keep(x + mixed @ half(w["output"]), "fsdp", None, None)
