#!/usr/bin/env python3
"""Captures a profile of training steps on one GPU: a small decoder-only transformer, whose layers are scanned.

    pip install jax[cuda13]
    python3 samples/gpu/train.py OUT                          # OUT/xla.graphs.xplane.pb
    python3 samples/gpu/train.py OUT --attention cudnn        # flash attention of cuDNN
    python3 samples/gpu/train.py OUT --dtype float32          # matmuls in TF32
    python3 samples/gpu/train.py OUT --loader-ms 5            # the device waits for the host
    python3 samples/gpu/train.py OUT --unrolled               # each layer has its own scope and arrays
    python3 samples/gpu/train.py OUT --kernels                # without CUDA graphs
    python3 samples/gpu/train.py OUT --counters               # with hardware counters of the memory

By default XLA launches kernels as CUDA graphs, and their events do not name their instructions. With --kernels each
kernel is launched by itself and names its instruction. The autotuner's choices are kept in OUT/NAME.autotune.txt, so
that both captures of a pair are of the same program.
"""

import argparse
import glob
import os
import shutil
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--attention", choices=["xla", "cudnn"], default="xla")
    parser.add_argument("--dtype", choices=["bfloat16", "float32"], default="bfloat16")
    parser.add_argument("--loader-ms", type=float, default=0)
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--unrolled", action="store_true")
    parser.add_argument("--counters", action="store_true", help="sample DRAM traffic every 200 µs")
    parser.add_argument("--name", help="name of the files; default: by the options")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--d", type=int, default=1024)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--sequence", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--steps", type=int, default=8)
    return parser.parse_args()


def main():
    args = arguments()
    if args.counters:
        default = "counters"
    elif args.loader_ms:
        default = "loader"
    elif args.unrolled:
        default = "unrolled"
    else:
        default = "f32" if args.dtype == "float32" else args.attention
    name = args.name or default
    os.makedirs(args.out, exist_ok=True)
    autotune = os.path.join(args.out, f"{name}.autotune.txt")
    action = "load_autotune_results_from" if os.path.exists(autotune) else "dump_autotune_results_to"
    flags = [f"--xla_gpu_{action}={autotune}"]
    if args.kernels:
        flags.append("--xla_gpu_enable_command_buffer=")
    os.environ["XLA_FLAGS"] = " ".join(flags)

    import jax
    import jax.numpy as jnp
    import numpy as np

    dtype = jnp.dtype(args.dtype)
    batch, sequence, heads = args.batch, args.sequence, args.heads
    layers, d, vocabulary = args.layers, args.d, args.vocabulary
    shapes = {
        "embedding": (vocabulary, d),
        "query": (layers, d, d),
        "key": (layers, d, d),
        "value": (layers, d, d),
        "output": (layers, d, d),
        "up": (layers, d, 4 * d),
        "down": (layers, 4 * d, d),
        "head": (d, vocabulary),
    }
    keys = jax.random.split(jax.random.key(0), len(shapes))
    params = {k: (jax.random.normal(key, s) * 0.02).astype(dtype) for (k, s), key in zip(shapes.items(), keys)}
    stacked = [k for k, s in shapes.items() if len(s) == 3]
    if args.unrolled:
        params = {k: list(p) if k in stacked else p for k, p in params.items()}

    def attention(x, w):
        query, key, value = ((x @ w[k]).reshape(batch, sequence, heads, -1) for k in ("query", "key", "value"))
        if args.attention == "cudnn":
            y = jax.nn.dot_product_attention(query, key, value, is_causal=True, implementation="cudnn")
        else:
            scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / (d // heads) ** 0.5
            scores = jnp.where(jnp.tril(jnp.ones((sequence, sequence), bool)), scores, -1e9)
            y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), value)
        return y.reshape(x.shape) @ w["output"]

    def layer(x, w):
        with jax.named_scope("attention"):
            x = x + attention(x, w)
        with jax.named_scope("mlp"):
            x = x + jax.nn.silu(x @ w["up"]) @ w["down"]
        return x, None

    def loss_of(params, tokens):
        with jax.named_scope("embed"):
            x = params["embedding"][tokens]
        if args.unrolled:
            for n in range(layers):
                with jax.named_scope(f"layers_{n}"):
                    x, _ = jax.checkpoint(layer)(x, {k: params[k][n] for k in stacked})
        else:
            with jax.named_scope("layers"):
                x, _ = jax.lax.scan(jax.checkpoint(layer), x, {k: params[k] for k in stacked})
        with jax.named_scope("loss"):
            log_probabilities = jax.nn.log_softmax(x @ params["head"])
            return -jnp.mean(jnp.take_along_axis(log_probabilities, jnp.roll(tokens, -1, 1)[..., None], -1))

    def train_step(params, momentum, tokens):
        loss, gradients = jax.value_and_grad(loss_of)(params, tokens)
        with jax.named_scope("optimizer"):
            momentum = jax.tree.map(lambda m, g: (0.9 * m + g).astype(m.dtype), momentum, gradients)
            params = jax.tree.map(lambda p, m: (p - 0.01 * m).astype(p.dtype), params, momentum)
        return params, momentum, loss

    step = jax.jit(train_step, donate_argnums=(0, 1))
    momentum = jax.tree.map(jnp.zeros_like, params)
    host_tokens = np.random.default_rng(0).integers(0, vocabulary, (batch, sequence)).astype(np.int32)
    tokens = jax.device_put(host_tokens)
    for _ in range(3):
        params, momentum, loss = step(params, momentum, tokens)
    loss.block_until_ready()

    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = 2
    if args.counters:
        options.advanced_configuration = {
            "gpu_pm_sample_counters": "sm__cycles_active.avg,dram__bytes_read.sum,dram__bytes_write.sum",
            "gpu_pm_sample_interval_us": 200,
        }
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder, profiler_options=options):
            for number in range(args.steps):
                with jax.profiler.StepTraceAnnotation("train", step_num=number):
                    if args.loader_ms:
                        loss.block_until_ready()
                        time.sleep(args.loader_ms / 1e3)
                        tokens = jax.device_put(host_tokens)
                    params, momentum, loss = step(params, momentum, tokens)
            loss.block_until_ready()
        (capture,) = glob.glob(os.path.join(folder, "plugins/profile/*/*.xplane.pb"))
        form = "kernels" if args.kernels else "graphs"
        shutil.copy(capture, os.path.join(args.out, f"{name}.{form}.xplane.pb"))
    memory = step.lower(params, momentum, tokens).compile().memory_analysis()
    print(name, form, jax.__version__, jax.devices()[0].device_kind, "loss", float(loss), "peak", memory.peak_memory_in_bytes)


if __name__ == "__main__":
    main()
