"""The files of the page, which the wheel holds."""

from __future__ import annotations

from pathlib import Path

from ._errors import RooflightError


def folder() -> Path:
    """Return the folder of the built page.

    Raises:
        RooflightError: The package was built without the page.
    """
    path = Path(__file__).parent / "page"
    if not (path / "index.html").is_file():
        raise RooflightError("This package was built without the page. `cargo xtask python` builds it with the page.")
    return path
