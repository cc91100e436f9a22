"""The command line: the commands of the native program, and `view`."""

from __future__ import annotations

import os
import signal
import sys

from . import _rooflight


def main() -> int:
    """Run the command line with the arguments of this process, and return the exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["view"]:
        from ._view import main as view

        return view(arguments[1:])
    if arguments[:2] == ["help", "view"]:
        from ._view import main as view

        return view(["--help"])
    # `report --html` writes the page of this package, unless the user names another one.
    page = os.path.join(os.path.dirname(__file__), "page")
    if os.path.isdir(page):
        os.environ.setdefault("ROOFLIGHT_APP", page)
    # Python would handle an interrupt only after the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _rooflight.main(["rooflight", *arguments])


if __name__ == "__main__":
    sys.exit(main())
