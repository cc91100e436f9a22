"""Paths and programs of the tests. `cargo xtask python` sets ROOFLIGHT_CLI."""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "samples" / "sample.xplane.pb.xz"
GPU = ROOT / "samples" / "gpu" / "xla.graphs.xplane.pb.xz"
PROGRAM = ROOT / "samples" / "train_step.hlo_proto.pb.gz"


def of_host(name: str) -> bytes:
    """Return the sample as the capture of a host of this name. Such captures are of one run."""
    # The field `hostnames` of an XSpace. The first name is that of the host.
    return b"\x22" + bytes([len(name)]) + name.encode() + lzma.decompress(SAMPLE.read_bytes())


def native(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """Run the native command line."""
    program = os.environ.get("ROOFLIGHT_CLI")
    assert program, "ROOFLIGHT_CLI names the native program; `cargo xtask python` sets it"
    return subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)


def console(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run the console script of the installed wheel."""
    return subprocess.run([script(), *map(str, arguments)], capture_output=True, check=False, **options)


def script() -> str:
    found = shutil.which("rooflight", path=os.path.dirname(sys.executable))
    assert found, "the wheel has no console script"
    return found


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample without compression."""
    path = tmp_path_factory.mktemp("plain") / "sample.xplane.pb"
    path.write_bytes(lzma.decompress(SAMPLE.read_bytes()))
    return path


@pytest.fixture(scope="session")
def cut(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture whose last part is missing."""
    path = tmp_path_factory.mktemp("cut") / "cut.xplane.pb"
    content = plain.read_bytes()
    path.write_bytes(content[: len(content) * 6 // 10])
    return path
