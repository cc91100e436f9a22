#!/usr/bin/env python3
"""Captures a profile of a server that generates text on one GPU: a batch of prompts, then one token after another.

    pip install jax[cuda13]
    python3 samples/gpu/decode.py OUT                         # OUT/decode.graphs.xplane.pb

The server compiles for two batch sizes, and only the smaller batch runs in the capture. After each token the host waits
for it, as servers do that stop at the end of a text. Python is traced.
"""

import argparse
import glob
import os
import shutil
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

LAYERS, D, VOCABULARY, PROMPT, TOKENS = 4, 1024, 8192, 512, 16
BATCHES = (8, 64)


def layer(x, w, cache, at):
    """Attention to the tokens in the cache, and a feed-forward layer. Returns the new cache, too."""
    with jax.named_scope("attention"):
        cache = jax.lax.dynamic_update_slice(cache, x, (0, at, 0))
        scores = jnp.einsum("bqd,bkd->bqk", x @ w["query"], cache) / D**0.5
        is_past = jnp.arange(cache.shape[1]) <= at + jnp.arange(x.shape[1])[:, None]
        x = x + jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(jnp.where(is_past, scores, -1e9), -1), cache)
    with jax.named_scope("mlp"):
        return x + jax.nn.silu(x @ w["up"]) @ w["down"], cache


def step(params, cache, tokens, at):
    """Returns the next token of each text, and the new cache."""
    stack = {k: v for k, v in params.items() if k != "embedding"}
    body = lambda x, of: layer(x, of[0], of[1], at)
    x, cache = jax.lax.scan(body, params["embedding"][tokens], (stack, cache))
    with jax.named_scope("logits"):
        return jnp.argmax(x[:, -1] @ params["embedding"].T, -1, keepdims=True), cache


@jax.jit
def prefill(params, cache, tokens):
    return step(params, cache, tokens, 0)


@jax.jit
def decode(params, cache, token, at):
    return step(params, cache, token, at)


def generate(params, prompts):
    """Generates texts until all of them end."""
    cache = jnp.zeros((LAYERS, len(prompts), PROMPT + TOKENS, D), jnp.bfloat16)
    token, cache = prefill(params, cache, prompts)
    texts = [np.asarray(token)]
    for n in range(TOKENS):
        token, cache = decode(params, cache, token, PROMPT + n)
        texts.append(np.asarray(token))
        if not texts[-1].any():
            break
    return np.concatenate(texts, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    shapes = {
        "embedding": (VOCABULARY, D),
        "query": (LAYERS, D, D),
        "up": (LAYERS, D, 4 * D),
        "down": (LAYERS, 4 * D, D),
    }
    keys = jax.random.split(jax.random.key(0), len(shapes))
    params = {k: (jax.random.normal(key, s) * 0.02).astype(jnp.bfloat16) for (k, s), key in zip(shapes.items(), keys)}
    random = np.random.default_rng(0)
    prompts = {n: random.integers(1, VOCABULARY, (n, PROMPT)).astype(np.int32) for n in BATCHES}
    for batch in prompts.values():
        generate(params, batch)
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            texts = [generate(params, prompts[BATCHES[0]]) for _ in range(2)]
        (capture,) = glob.glob(os.path.join(folder, "plugins/profile/*/*.xplane.pb"))
        shutil.copy(capture, os.path.join(args.out, "decode.graphs.xplane.pb"))
    print("decode", jax.__version__, jax.devices()[0].device_kind, texts[0].shape)


if __name__ == "__main__":
    main()
