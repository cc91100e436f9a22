"""A session shows itself in a notebook as the page in a frame. tests/browser/frame.test.mjs opens such a frame."""

from __future__ import annotations

import html
from pathlib import Path

from conftest import GPU, SAMPLE, console

import rooflight


def test_the_page_of_a_session_is_that_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert console("report", "--html", path, GPU).returncode == 0
    assert rooflight.open(GPU).html() == path.read_text(encoding="utf-8")


def test_a_cell_is_a_frame_without_access_to_the_notebook() -> None:
    session = rooflight.open(SAMPLE)
    cell = session._repr_html_()
    # The limits of the page and of the worker (xtask/src/page/size.rs) are 4.07 MB as base64. The rest is the report.
    assert len(cell.encode()) < 4_200_000
    start, end = cell.index('srcdoc="') + 8, cell.index('" sandbox="')
    assert html.unescape(cell[start:end]) == session.html()
    assert 'sandbox="allow-scripts allow-downloads allow-popups"' in cell and "allow-same-origin" not in cell
    assert cell.count("<iframe") == 1 and '"' not in cell[start:end] and "<" not in cell[start:end]
