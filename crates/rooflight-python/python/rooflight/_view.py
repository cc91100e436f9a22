"""``rooflight view``: the page with a capture, on an address of this machine.

::

    http://127.0.0.1:PORT/TOKEN/                  the page: index.html and the files beside it
    http://127.0.0.1:PORT/TOKEN/capture/NAME      the capture: one file, or an archive of several

Every other request is refused. A web page that a browser shows cannot guess the token. A name of another host that leads
to this machine (DNS rebinding) is refused by the header ``Host``. Files are found by their exact names in a list, so no
path leads out of it.
"""

from __future__ import annotations

import argparse
import hmac
import mimetypes
import os
import secrets
import shutil
import signal
import sys
import warnings
import webbrowser
import zipfile
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from ._errors import PartialCaptureWarning, RooflightError
from ._page import folder
from ._session import open as open_session

_ADDRESS = "127.0.0.1"
# The service worker would keep a copy of the page in the browser for every token.
_NOT_SERVED = {"sw.js"}
# The first bytes of a report file.
_REPORT = b"\x8dRFL\r\n\x1a\n"
_TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


class Content(NamedTuple):
    """What the server sends for one name."""

    kind: str
    #: The number of bytes. None if it is not known before they are written.
    size: int | None
    write: Callable[[Any], None]


def _file(path: str, kind: str | None = None) -> Content:
    def write(out: Any) -> None:
        with open(path, "rb") as file:
            shutil.copyfileobj(file, out, 1 << 20)

    if kind is None:
        ending = os.path.splitext(path)[1]
        kind = _TYPES.get(ending) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    return Content(kind, os.stat(path).st_size, write)


def _archive(files: Sequence[str]) -> Content:
    """Return a zip archive without compression. Its names are the paths below the folder that all files share."""
    shared = os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])

    def write(out: Any) -> None:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, strict_timestamps=False) as archive:
            for file in files:
                archive.write(file, os.path.relpath(os.path.abspath(file), shared))

    return Content("application/zip", None, write)


def _captured(paths: Sequence[str]) -> list[str]:
    """Return the files that hold the captures in ``paths``. Prints what the command line prints about missing parts.

    Raises:
        RooflightError: Nothing could be read.
    """
    if len(paths) == 1 and _is_report(paths[0]):
        # The page opens a report without its captures too.
        return [paths[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartialCaptureWarning)
        session = open_session(paths)
        for message in session.partial:
            print(f"rooflight: {message}", file=sys.stderr)
        names = [file["name"] for file in session.inspect()["files"]]
    files = []
    for path in paths:
        if os.path.isdir(path):
            for parent, _, below in os.walk(path):
                files += [os.path.join(parent, name) for name in below]
        else:
            files.append(path)

    def is_read(file: str) -> bool:
        # A member of an archive has the name of the archive and its own.
        return any(name == file or name.startswith(file + "/") for name in names)

    return sorted(file for file in files if is_read(file)) or [path for path in paths if os.path.isfile(path)]


def _is_report(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(_REPORT)) == _REPORT
    except OSError:
        return False


class Server(ThreadingHTTPServer):
    """Serves the page and one capture to those who know the token."""

    daemon_threads = True
    # On Windows, another program could take the port otherwise.
    allow_reuse_address = os.name != "nt"

    def __init__(self, paths: Sequence[str], port: int = 0) -> None:
        files = _captured(paths)
        page = folder()
        self.token = secrets.token_urlsafe(24)
        self.contents = {
            path.name: _file(str(path)) for path in page.iterdir() if path.is_file() and path.name not in _NOT_SERVED
        }
        self.contents[""] = self.contents["index.html"]
        first = os.path.basename(os.path.abspath(paths[0])) or "capture"
        if len(files) == 1:
            name, content = os.path.basename(files[0]), _file(files[0], "application/octet-stream")
        else:
            name, content = f"{first}.zip", _archive(files)
        self.contents[f"capture/{name}"] = content
        super().__init__((_ADDRESS, port), Handler)
        self.hosts = {f"{name}:{self.server_port}" for name in (_ADDRESS, "localhost")}
        #: The address of the page, without a capture.
        self.page_url = f"http://{_ADDRESS}:{self.server_port}/{self.token}/"
        #: The address of the capture.
        self.capture_url = self.page_url + "capture/" + quote(name)
        #: The address of the page that opens the capture.
        self.url = f"{self.page_url}#src={quote(self.capture_url, safe='')}"

    def find(self, host: str | None, target: str) -> Content | None:
        """Return what a request may have. None if it is refused, or if there is no such file."""
        _, _, rest = urlsplit(target).path.partition("/")
        token, slash, name = rest.partition("/")
        is_known = hmac.compare_digest(token.encode(), self.token.encode())
        if host not in self.hosts or not is_known or not slash:
            return None
        return self.contents.get(unquote(name))


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version = "rooflight"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(True)

    def do_HEAD(self) -> None:
        self._answer(False)

    def _answer(self, with_body: bool) -> None:
        content = self.server.find(self.headers.get("Host"), self.path)
        self.send_response(HTTPStatus.OK if content else HTTPStatus.FORBIDDEN)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Content-Type", content.kind if content else "text/plain")
        if content and content.size is not None:
            self.send_header("Content-Length", str(content.size))
        self.end_headers()
        if content and with_body:
            try:
                content.write(self.wfile)
            except (BrokenPipeError, ConnectionResetError):
                # The browser has cancelled the request.
                self.close_connection = True

    def log_message(self, format: str, *values: object) -> None:
        """Print nothing: the address holds the token."""


def main(arguments: Sequence[str]) -> int:
    """Run ``rooflight view`` until the user interrupts it. Return the exit code."""
    parser = argparse.ArgumentParser(
        prog="rooflight view",
        description="Opens captures in the page, which this machine serves for this user alone.",
        epilog="The address holds a secret: whoever knows it and can reach this machine can read the capture.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="captures, archives, or folders of these")
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port; default: a free one")
    options = parser.parse_args(arguments)
    try:
        server = Server(options.files, options.port)
    except RooflightError as error:
        print(f"rooflight: {error}", file=sys.stderr)
        return 2
    except (OSError, OverflowError) as error:
        print(f"rooflight: The page could not be served on port {options.port}. {error}.", file=sys.stderr)
        return 2
    with server:
        print(f"{server.url}\nThe page is served until you press Ctrl-C.", flush=True)
        if not options.no_browser:
            webbrowser.open(server.url)
        # A process that a script starts in the background inherits that interrupts are ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
