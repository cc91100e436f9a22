#!/bin/sh
# A task of an array job of Slurm: sbatch --array=1-64 batch_array.sh LIST TABLES
# Kubernetes (completionMode: Indexed), Google Cloud Batch and AWS Batch number tasks from 0.
set -eu
list=$1 tables=$2
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
    shard="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
else
    index=${JOB_COMPLETION_INDEX:-${BATCH_TASK_INDEX:-${AWS_BATCH_JOB_ARRAY_INDEX:?no index of the task}}}
    shard="$((index + 1))/${TASKS:-${BATCH_TASK_COUNT:?no number of tasks}}"
fi
exec rooflight export --parquet "$tables" --from "$list" --shard "$shard"
