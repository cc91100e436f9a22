"""Rooflight opens XLA profiles, as ``jax.profiler`` writes them.

>>> session = rooflight.open("plugins/profile/2026_07_25_01_23_45")
>>> session.overview()["verdict"]
>>> session.breakdown(by="category").to_pandas()

The figures are those of the command line: each method returns the JSON that the command of the same name prints with
``--json``. ``docs/CLI.md`` describes the fields. Durations are integer picoseconds.
"""

from ._errors import (
    ArgumentError,
    CaptureNotFoundError,
    PartialCaptureWarning,
    RooflightError,
    UnreadableCaptureError,
)
from ._result import Result, Table
from ._rooflight import __version__
from ._session import Session, open
from ._trace import Trace, trace

__all__ = [
    "ArgumentError",
    "CaptureNotFoundError",
    "PartialCaptureWarning",
    "Result",
    "RooflightError",
    "Session",
    "Table",
    "Trace",
    "UnreadableCaptureError",
    "__version__",
    "open",
    "trace",
]
