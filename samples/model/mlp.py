"""A dense layer's gated MLP; features are sharded over `tensor`."""

import jax

from .norm import half, normalised


def parameters(sizes):
    n, d, f = sizes.pairs, sizes.d, sizes.features
    return {
        "norm": ((n, d), (None, None)),
        "gate": ((n, d, f), (None, "fsdp", "tensor")),
        "up": ((n, d, f), (None, "fsdp", "tensor")),
        "down": ((n, f, d), (None, "tensor", "fsdp")),
    }


def mlp(sizes, x, w):
    with jax.named_scope("mlp"):
        h = normalised(x, w["norm"])
        inner = jax.nn.silu(h @ half(w["gate"])) * (h @ half(w["up"]))
        return sizes.keep(x + inner @ half(w["down"]), "fsdp", None, None)
