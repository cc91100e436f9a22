#!/bin/sh
# Exports a list of captures on one machine, JOBS at a time: xargs.sh LIST TABLES [JOBS]
# LIST has a path on each line: a file or a folder. An interrupted export goes on where it stopped.
set -eu
list=$1 tables=$2 jobs=${3:-$(nproc)}
seq "$jobs" | xargs -P "$jobs" -I N rooflight export --parquet "$tables" --from "$list" --shard "N/$jobs"
