"""Exports captures on a cluster with Spark: spark_map.py LIST.tsv TABLES (path, commit and version of libtpu on each line)"""

import subprocess
import sys

from pyspark.sql import SparkSession


def export(tables):
    """Returns a function that exports the captures of a partition, and yields exit codes."""

    def run(lines):
        for line in lines:
            path, commit, libtpu = line.split("\t")
            keys = ["--key", f"commit={commit}", "--key", f"libtpu={libtpu}"]
            yield subprocess.run(["rooflight", "export", "--parquet", tables, *keys, path]).returncode

    return run


if __name__ == "__main__":
    lines = SparkSession.builder.getOrCreate().sparkContext.textFile(sys.argv[1], minPartitions=64)
    codes = lines.mapPartitions(export(sys.argv[2])).collect()
    print(f"{codes.count(0)} of {len(codes)} captures were read whole")
    sys.exit(max(codes, default=0))
