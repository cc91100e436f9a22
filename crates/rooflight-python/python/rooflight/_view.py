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
import contextlib
import hmac
import html
import io
import mimetypes
import os
import secrets
import signal
import sys
import tempfile
import warnings
import webbrowser
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any, NamedTuple, cast
from urllib.parse import quote, unquote, urlsplit

from ._errors import PartialCaptureWarning, RooflightError
from ._page import folder
from ._session import open as open_session

_ADDRESS = "127.0.0.1"
_HTTP_PORT = 80
# The service worker would keep a copy of the page in the browser for every token.
_NOT_SERVED = {"sw.js"}
# The first bytes of a report file.
_REPORT = b"\x8dRFL\r\n\x1a\n"
# The first bytes of a zip archive, and of one without members.
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# The bytes that are copied at once.
_PIECE = 1 << 20
# Seconds that a client may take for the next bytes of its request, and to read the next bytes of an answer.
_REQUEST_TIMEOUT = 30
_ANSWER_TIMEOUT = 600
_TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


class Body(NamedTuple):
    """The bytes of an answer."""

    #: The number of bytes. None if it is not known before they are written.
    size: int | None
    write: Callable[[Any], None]


class Content(NamedTuple):
    """What the server sends for one name."""

    kind: str
    #: Opens the bytes for one request. Raises ``OSError`` if they are no longer there.
    open: Callable[[], AbstractContextManager[Body]]


def _copy(file: Any, out: Any, size: int) -> None:
    """Copy ``size`` bytes.

    Raises:
        EOFError: The file has become shorter.
    """
    while size > 0:
        piece = file.read(min(size, _PIECE))
        if not piece:
            raise EOFError("the file has become shorter while it was sent")
        out.write(piece)
        size -= len(piece)


def _file(path: str, kind: str | None = None) -> Content:
    @contextmanager
    def open_file() -> Iterator[Body]:
        with open(path, "rb") as file:
            # The file may have changed since the last request. Bytes that are added while it is sent are not sent.
            size = os.fstat(file.fileno()).st_size
            yield Body(size, lambda out: _copy(file, out, size))

    if kind is None:
        ending = os.path.splitext(path)[1]
        kind = _TYPES.get(ending) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    return Content(kind, open_file)


class _Output(io.RawIOBase):
    """Passes bytes on until the archive that they form is given up."""

    def __init__(self, out: Any) -> None:
        self._out = out
        self.is_given_up = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if not self.is_given_up:
            self._out.write(data)
        return len(data)


def _archive(files: Sequence[str], names: set[str]) -> Content:
    """Return a zip archive without compression. Its names are the paths below the folder that all files share.

    The page opens no archive inside an archive. Of an archive among the files, the members in ``names`` are therefore
    members of this archive.
    """
    shared = os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])

    def members() -> Iterator[tuple[str, Any]]:
        for file in files:
            name = _text(os.path.relpath(os.path.abspath(file), shared))
            if not _is_archive(file):
                with open(file, "rb") as stream:
                    yield name, stream
                continue
            with zipfile.ZipFile(file) as archive:
                for info in archive.infolist():
                    member = _member_name(info)
                    if f"{_text(file)}/{member}" in names:
                        with archive.open(info) as stream:
                            yield f"{name}/{member}", stream

    def write(out: Any) -> None:
        output = _Output(out)
        with zipfile.ZipFile(cast(IO[bytes], output), "w", zipfile.ZIP_STORED) as archive:
            try:
                for name, stream in members():
                    with archive.open(_unused(archive, name), "w", force_zip64=True) as member:
                        _copy_member(stream, member)
            except BaseException:
                # An archive without its end is known to be cut.
                output.is_given_up = True
                raise

    @contextmanager
    def open_files() -> Iterator[Body]:
        for file in files:
            os.stat(file)
        yield Body(None, write)

    return Content("application/zip", open_files)


def _copy_member(stream: Any, out: Any) -> None:
    """Copy a file to its end. A damaged member of an archive ends where it is damaged: the page reports the cut file."""
    while True:
        try:
            piece = stream.read(_PIECE)
        except (zipfile.BadZipFile, zlib.error, EOFError):
            return
        if not piece:
            return
        out.write(piece)


def _unused(archive: zipfile.ZipFile, name: str) -> str:
    """Return a name that no member has. Names that are not UTF-8 may become equal."""
    stem, ending = os.path.splitext(name)
    n = 1
    while name in archive.NameToInfo:
        n += 1
        name = f"{stem} ({n}){ending}"
    return name


def _text(path: str) -> str:
    """Return a path as the command line prints it: bytes that are not UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _member_name(info: zipfile.ZipInfo) -> str:
    """Return the name of a member as the command line reads it."""
    is_utf8 = info.flag_bits & 0x800
    name = info.orig_filename.encode("utf-8" if is_utf8 else "cp437")
    return name.decode("utf-8", "replace").replace("\\", "/")


def _starts_with(path: str, starts: Sequence[bytes]) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(max(map(len, starts))).startswith(tuple(starts))
    except OSError:
        return False


def _is_archive(path: str) -> bool:
    return _starts_with(path, _ZIP)


def _is_report(path: str) -> bool:
    return _starts_with(path, [_REPORT])


class Captured(NamedTuple):
    """The files that hold captures."""

    files: list[str]
    #: The names that the command line gives to the files and to the members of archives that it has read.
    names: set[str]


def _captured(paths: Sequence[str]) -> Captured:
    """Return the files that hold the captures in ``paths``. Prints what the command line prints about missing parts.

    Raises:
        RooflightError: Nothing could be read.
    """
    if len(paths) == 1 and _is_report(paths[0]):
        # The page opens a report without its captures too.
        return Captured([paths[0]], set())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartialCaptureWarning)
        session = open_session(paths)
        for message in session.partial:
            print(f"rooflight: {message}", file=sys.stderr)
        names = {file["name"] for file in session.inspect()["files"]}
    files = []
    for path in paths:
        if os.path.isdir(path):
            for parent, _, below in os.walk(path):
                files += [os.path.join(parent, name) for name in below]
        else:
            files.append(path)
    # A member of an archive has the name of the archive and its own.
    archives = {name[:at] for name in names for at, sign in enumerate(name) if sign == "/"}
    read = sorted(file for file in files if _text(file) in names or _text(file) in archives and _is_archive(file))
    left_out = [file for file in files if _is_report(file)]
    if len(read) > 1:
        left_out += [file for file in read if not _is_served_in_parts(file)]
        read = [file for file in read if file not in left_out]
    for file in left_out:
        print(f"rooflight: {_text(file)} is not on the page. The page opens it only without other files.", file=sys.stderr)
    if not read:
        raise RooflightError("The page opens no such file together with others. Give one file.")
    return Captured(read, names)


def _is_served_in_parts(file: str) -> bool:
    """Return whether the members of an archive can be served. True for a file that is no archive."""
    try:
        if _is_archive(file):
            zipfile.ZipFile(file).close()
    except (zipfile.BadZipFile, OSError):
        return False
    return True


class Server(ThreadingHTTPServer):
    """Serves the page and one capture to those who know the token."""

    daemon_threads = True
    # On Windows, another program could take the port otherwise.
    allow_reuse_address = os.name != "nt"

    def __init__(self, paths: Sequence[str], port: int = 0) -> None:
        files, names = _captured(paths)
        page = folder()
        self.token = secrets.token_urlsafe(24)
        self.contents = {
            path.name: _file(str(path)) for path in page.iterdir() if path.is_file() and path.name not in _NOT_SERVED
        }
        self.contents[""] = self.contents["index.html"]
        first = _text(os.path.basename(os.path.abspath(paths[0]))) or "capture"
        if len(files) == 1:
            name, content = _text(os.path.basename(files[0])), _file(files[0], "application/octet-stream")
        else:
            name, content = f"{first}.zip", _archive(files, names)
        self.contents[f"capture/{name}"] = content
        super().__init__((_ADDRESS, port), Handler)
        # Browsers leave out the port of plain http.
        ports = [f":{self.server_port}", ""] if self.server_port == _HTTP_PORT else [f":{self.server_port}"]
        self.hosts = {name + port for name in (_ADDRESS, "localhost") for port in ports}
        #: The address of the page, without a capture.
        self.page_url = f"http://{_ADDRESS}:{self.server_port}/{self.token}/"
        #: The address of the capture.
        self.capture_url = self.page_url + "capture/" + quote(name)
        #: The address of the page that opens the capture.
        self.url = f"{self.page_url}#src={quote(self.capture_url, safe='')}"

    def find(self, host: str | None, target: str) -> Content | None:
        """Return what a request may have. None if it is refused, or if there is no such file."""
        try:
            path = urlsplit(target).path
        except ValueError:
            return None
        _, _, rest = path.partition("/")
        token, slash, name = rest.partition("/")
        is_known = hmac.compare_digest(token.encode(), self.token.encode())
        if host not in self.hosts or not is_known or not slash:
            return None
        return self.contents.get(unquote(name))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about a connection that the client has broken off."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version = "rooflight"
    sys_version = ""
    # A connection without a request would keep its thread for ever.
    timeout = _REQUEST_TIMEOUT

    def do_GET(self) -> None:
        self._answer(True)

    def do_HEAD(self) -> None:
        self._answer(False)

    def _answer(self, with_body: bool) -> None:
        content = self.server.find(self.headers.get("Host"), self.path)
        if not content:
            self._send_head(HTTPStatus.FORBIDDEN, "text/plain", 0)
            return
        with contextlib.ExitStack() as stack:
            try:
                body = stack.enter_context(content.open())
            except FileNotFoundError:
                self._send_head(HTTPStatus.GONE, "text/plain", 0)
                return
            except OSError:
                self._send_head(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", 0)
                return
            self._send_head(HTTPStatus.OK, content.kind, body.size)
            if with_body:
                self.connection.settimeout(_ANSWER_TIMEOUT)
                # The browser has cancelled the request, or a file has changed. The browser gets fewer bytes than the
                # header says, or an archive without its end.
                with contextlib.suppress(OSError, EOFError, zipfile.BadZipFile, RuntimeError):
                    body.write(self.wfile)
                self.close_connection = True

    def _send_head(self, status: HTTPStatus, kind: str, size: int | None) -> None:
        self.send_response(status)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Content-Type", kind)
        if size is not None:
            self.send_header("Content-Length", str(size))
        self.end_headers()

    def log_message(self, format: str, *values: object) -> None:
        """Print nothing: the address holds the token."""


@contextmanager
def _redirect_file(url: str) -> Iterator[str]:
    """Write a file that only this user can read and that leads to ``url``. Yield the address of the file.

    All users of a machine can read the command line of a browser, and ``url`` holds the token.
    """
    # mkstemp gives the file the mode 0600.
    handle, path = tempfile.mkstemp(prefix="rooflight-", suffix=".html")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            address = html.escape(url)
            file.write(
                '<!DOCTYPE html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Rooflight</title>'
                f'<meta http-equiv="refresh" content="0; url={address}"><p><a href="{address}">Open Rooflight</a></p>\n'
            )
        yield Path(path).as_uri()
    finally:
        with contextlib.suppress(OSError):
            os.remove(path)


def _open_browser(url: str, stack: contextlib.ExitStack) -> None:
    try:
        webbrowser.open(stack.enter_context(_redirect_file(url)))
    except OSError as error:
        print(f"rooflight: The browser could not be opened. {error}. Open the address above.", file=sys.stderr)


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
    # A process that a script starts in the background inherits that interrupts are ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), server, contextlib.ExitStack() as stack:
        print(f"{server.url}\nThe page is served until you press Ctrl-C.", flush=True)
        if not options.no_browser:
            _open_browser(server.url, stack)
        server.serve_forever()
    return 0
