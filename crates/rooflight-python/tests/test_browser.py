"""The page of the wheel in Chromium: on its own address, in a frame, and in a notebook of JupyterLab."""

from __future__ import annotations

import http.client
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE, of_host

import rooflight
from rooflight._view import Server

pytestmark = pytest.mark.skipif(
    "ROOFLIGHT_CHROMIUM" not in os.environ, reason="`cargo xtask python` names the browser in ROOFLIGHT_CHROMIUM"
)


def browse(kind: str, url: str) -> dict[str, Any]:
    script = Path(__file__).with_name("browser.mjs")
    node = os.environ.get("ROOFLIGHT_NODE", "node")
    done = subprocess.run([node, script, kind, url, verdict(SAMPLE)], capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["errors"] == [], found["errors"]
    return found


def verdict(path: Path) -> str:
    """The headline of the verdict, without its source lines: the page in a frame has a report, which leaves them out."""
    text: str = rooflight.open(path).overview()["verdict"]
    return text.split(":")[0].split(" (")[0]


@contextmanager
def served(server: http.server.ThreadingHTTPServer) -> Iterator[None]:
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def test_view_opens_the_capture(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for host in ("w-0", "w-1"):
        (tmp_path / "a" / f"{host}.xplane.pb").write_bytes(of_host(host))
    for paths in ([SAMPLE], [tmp_path]):
        server = Server([str(path) for path in paths])
        with served(server):
            found = browse("view", server.url)
        assert "TFLOP/s" in found["roofline"]
        assert found["others"] == [] and found["serviceWorkers"] == 0
    # Both files of the folder are one session.
    assert "+ 1" in found["overview"]


def test_a_cell_shows_the_page_in_a_frame() -> None:
    cell = rooflight.open(SAMPLE)._repr_html_()

    class Cell(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>notebook</title>{cell}".encode())

        def log_message(self, *values: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cell)
    with served(server):
        found = browse("frame", f"http://127.0.0.1:{server.server_port}/")
    assert "TFLOP/s" in found["roofline"]
    assert found["others"] == [] and found["sees"] == "SecurityError"


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """Run JupyterLab on the notebooks in a folder. Returns its address."""
    import jupyterlab as package

    share = Path(package.__file__).parents[1] / "share" / "jupyter"
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.port={port}", f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=test"]
    command += [f"--LabApp.app_dir={share / 'lab'}", "--LabApp.news_url=None"]
    private = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "RUNTIME", "DATA")}
    environment = {**os.environ, **private, "JUPYTER_PATH": str(share), "IPYTHONDIR": str(folder / "ipython")}
    log = folder / "jupyter.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                connection.request("GET", "/api?token=test")
                if connection.getresponse().status == 200:
                    break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/lab/tree/test.ipynb?token=test"
    finally:
        process.terminate()
        process.wait(30)


def test_a_notebook_shows_the_page_and_a_data_frame(tmp_path: Path) -> None:
    sources = [
        f"import rooflight\nsession = rooflight.open({str(SAMPLE)!r})\nsession",
        "session.breakdown(by='category').to_pandas()[['key', 'total_dur_ps']]",
    ]
    cells = [
        {"cell_type": "code", "execution_count": None, "id": f"cell{at}", "metadata": {}, "outputs": [], "source": source}
        for at, source in enumerate(sources)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "test.ipynb").write_text(json.dumps(notebook))
    with jupyterlab(tmp_path) as url:
        found = browse("notebook", url)
    assert "TFLOP/s" in found["roofline"]
    assert found["dataFrame"] == len(rooflight.open(SAMPLE).breakdown(by="category").to_dicts())
    assert found["sees"] == "SecurityError"
