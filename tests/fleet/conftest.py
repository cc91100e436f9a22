"""Exports the captures once, with the recipe for one machine, and gives the tables to all tests."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples/fleet"
sys.path.insert(0, str(SAMPLES))


@pytest.fixture(scope="session")
def fleet():
    """The folder of the captures, of their list and of the tables."""
    return Path(os.environ["ROOFLIGHT_FLEET"])


@pytest.fixture(scope="session")
def expected(fleet):
    """The faults that queries have to find."""
    return json.loads((fleet / "captures/expected.json").read_text())


@pytest.fixture(scope="session")
def tables(fleet):
    """The tables of all captures, with the commit and the version of libtpu of each."""
    out = fleet / "tables"
    by_key = {}
    for line in (fleet / "captures/captures.tsv").read_text().splitlines():
        path, commit, libtpu = line.split("\t")
        by_key.setdefault((commit, libtpu), []).append(path)
    # A call for each commit, two at a time.
    calls = [["--key", f"commit={commit}", "--key", f"libtpu={libtpu}", *paths] for (commit, libtpu), paths in by_key.items()]
    running = []
    for call in calls:
        running.append(subprocess.Popen(["rooflight", "export", "--parquet", out, *call], stdout=subprocess.DEVNULL))
        if len(running) == 2:
            assert running.pop(0).wait() == 0
    assert all(process.wait() == 0 for process in running)
    return out


@pytest.fixture(scope="session")
def compacted(tables, fleet):
    """The same tables with one file for each table and day, as a cluster should read them."""
    out = fleet / "compacted"
    shutil.copytree(tables, out)
    for day in (out / "table=captures").iterdir():
        subprocess.run(["rooflight", "compact", out, "--date", day.name.split("=")[1]], check=True, stdout=subprocess.DEVNULL)
    return out


@pytest.fixture(scope="session")
def java():
    """Skips a test without Java, which Spark needs."""
    if "ROOFLIGHT_JAVA" not in os.environ:
        pytest.skip("there is no Java")
