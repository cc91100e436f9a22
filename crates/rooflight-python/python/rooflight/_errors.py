"""Exceptions and warnings."""

from ._rooflight import RooflightError as RooflightError


class CaptureNotFoundError(RooflightError, FileNotFoundError):
    """There is no such file or folder."""

    # FileNotFoundError would print its own text.
    __str__ = Exception.__str__


class UnreadableCaptureError(RooflightError):
    """No file could be read: it is damaged, empty, or of another kind."""


class ArgumentError(RooflightError, ValueError):
    """An argument of a method has a value that the command line does not accept."""


class PartialCaptureWarning(UserWarning):
    """A part of a capture could not be read, so that totals may be too small. What could be read is returned."""
