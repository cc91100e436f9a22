"""`rooflight.trace` opens what `jax.profiler.trace` writes. A module stands for JAX, which is no dependency."""

from __future__ import annotations

import contextlib
import lzma
import shutil
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import GPU, SAMPLE

import rooflight


@pytest.fixture
def jax(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, dict[str, Any]]]:
    """Install a JAX whose profiler copies a capture. Returns the calls of it."""
    calls: list[tuple[Path, dict[str, Any]]] = []

    @contextlib.contextmanager
    def trace(directory: str, **options: Any) -> Iterator[None]:
        calls.append((Path(directory), options))
        yield
        folder = Path(directory) / "plugins" / "profile" / f"2026_07_25_00_00_0{len(calls)}"
        folder.mkdir(parents=True)
        (folder / "host.xplane.pb").write_bytes(lzma.decompress(GPU.read_bytes()))

    module, profiler = types.ModuleType("jax"), types.ModuleType("jax.profiler")
    profiler.trace = trace  # type: ignore[attr-defined]
    module.profiler = profiler  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jax", module)
    monkeypatch.setitem(sys.modules, "jax.profiler", profiler)
    return calls


def test_the_capture_of_the_body_is_opened(jax: list[tuple[Path, dict[str, Any]]], tmp_path: Path) -> None:
    older = tmp_path / "plugins" / "profile" / "2099_01_01_00_00_00"
    older.mkdir(parents=True)
    shutil.copy(SAMPLE, older / "old.xplane.pb")
    with rooflight.trace(tmp_path, create_perfetto_trace=True) as trace:
        with pytest.raises(RuntimeError, match="no session yet"):
            trace.session
    assert jax == [(tmp_path, {"create_perfetto_trace": True})]
    assert Path(trace.capture).name == "2026_07_25_00_00_01"
    assert trace.session.breakdown()["device"] == rooflight.open(GPU).breakdown()["device"]
    with rooflight.trace(tmp_path) as again:
        pass
    assert Path(again.capture).name == "2026_07_25_00_00_02" and again.session is not trace.session


def test_an_error_of_the_body_is_raised(jax: list[tuple[Path, dict[str, Any]]], tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), rooflight.trace(tmp_path) as trace:
        1 / 0
    with pytest.raises(RuntimeError, match="no session yet"):
        trace.session


def test_a_missing_jax_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.setitem(sys.modules, "jax.profiler", None)
    with pytest.raises(ImportError, match="pip install jax"), rooflight.trace(tmp_path):
        pass
