"""`rooflight view` serves the page and one capture, on this machine and to those who know the token."""

from __future__ import annotations

import http.client
import io
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import pytest
from conftest import GPU, PROGRAM, SAMPLE, console, of_host, script

import rooflight
from rooflight import _view
from rooflight._view import Handler, Server


@contextmanager
def serving(paths: Sequence[object]) -> Iterator[Server]:
    with Server([str(path) for path in paths]) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving([SAMPLE]) as server:
        yield server


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            out.writestr(name, content)
    return path


def served(paths: Sequence[object]) -> dict[str, bytes]:
    """Return the members of the archive that is served for several files."""
    with serving(paths) as server:
        status, body, headers = fetch(server, urlsplit(server.capture_url).path)
    assert (status, headers["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(body)) as members:
        assert members.testzip() is None
        return {name: members.read(name) for name in members.namelist()}


def fetch(server: Server, target: str, host: str | None = None, method: str = "GET") -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.putrequest(method, target, skip_host=True)
    if host != "":
        connection.putheader("Host", host or f"127.0.0.1:{server.server_port}")
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, dict(answer.getheaders())


def test_the_page_and_the_capture_are_served(server: Server) -> None:
    status, body, headers = fetch(server, f"/{server.token}/")
    assert status == 200 and b"<title>Rooflight</title>" in body
    assert headers["Content-Type"] == "text/html; charset=utf-8" and headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer" and "Access-Control-Allow-Origin" not in headers
    program = next(name for name in server.contents if name.endswith("_bg.wasm"))
    assert fetch(server, f"/{server.token}/{program}")[2]["Content-Type"] == "application/wasm"
    # The address names the capture as the page reads it.
    address = urlsplit(server.url)
    assert address.fragment.startswith("src=") and address.hostname == "127.0.0.1"
    capture = urlsplit(unquote(address.fragment[4:]))
    status, body, headers = fetch(server, capture.path)
    assert status == 200 and body == SAMPLE.read_bytes()
    assert headers["Content-Length"] == str(len(body))
    assert fetch(server, capture.path, method="HEAD")[:2] == (200, b"")


def test_other_hosts_are_refused(server: Server) -> None:
    target, port = f"/{server.token}/", server.server_port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert fetch(server, target, host)[0] == 200
    for host in (
        "",
        "127.0.0.1",
        "localhost",
        f"evil.example:{port}",
        "evil.example",
        f"127.0.0.1:{port + 1}",
        f"127.0.0.1.evil.example:{port}",
        f"[::1]:{port}",
    ):
        status, body, _ = fetch(server, target, host)
        assert (status, body) == (403, b""), host


def test_requests_without_the_token_are_refused(server: Server) -> None:
    token = server.token
    name = next(name for name in server.contents if name.startswith("capture/"))
    assert len(token) >= 32
    for target in (
        "/",
        "/index.html",
        f"/{name}",
        f"/{token}",
        f"/{token[:-1]}/",
        f"/{token}x/",
        f"/{token.swapcase()}/",
        f"/x/{token}/",
        f"/?{token}/",
    ):
        status, body, _ = fetch(server, target)
        assert (status, body) == (403, b""), target


def test_only_listed_files_are_served(server: Server) -> None:
    for name in (
        "../_main.py",
        "%2e%2e/_main.py",
        "..%2f_main.py",
        "capture/../../_main.py",
        "capture/",
        "capture",
        ".",
        "./index.html",
        "%00",
        "sw.js",
        f"capture/../capture/{SAMPLE.name}",
        "//etc/passwd",
        "/etc/passwd",
    ):
        status, body, _ = fetch(server, f"/{server.token}/{name}")
        assert (status, body) == (403, b""), name


def test_nothing_can_be_written(server: Server) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert fetch(server, f"/{server.token}/", method=method)[0] == 501


def test_the_server_listens_on_this_machine_alone(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    name = socket.gethostbyname(socket.gethostname())
    if not name.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((name, server.server_port), timeout=5).close()


def test_each_server_has_its_own_token(server: Server) -> None:
    with Server([str(SAMPLE)]) as other:
        assert other.token != server.token and other.server_port != server.server_port


def test_a_folder_is_one_archive_of_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / GPU.name).write_bytes(GPU.read_bytes())
    (tmp_path / PROGRAM.name).write_bytes(PROGRAM.read_bytes())
    (tmp_path / "secret.txt").write_text("no capture")
    assert served([tmp_path]) == {f"plugins/{GPU.name}": GPU.read_bytes(), PROGRAM.name: PROGRAM.read_bytes()}


def test_members_of_archives_are_served_beside_other_files(tmp_path: Path) -> None:
    # The page opens no archive inside an archive.
    hosts = of_host("w-0"), of_host("w-1")
    first = archive(tmp_path / "a.zip", {"run/w-0.xplane.pb": hosts[0], "secret.txt": b"no capture"})
    second = archive(tmp_path / "b.zip", {"w-1.xplane.pb": hosts[1], "p.hlo_proto.pb.gz": PROGRAM.read_bytes()})
    plain = tmp_path / PROGRAM.name
    plain.write_bytes(PROGRAM.read_bytes())
    of_first = {"a.zip/run/w-0.xplane.pb": hosts[0]}
    of_second = {"b.zip/w-1.xplane.pb": hosts[1], "b.zip/p.hlo_proto.pb.gz": PROGRAM.read_bytes()}
    assert served([first, plain]) == {**of_first, PROGRAM.name: PROGRAM.read_bytes()}
    assert served([first, second]) == {**of_first, **of_second}
    # A capture that is in two archives is read and served once.
    (tmp_path / "again").mkdir()
    again = archive(tmp_path / "again" / "c.zip", {"w-0.xplane.pb": hosts[0]})
    assert served([first, second, again]) == {**of_first, **of_second}
    again.unlink()
    assert served([tmp_path]) == {**of_first, **of_second, PROGRAM.name: PROGRAM.read_bytes()}
    # The answer opens with the same names.
    with serving([first, second]) as server:
        whole = tmp_path / "served.zip"
        whole.write_bytes(fetch(server, urlsplit(server.capture_url).path)[1])
    names = [file["name"] for file in rooflight.open(whole).inspect()["files"]]
    assert sorted(names) == sorted(f"{whole}/{name}" for name in {**of_first, **of_second})
    # One archive is served as it is.
    with serving([first]) as server:
        assert fetch(server, urlsplit(server.capture_url).path)[1] == first.read_bytes()


def test_a_damaged_member_is_served_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    content = b"".join(bytes([i % 251, i // 251 % 256]) for i in range(100_000))
    path = archive(tmp_path / "a.zip", {"a.xplane.pb": content})
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))
    names = {f"{path}/a.xplane.pb", str(SAMPLE)}
    out = io.BytesIO()
    with _view._archive([str(path), str(SAMPLE)], names).open() as body:
        body.write(out)
    with zipfile.ZipFile(out) as members:
        damaged, whole = sorted(members.namelist(), key=lambda name: name.endswith("a.xplane.pb"), reverse=True)
        assert len(members.read(damaged)) < len(content) or members.read(damaged) != content
        assert members.read(whole) == SAMPLE.read_bytes()


def test_a_file_that_changes_is_served_as_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, other = tmp_path / "w-0.xplane.pb", tmp_path / "w-1.xplane.pb"
    path.write_bytes(of_host("w-0"))
    other.write_bytes(of_host("w-1"))
    with serving([path]) as server, serving([path, other]) as both:
        target = urlsplit(server.capture_url).path
        for content in (SAMPLE.read_bytes() * 2, SAMPLE.read_bytes()[:1000]):
            path.write_bytes(content)
            status, body, headers = fetch(server, target)
            assert (status, body, headers["Content-Length"]) == (200, content, str(len(content)))
            assert fetch(server, target, method="HEAD")[2]["Content-Length"] == str(len(content))
        path.unlink()
        for one, its_target in ((server, target), (both, urlsplit(both.capture_url).path)):
            for method in ("GET", "HEAD"):
                status, body, headers = fetch(one, its_target, method=method)
                assert (status, body, headers["Content-Length"]) == (410, b"", "0")
        # A folder in its place cannot be read as a file.
        path.mkdir()
        assert fetch(server, target)[:2] == (500, b"")
    assert capfd.readouterr().err == ""


def test_a_file_that_changes_while_it_is_sent_is_not_taken_for_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.xplane.pb"
    path.write_bytes(b"x" * 5000)

    class Out(io.BytesIO):
        """Changes the file after the first bytes."""

        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

        def write(self, data: object) -> int:
            os.truncate(path, self.size)
            return super().write(data)  # type: ignore[arg-type]

    content = _view._file(str(path))
    with content.open() as body:
        # Bytes that come later are not sent: the head has the size already.
        path.write_bytes(b"x" * 9000)
        out = io.BytesIO()
        body.write(out)
        assert body.size == len(out.getvalue()) == 5000
    path.write_bytes(b"x" * (3 << 20))
    with content.open() as body, pytest.raises(EOFError):
        body.write(Out(1 << 20))
    # An archive of which a file is gone has no end.
    other = tmp_path / "b.xplane.pb"
    other.write_bytes(b"y" * 5000)
    out = io.BytesIO()
    with _view._archive([str(path), str(other)], set()).open() as body:
        other.unlink()
        with pytest.raises(FileNotFoundError):
            body.write(out)
    assert out.getvalue() and not zipfile.is_zipfile(out)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_not_utf8_are_served(tmp_path: Path) -> None:
    names = [os.fsdecode(b"run-\xff.xplane.pb.xz"), os.fsdecode(b"run-\xfe.xplane.pb.xz")]
    for name in names:
        (tmp_path / name).write_bytes(GPU.read_bytes())
    with serving([tmp_path / names[0]]) as server:
        assert server.capture_url.endswith("/capture/run-%EF%BF%BD.xplane.pb.xz")
        assert fetch(server, urlsplit(server.capture_url).path)[1] == GPU.read_bytes()
    expected = ["run-\ufffd.xplane.pb (2).xz", "run-\ufffd.xplane.pb.xz"]
    assert sorted(served([tmp_path])) == sorted(served([tmp_path / name for name in names])) == expected


def test_targets_that_are_no_addresses_are_refused(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    for target in ("http://[/", "//[", "http://[::1/", f"http://[/{server.token}/"):
        assert fetch(server, target)[:2] == (403, b"")
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        # The client breaks the connection off.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.sendall(b"GET / HT")
    assert fetch(server, f"/{server.token}/")[0] == 200
    assert capfd.readouterr().err == ""


def test_a_connection_without_a_request_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < _view._REQUEST_TIMEOUT <= 60 and Handler.timeout == _view._REQUEST_TIMEOUT
    monkeypatch.setattr(Handler, "timeout", 0.2)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        # The server closes the connection: the client reads its end.
        assert connection.recv(1) == b""


def test_browsers_leave_out_the_port_of_http(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    # A test may not listen on port 80.
    monkeypatch.setattr(_view, "_HTTP_PORT", server.server_port)
    with Server([str(SAMPLE)]) as usual:
        assert "localhost" not in usual.hosts
        port = usual.server_port
    monkeypatch.setattr(_view, "_HTTP_PORT", port)
    with Server([str(SAMPLE)], port) as server:
        target = f"/{server.token}/"
        for host in ("localhost", "127.0.0.1", f"localhost:{port}", f"127.0.0.1:{port}"):
            assert server.find(host, target), host
        for host in ("evil.example", "localhost.evil.example", "", None):
            assert not server.find(host, target), host


@pytest.mark.skipif(os.name == "nt", reason="the browser is a shell script")
def test_the_token_is_not_in_the_command_line_of_the_browser(tmp_path: Path) -> None:
    browser, log = tmp_path / "browser", tmp_path / "log"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {log}.new\nmv {log}.new {log}\n')
    browser.chmod(0o755)
    command = [script(), "view", str(GPU)]
    environment = {**os.environ, "BROWSER": str(browser), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout and process.stderr
        try:
            url = process.stdout.readline().strip()
            for _ in range(200):
                if log.exists():
                    break
                time.sleep(0.1)
            argument = log.read_text().strip()
            token = urlsplit(url).path.strip("/")
            assert len(token) >= 32 and token not in argument and argument.startswith("file://")
            path = Path(url2pathname(urlsplit(argument).path))
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert f'content="0; url={url}"' in path.read_text()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        finally:
            process.kill()
        assert process.stderr.read() == "" and not path.exists()


def test_the_command_prints_an_address_and_ends_when_interrupted() -> None:
    command = [script(), "view", str(GPU), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stderr
        url = urlsplit(process.stdout.readline().strip())
        connection = http.client.HTTPConnection("127.0.0.1", url.port, timeout=20)
        connection.request("GET", url.path)
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(20) == 0
        finally:
            # A server that does not end must not hold up the tests.
            process.kill()
        assert process.stderr.read() == ""


def test_bad_input_has_the_sentence_of_the_command_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        ours, expected = console("view", path, "--no-browser", timeout=60), console("inspect", path)
        assert (ours.returncode, ours.stdout, ours.stderr) == (2, b"", expected.stderr)
