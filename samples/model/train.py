"""One training step: forward, backward with recompute, Adam."""

import jax
import jax.numpy as jnp

from . import attention, mlp, moe
from .norm import half, normalised
from .sizes import VOCABULARY


def parameters(sizes):
    """Shapes, and the axes of the mesh that they are sharded over."""
    return {
        "embedding": ((VOCABULARY, sizes.d), ("tensor", "fsdp")),
        "head": ((sizes.d, VOCABULARY), ("fsdp", "tensor")),
        "norm": ((sizes.d,), (None,)),
        "layers": {
            "dense": {"attention": attention.parameters(sizes), "mlp": mlp.parameters(sizes)},
            "sparse": {"attention": attention.parameters(sizes), "moe": moe.parameters(sizes)},
        },
    }


def step(sizes):
    @jax.checkpoint
    def pair(x, w):
        with jax.named_scope("dense_layer"):
            x = attention.attention(sizes, x, w["dense"]["attention"])
            x = mlp.mlp(sizes, x, w["dense"]["mlp"])
        with jax.named_scope("sparse_layer"):
            x = attention.attention(sizes, x, w["sparse"]["attention"])
            return moe.moe(sizes, x, w["sparse"]["moe"])

    def loss(weights, tokens):
        with jax.named_scope("embed"):
            x = sizes.keep(half(weights["embedding"])[tokens], "fsdp", None, None)
        x = sizes.repeat(pair, x, weights["layers"])
        with jax.named_scope("head"):
            logits = (normalised(x, weights["norm"]) @ half(weights["head"])).astype(jnp.float32)
            logits = sizes.keep(logits, "fsdp", None, "tensor")
            target = jnp.roll(tokens, -1, 1)[..., None]
            return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits, -1), target, -1))

    def train_step(state, tokens):
        weights, first, second, count = state
        value, gradients = jax.value_and_grad(loss)(weights, tokens)
        with jax.named_scope("adam"):
            first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
            second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
            weights = jax.tree.map(lambda w, m, v: w - 1e-4 * m / (jnp.sqrt(v) + 1e-8), weights, first, second)
        return (weights, first, second, count + 1), value

    return train_step
