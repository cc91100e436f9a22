"""The page as one HTML file, for the output of a notebook."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Sequence

from . import _rooflight
from ._page import folder

# The height of the page in a notebook, in pixels.
HEIGHT = 720


def page(paths: Sequence[str]) -> str:
    """Return the page with a report of the captures, as the command line writes it (``rooflight report --html``)."""
    from ._session import _files

    with tempfile.TemporaryDirectory(prefix="rooflight-") as temporary:
        path = os.path.join(temporary, "report.html")
        _rooflight.document(["report", "--html", path, "--app", str(folder()), *_files(paths)])
        with open(path, encoding="utf-8") as file:
            return file.read()


def frame(page: str) -> str:
    """Return a page in a frame. The frame has no access to the notebook: a capture is data from elsewhere."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-downloads allow-popups" '
        f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #8884; border-radius: 4px" '
        'title="Rooflight"></iframe>'
    )
