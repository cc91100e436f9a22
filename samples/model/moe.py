"""A layer of experts that choose their tokens; experts are sharded over `fsdp`, so tokens travel there and back."""

import jax
import jax.numpy as jnp

from .norm import half, normalised
from .sizes import EXPERTS


def parameters(sizes):
    n, d, f = sizes.pairs, sizes.d, sizes.features // 2
    return {
        "norm": ((n, d), (None, None)),
        "router": ((n, d, EXPERTS), (None, "fsdp", None)),
        "up": ((n, EXPERTS, d, f), (None, "fsdp", None, "tensor")),
        "down": ((n, EXPERTS, f, d), (None, "fsdp", "tensor", None)),
    }


def moe(sizes, x, w):
    with jax.named_scope("moe"):
        h = normalised(x, w["norm"])
        with jax.named_scope("router"):
            chances = jax.nn.softmax((h @ half(w["router"])).astype(jnp.float32), -1)
            weights, chosen = jax.lax.top_k(jnp.swapaxes(chances, 1, 2), 2 * sizes.sequence // EXPERTS)
            places = jax.nn.one_hot(chosen, sizes.sequence, dtype=jnp.bfloat16)
        with jax.named_scope("dispatch"):
            sent = sizes.keep(jnp.einsum("becs,bsd->ebcd", places, h), "fsdp", None, None, None)
        with jax.named_scope("experts"):
            inner = jax.nn.silu(jnp.einsum("ebcd,edf->ebcf", sent, half(w["up"])))
            worked = sizes.keep(jnp.einsum("ebcf,efd->ebcd", inner, half(w["down"])), "fsdp", None, None, None)
        with jax.named_scope("combine"):
            back = sizes.keep(jnp.swapaxes(worked, 0, 1), "fsdp", None, None, None)
            return sizes.keep(x + jnp.einsum("becs,becd,bec->bsd", places, back, half(weights)), "fsdp", None, None)
