"""Lowers Pallas kernels for a TPU and writes their bodies. No TPU is needed.

    pip install jax
    python3 samples/kernel/lower.py samples/kernel

Writes OUT/<kernel>.mlirbc, the MLIR bytecode that the backend_config of a `tpu_custom_call` holds as base64, and
OUT/grid_matmul.backend_config.json, one such backend_config as a whole. `made.v6.mlirbc` is `made.mlirbc` in version 6
of the format; JAX itself writes version 0.

The files in this folder come from jax 0.10.2. `made.mlirbc` comes from an earlier form of this script: it has other
names of functions and files, and the same operations.
"""

import base64
import io
import json
import os
import re
import sys

from jax._src.pallas.mosaic import tpu_info

# A chip is needed for the tile sizes only. The function is private to JAX and may move.
V6E = tpu_info.get_tpu_info_for_chip(tpu_info.ChipVersion.TPU_V6E, 1)
tpu_info.get_tpu_info = lambda *_, **__: V6E

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxlib.mlir import ir
from jaxlib.mosaic.python import tpu

# Where the program's own files are is nobody's business.
jax.config.update("jax_hlo_source_file_canonicalization_regex", f"{os.path.dirname(os.path.abspath(__file__))}/")


def made():
    """Matrix product as a pipeline of 4 × 2 × 2 steps within one call: 3 buffers for x, 1 for y, 2 for the output."""
    m, n, k, bm, bn, bk = 1024, 1024, 1024, 256, 512, 512

    def body(x, y, o):
        @pl.when(pl.program_id(2) == 0)
        def _():
            with jax.named_scope("init"):
                o[...] = jnp.dot(x[...], y[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) != 0)
        def _():
            with jax.named_scope("acc"):
                o[...] += jnp.dot(x[...], y[...], preferred_element_type=jnp.float32)

    def kernel(x, y, o):
        pltpu.emit_pipeline(
            body,
            grid=(m // bm, n // bn, k // bk),
            in_specs=[
                pl.BlockSpec((bm, bk), lambda i, j, k: (i, k), pipeline_mode=pl.Buffered(3)),
                pl.BlockSpec((bk, bn), lambda i, j, k: (k, j), pipeline_mode=pl.Buffered(1)),
            ],
            out_specs=[pl.BlockSpec((bm, bn), lambda i, j, k: (i, j))],
        )(x, y, o)

    hbm = pl.BlockSpec(memory_space=pl.ANY)
    call = pl.pallas_call(
        kernel,
        in_specs=[hbm, hbm],
        out_specs=hbm,
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
        name="made_matmul",
    )
    return call, [((m, k), jnp.bfloat16), ((k, n), jnp.bfloat16)]


def grid_matmul():
    """Matrix product with the grid in the call: an accumulator as scratch, y with one buffer, precision HIGHEST."""
    m, n, k, bm, bn, bk = 512, 1024, 768, 128, 512, 256

    def kernel(x, y, o, acc):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc[...] = jnp.zeros_like(acc)

        acc[...] += jnp.dot(x[...], y[...], precision=jax.lax.Precision.HIGHEST, preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == k // bk - 1)
        def _():
            o[...] = acc[...]

    call = pl.pallas_call(
        kernel,
        grid=(m // bm, n // bn, k // bk),
        in_specs=[
            pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)),
            pl.BlockSpec((bk, bn), lambda i, j, k: (k, j), pipeline_mode=pl.Buffered(1)),
        ],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j), pipeline_mode=pl.Buffered(2)),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
        compiler_params=pltpu.CompilerParams(
            dimension_semantics=("parallel", "parallel", "arbitrary"), vmem_limit_bytes=8 * 1024 * 1024
        ),
        cost_estimate=pl.CostEstimate(
            flops=2 * m * n * k, bytes_accessed=4 * (m * k + k * n + m * n), transcendentals=0
        ),
        name="grid_matmul",
    )
    return call, [((m, k), jnp.float32), ((k, n), jnp.float32)]


def attention():
    """Attention over chunks of keys with lengths as scalar prefetch: exp, reductions, loops with 4 and unknown trips."""
    heads, q, d, chunk, chunks = 4, 128, 128, 256, 4

    def kernel(lengths, x, keys, values, o, m, l):
        m[...] = jnp.full_like(m, -jnp.inf)
        l[...] = jnp.zeros_like(l)
        o[...] = jnp.zeros_like(o)

        @pl.loop(0, chunks)
        def _(c):
            with jax.named_scope("scores"):
                part = keys[pl.ds(c * chunk, chunk), :]
                s = jax.lax.dot_general(x[...], part, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
            with jax.named_scope("softmax"):
                top = jnp.maximum(m[...], jnp.max(s, axis=1, keepdims=True))
                p = jnp.exp(s - top)
                scale = jnp.exp(m[...] - top)
                l[...] = scale * l[...] + jnp.sum(p, axis=1, keepdims=True)
                m[...] = top
            with jax.named_scope("values"):
                v = values[pl.ds(c * chunk, chunk), :]
                o[...] = o[...] * scale + jnp.dot(p.astype(jnp.bfloat16), v, preferred_element_type=jnp.float32)

        @pl.loop(0, lengths[pl.program_id(0)])
        def _(_):
            o[...] = jnp.dot(x[...], x[...].T, preferred_element_type=jnp.float32) + o[...]

    grid = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(heads,),
        in_specs=[
            pl.BlockSpec((None, q, d), lambda h, _: (h, 0, 0)),
            pl.BlockSpec((None, chunk * chunks, d), lambda h, _: (h, 0, 0)),
            pl.BlockSpec((None, chunk * chunks, d), lambda h, _: (h, 0, 0)),
        ],
        out_specs=pl.BlockSpec((None, q, d), lambda h, _: (h, 0, 0)),
        scratch_shapes=[pltpu.VMEM((q, 1), jnp.float32)] * 2,
    )
    call = pl.pallas_call(
        kernel, grid_spec=grid, out_shape=jax.ShapeDtypeStruct((heads, q, d), jnp.float32), name="attention"
    )
    long = ((heads, chunk * chunks, d), jnp.bfloat16)
    return call, [((heads,), jnp.int32), ((heads, q, d), jnp.bfloat16), long, long]


def mixed():
    """Products of several types without a grid: f32, int8 and float8."""
    m, n, k = 64, 128, 256

    def kernel(a, b, c, d, e, f, floats, integers, small):
        floats[...] = jnp.dot(a[...], b[...], preferred_element_type=jnp.float32)
        integers[...] = jnp.dot(c[...], d[...], preferred_element_type=jnp.int32)
        small[...] = jnp.dot(e[...], f[...], preferred_element_type=jnp.float32)

    results = [jax.ShapeDtypeStruct((m, n), dtype) for dtype in (jnp.float32, jnp.int32, jnp.float32)]
    dtypes = [jnp.float32, jnp.int8, jnp.float8_e4m3fn]
    return pl.pallas_call(kernel, out_shape=results, name="mixed"), [
        (shape, dtype) for dtype in dtypes for shape in ((m, k), (k, n))
    ]


def backend_config(kernel):
    call, shapes = kernel()
    arguments = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]
    text = jax.jit(call).trace(*arguments).lower(lowering_platforms=("tpu",)).as_text()
    quoted = re.search(r'backend_config = "((?:[^"\\]|\\.)*)"', text).group(1)
    return re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code.group(1), 16)), quoted)


def other_version(body, version):
    with ir.Context() as context:
        tpu.register_dialect(context)
        context.allow_unregistered_dialects = True
        out = io.BytesIO()
        ir.Module.parse(body).operation.write_bytecode(out, desired_version=version)
        return out.getvalue()


def main():
    out = sys.argv[1]
    for kernel in [made, grid_matmul, attention, mixed]:
        text = backend_config(kernel)
        body = base64.b64decode(json.loads(text)["custom_call_config"]["body"])
        files = {f"{kernel.__name__}.mlirbc": body}
        if kernel is made:
            files["made.v6.mlirbc"] = other_version(body, 6)
        if kernel is grid_matmul:
            files["grid_matmul.backend_config.json"] = text.encode()
        for name, data in files.items():
            with open(os.path.join(out, name), "wb") as file:
                file.write(data)


main()
