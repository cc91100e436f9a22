"""`rooflight view` serves the page and one capture, on this machine and to those who know the token."""

from __future__ import annotations

import http.client
import io
import signal
import socket
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from conftest import GPU, PROGRAM, SAMPLE, console, script

from rooflight._view import Server


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with Server([str(SAMPLE)]) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


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
    with Server([str(tmp_path)]) as server:
        name = next(name for name in server.contents if name.startswith("capture/"))
        out = io.BytesIO()
        server.contents[name].write(out)
    with zipfile.ZipFile(out) as archive:
        assert sorted(archive.namelist()) == [f"plugins/{GPU.name}", PROGRAM.name]
        assert archive.read(f"plugins/{GPU.name}") == GPU.read_bytes()


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
