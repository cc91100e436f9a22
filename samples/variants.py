#!/usr/bin/env python3
"""Compiles the sample's model in other shapes, for the tests of comparisons.

    pip install jax libtpu
    python3 samples/variants.py tests/native/programs/train_steps.xz

Runs samples/compile.py once for each variant, of a smaller model, which takes four minutes on two cores. Writes the
programs after code generation (HloProto) in the order of VARIANTS, each after its length as a varint, in one xz file,
because the programs resemble each other.
"""

import gzip
import lzma
import os
import subprocess
import sys
import tempfile

# A pair is a dense layer and a layer of experts.
VARIANTS = {
    "base": ["--pairs", "4"],
    "layers": ["--pairs", "5"],
    "bf16": ["--pairs", "4", "--weights", "bfloat16"],
    "batch": ["--pairs", "4", "--batch", "16"],
    "tensor4": ["--pairs", "4", "--tensor", "4"],
    "v5e": ["--pairs", "4", "--topology", "v5e:2x4"],
    "unrolled2": ["--pairs", "2", "--unrolled"],
    "unrolled3": ["--pairs", "3", "--unrolled"],
}
SIZES = ["--d", "1024", "--sequence", "1024", "--batch", "8"]


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def main():
    compile_py = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compile.py")
    packed = lzma.LZMACompressor(preset=9 | lzma.PRESET_EXTREME)
    out = b""
    for name, options in VARIANTS.items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, compile_py, folder, *SIZES, *options], check=True)
            with gzip.open(os.path.join(folder, "train_step.cycles.hlo_proto.pb.gz")) as file:
                program = file.read()
        out += packed.compress(varint(len(program)) + program)
        print(f"{name}: {len(program):,} bytes", flush=True)
    with open(sys.argv[1], "wb") as file:
        file.write(out + packed.flush())


main()
