"""The Python blocks of docs/PYTHON.md and of README.md run in their order."""

from __future__ import annotations

import contextlib
import io
import lzma
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SAMPLE

import rooflight


class FakeTrace:
    """Stands for `rooflight.trace`, because JAX is not installed."""

    def __init__(self, directory: str) -> None:
        self.session = rooflight.open("host.xplane.pb")

    def __enter__(self) -> FakeTrace:
        return self

    def __exit__(self, *values: object) -> None:
        pass


class Ready:
    def block_until_ready(self) -> None:
        pass


@pytest.mark.parametrize("document", ["docs/PYTHON.md", "crates/rooflight-python/README.md"])
def test_the_examples_run(document: str, plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("host", "before", "after"):
        (tmp_path / f"{name}.xplane.pb").write_bytes(lzma.decompress(SAMPLE.read_bytes()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rooflight, "trace", FakeTrace)
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    names: dict[str, Any] = {"train_step": Ready, "step": lambda: None}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for block in blocks:
            exec(compile(block, document, "exec"), names)  # noqa: S102
    assert "step of 167.36 ms" in out.getvalue()
    # Values that the document shows as comments.
    if document == "docs/PYTHON.md":
        assert names["result"].tables == ["rows", "primitives", "dma_rows", "dcn", "steps", "notes"]
        assert "none.xplane.pb could not be opened. There is no such file or folder; check the path." in out.getvalue()
