"""Exports captures on a cluster with Ray: ray_map.py LIST.tsv TABLES (path, commit and version of libtpu on each line)"""

import subprocess
import sys

import ray


@ray.remote(num_cpus=1)
def export(line, tables):
    """Exports one capture. A capture in an object store is copied to the disk of the worker first."""
    path, commit, libtpu = line.split("\t")
    keys = ["--key", f"commit={commit}", "--key", f"libtpu={libtpu}"]
    return subprocess.run(["rooflight", "export", "--parquet", tables, *keys, path]).returncode


if __name__ == "__main__":
    lines = open(sys.argv[1]).read().splitlines()
    ray.init()
    codes = ray.get([export.remote(line, sys.argv[2]) for line in lines])
    print(f"{codes.count(0)} of {len(codes)} captures were read whole")
    sys.exit(max(codes, default=0))
