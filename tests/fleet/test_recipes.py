"""Each recipe of samples/fleet exports the same tables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples/fleet"
CAPTURES = 12


def tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def listed(fleet):
    """A list of some captures with their keys, and one of their paths alone."""
    lines = (fleet / "captures/captures.tsv").read_text().splitlines()[:CAPTURES]
    keys, paths = fleet / "list.tsv", fleet / "list.txt"
    keys.write_text("\n".join(lines) + "\n")
    paths.write_text("\n".join(line.split("\t")[0] for line in lines) + "\n")
    return keys, paths


def run(*args, **env):
    subprocess.run([str(arg) for arg in args], check=True, env={**os.environ, **env})


@pytest.fixture(scope="module")
def plain(listed, fleet):
    """The tables without keys."""
    out = fleet / "plain"
    run("rooflight", "export", "--parquet", out, "--from", listed[1])
    assert len(tree(out)) == CAPTURES * 6
    return tree(out)


def test_xargs(listed, fleet, plain):
    run(SAMPLES / "xargs.sh", listed[1], fleet / "xargs", "2")
    assert tree(fleet / "xargs") == plain


def test_array_jobs(listed, fleet, plain):
    for task in range(3):
        run(SAMPLES / "batch_array.sh", listed[1], fleet / "slurm", SLURM_ARRAY_TASK_ID=str(task + 1), SLURM_ARRAY_TASK_COUNT="3")
        run(SAMPLES / "batch_array.sh", listed[1], fleet / "batch", BATCH_TASK_INDEX=str(task), BATCH_TASK_COUNT="3")
    assert tree(fleet / "slurm") == plain and tree(fleet / "batch") == plain


def test_ray_and_spark(listed, fleet, java):
    pytest.importorskip("ray")
    run(sys.executable, SAMPLES / "ray_map.py", listed[0], fleet / "ray")
    run(sys.executable, SAMPLES / "spark_map.py", listed[0], fleet / "spark")
    assert len(tree(fleet / "ray")) == CAPTURES * 6
    assert tree(fleet / "ray") == {path: data for path, data in tree(fleet / "spark").items() if path.suffix == ".parquet"}


def test_recipes_are_short():
    for path in SAMPLES.iterdir():
        if path.suffix in {".sh", ".py"} and not path.name.startswith("query_"):
            assert len(path.read_text().splitlines()) <= 25, path.name
