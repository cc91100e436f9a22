"""Tracing a part of a JAX program, and opening the result."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from ._errors import CaptureNotFoundError
from ._session import Path, Session


def trace(directory: Path, **options: Any) -> Trace:
    """Trace the body of a ``with`` statement with ``jax.profiler.trace``, and open the capture afterwards.

    >>> with rooflight.trace("/tmp/trace") as trace:
    ...     step().block_until_ready()
    >>> trace.session.overview()["verdict"]

    Args:
        directory: The folder into which JAX writes the capture.
        options: Options of ``jax.profiler.trace``.

    Raises:
        ImportError: JAX is not installed.
    """
    return Trace(directory, **options)


class Trace:
    """A part of a program that is traced. ``rooflight.trace`` makes it."""

    def __init__(self, directory: Path, **options: Any) -> None:
        self.directory = os.fspath(directory)
        self._options = options
        self._session: Session | None = None
        self._before: set[str] = set()
        self._context: Any = None

    def __enter__(self) -> Trace:
        try:
            import jax.profiler
        except ImportError as error:
            raise ImportError("rooflight.trace needs JAX: pip install jax") from error
        self._session = None
        self._before = set(_captures(self.directory))
        self._context = jax.profiler.trace(self.directory, **self._options)
        self._context.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._context.__exit__(kind, error, traceback)
        # An error of the program is more important than a capture that is incomplete because of it.
        if kind is None:
            self._session = Session([self.capture])

    @property
    def capture(self) -> str:
        """The folder of the capture that was written, with a file for each host.

        Raises:
            CaptureNotFoundError: JAX wrote no capture.
        """
        captures = [path for path in _captures(self.directory) if path not in self._before]
        if not captures:
            raise CaptureNotFoundError(f"JAX wrote no capture into {self.directory}.")
        return max(captures, key=lambda path: (os.stat(path).st_mtime, path))

    @property
    def session(self) -> Session:
        """The session of the capture.

        Raises:
            RuntimeError: The ``with`` statement has not ended, or it ended with an error.
        """
        if self._session is None:
            raise RuntimeError("There is no session yet: it is opened when the with statement ends without an error.")
        return self._session


def _captures(directory: str) -> list[str]:
    """Return the folders below ``directory`` with a capture, as JAX names them: ``plugins/profile/TIME``."""
    profiles = os.path.join(directory, "plugins", "profile")
    try:
        folders = [entry.path for entry in os.scandir(profiles) if entry.is_dir()]
    except FileNotFoundError:
        return []
    endings = (".xplane.pb", ".trace.json.gz")
    return [folder for folder in folders if any(name.endswith(endings) for name in os.listdir(folder))]
