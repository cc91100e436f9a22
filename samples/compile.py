#!/usr/bin/env python3
"""Compiles the sample's program for a TPU slice. No TPU is needed: XLA:TPU compiles ahead of time.

    pip install jax libtpu
    python3 samples/compile.py samples

One training step of a decoder-only transformer with about 1 billion parameters (model/): pairs of a dense layer and a
layer with 8 experts, scanned; parameters are sharded over `fsdp` (all-gathered where they are used, gradients reduced
back), heads and features over `tensor`.

Writes what XLA dumps, gzipped: OUT/train_step.hlo_proto.pb.gz (HloProto with schedule and buffer assignment) and
OUT/train_step.cycles.hlo_proto.pb.gz (the same program after code generation, where each op's backend_config says how
many cycles the compiler expects it to take).
"""

import argparse
import glob
import gzip
import os
import shutil
import tempfile


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--topology", default="v5p:2x2x2")
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--d", type=int, default=2816)
    parser.add_argument("--sequence", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--tensor", type=int, default=2)
    parser.add_argument("--weights", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--unrolled", action="store_true", help="no loop over pairs: each has its own scope")
    return parser.parse_args()


def main():
    args = arguments()
    dump = tempfile.mkdtemp(prefix="train_step")
    os.environ |= {
        "JAX_PLATFORMS": "cpu",
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_WORKER_HOSTNAMES": "localhost",
        "TPU_ACCELERATOR_TYPE": "v5litepod-4",
        "XLA_FLAGS": f"--xla_dump_to={dump} --xla_dump_hlo_as_proto --xla_dump_hlo_module_re=.*train_step.*",
    }
    # JAX reads the environment where it is imported.
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import topologies
    from model import train
    from model.sizes import Sizes

    # Where the program's own files are is nobody's business.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", f"{os.path.dirname(os.path.abspath(__file__))}/")

    devices = topologies.get_topology_desc(topology_name=args.topology, platform="tpu").devices
    mesh = jax.sharding.Mesh(np.array(devices).reshape(-1, args.tensor), ("fsdp", "tensor"))
    sizes = Sizes(mesh, args.pairs, args.d, args.sequence, args.batch, args.unrolled)

    def array(of):
        shape, axes = of
        return jax.ShapeDtypeStruct(shape, args.weights, sharding=sizes.sharding(*axes))

    weights = jax.tree.map(array, train.parameters(sizes), is_leaf=lambda x: isinstance(x, tuple))
    count = jax.ShapeDtypeStruct((), jnp.int32, sharding=sizes.sharding())
    tokens = jax.ShapeDtypeStruct((args.batch, args.sequence), jnp.int32, sharding=sizes.sharding("fsdp", None))
    n = sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(weights))
    print(f"{n:,} parameters on {len(devices)} × {devices[0].device_kind}", flush=True)
    step = jax.jit(train.step(sizes), donate_argnums=0)
    step.lower((weights, weights, weights, count), tokens).compile()

    os.makedirs(args.out, exist_ok=True)
    for dumped, name in (("after_optimizations", "train_step"), ("after_codegen", "train_step.cycles")):
        (path,) = glob.glob(f"{dump}/*.{dumped}.hlo.pb")
        with open(path, "rb") as source, open(f"{args.out}/{name}.hlo_proto.pb.gz", "wb") as target:
            # Without a name and a time in its header: the same bytes each time.
            with gzip.GzipFile("", "wb", 9, target, mtime=0) as packed:
                shutil.copyfileobj(source, packed)
    shutil.rmtree(dump)


main()
