"""The answers of a session are the JSON of the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest
from conftest import GPU, PROGRAM, SAMPLE, native

import rooflight

# A method with arguments, and the same as the command line spells it.
CALLS = [
    ("overview", {}, ["overview"]),
    ("overview", {"step": 1, "tokens": 65536, "parameters": 8e9}, ["overview", "--step=1", "--tokens=65536", "--parameters=8e9"]),
    ("breakdown", {}, ["breakdown"]),
    (
        "breakdown",
        {"by": "category", "step": "all", "device": "all"},
        ["breakdown", "--by=category", "--step=all", "--device=all"],
    ),
    ("breakdown", {"by": "scope", "top": 3}, ["breakdown", "--by=scope", "--top=3"]),
    (
        "breakdown",
        {"filter": "^fusion", "regex": True, "kind": "compute"},
        ["breakdown", "--filter=^fusion", "--regex", "--kind=compute"],
    ),
    ("roofline", {}, ["roofline"]),
    (
        "roofline",
        {"by": "source", "peak_tflops": {"bf16": 100, "f32": 50}},
        ["roofline", "--by=source", "--peak-tflops=bf16=100", "--peak-tflops=f32=50"],
    ),
    ("memory", {}, ["memory"]),
    ("memory", {"color": 0, "top": 5, "fit_parameters": "8B"}, ["memory", "--color=0", "--top=5", "--fit-parameters=8B"]),
    ("comm", {}, ["comm"]),
    ("comm", {"by": "primitive", "topology": "2x4", "wrap": True}, ["comm", "--by=primitive", "--topology=2x4", "--wrap"]),
    ("gaps", {}, ["gaps"]),
    ("gaps", {"window": "1ms..90ms"}, ["gaps", "--window=1ms..90ms"]),
    ("data_movement", {}, ["data-movement"]),
    (
        "flags",
        {"flags": "--xla_tpu_enable_async_collective_fusion=true"},
        ["flags", "--flags=--xla_tpu_enable_async_collective_fusion=true"],
    ),
    ("summary", {}, ["summary"]),
    ("inspect", {}, ["inspect"]),
]


@pytest.mark.parametrize("path", [SAMPLE, GPU, PROGRAM], ids=["tpu", "gpu", "program"])
def test_answers_are_those_of_the_command_line(path: Path) -> None:
    session = rooflight.open(path)
    for method, options, arguments in CALLS:
        expected = native(*arguments, "--json", path)
        label = f"{method}({options})"
        if expected.returncode == 2:
            with pytest.raises(rooflight.RooflightError) as error:
                getattr(session, method)(**options)
            assert f"rooflight: {error.value}\n" == expected.stderr.decode(), label
            continue
        result = getattr(session, method)(**options)
        assert result.json() == expected.stdout.decode(), label
        document = json.loads(expected.stdout)
        assert result.to_dict() == document and dict(result) == document, label
        for name in result.tables:
            if name in document:
                assert result.to_dicts(name) == document[name], f"{label} {name}"


def test_the_buffers_of_a_program_are_one_table() -> None:
    result = rooflight.open(SAMPLE).memory()
    program = result["programs"][0]
    space = program["spaces"][0]
    expected = len([buffer for of in result["programs"] for each in of["spaces"] for buffer in each["alive"]])
    rows = result.to_dicts()
    assert result.tables[:2] == ["buffers", "spaces"] and len(rows) == expected
    assert rows[0] == {
        "program": program["name"],
        "program_id": program["program_id"],
        "color": space["color"],
        "memory_space": space["memory_space"],
        **space["alive"][0],
    }
    spaces = result.to_dicts("spaces")
    assert [row["peak_bytes"] for row in spaces] == [each["peak_bytes"] for of in result["programs"] for each in of["spaces"]]


def test_two_sessions_are_compared() -> None:
    expected = native("compare", SAMPLE, GPU, "--json", "--band=2%").stdout.decode()
    session = rooflight.open(SAMPLE)
    assert session.compare(rooflight.open(GPU), band=0.02).json() == expected
    assert session.compare(GPU, band=0.02).json() == expected
    with pytest.raises(rooflight.RooflightError, match="at least 8 captures"):
        session.compare(GPU, history=[SAMPLE, SAMPLE])
    groups = session.compare(GPU, by="kind").table("groups").to_dicts()
    assert sum(group["n_rows"] for group in groups) == len(session.compare(GPU).to_dicts())
    paired = session.compare(SAMPLE, pair={"no.1": "no.2"})
    assert "no.1 is not paired with no.2: A has no such op." in paired["notes"]


def test_several_paths_are_one_session(plain: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.xplane.pb"
    # A file that differs is the capture of another host.
    again.write_bytes(plain.read_bytes()[:-1] + b"\x01")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rooflight.PartialCaptureWarning)
        both = rooflight.open([plain, str(again)])
    assert len(both.inspect()["files"]) == 2
    assert both.breakdown().json() == native("breakdown", "--json", plain, again).stdout.decode()
    assert len(rooflight.open(plain.parent).inspect()["files"]) == 1


def test_a_session_answers_in_any_thread() -> None:
    session = rooflight.open(GPU)
    expected = session.breakdown().json()
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(session.breakdown().json())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_refuses_and_does_not_hang() -> None:
    code = f"""
import os, rooflight
session = rooflight.open({str(GPU)!r})
if os.fork() == 0:
    try:
        session.gaps()
    except rooflight.RooflightError as error:
        os._exit(7 if "another process" in str(error) else 8)
    os._exit(9)
raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=60, check=False)
    assert done.returncode == 7


def test_other_threads_run_while_a_capture_is_opened() -> None:
    ticks: list[float] = []
    is_done = threading.Event()

    def tick() -> None:
        while not is_done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        start = time.perf_counter()
        for _ in range(3):
            rooflight.open(SAMPLE).overview()
        end = time.perf_counter()
    finally:
        is_done.set()
        ticker.join()
    within = [start, *(at for at in ticks if start < at < end), end]
    longest = max(after - before for before, after in zip(within, within[1:]))
    # With the lock held, the ticks would stop for the whole time of an open.
    assert longest < (end - start) / 3 / 3, f"no other thread ran for {longest:.3f} of {end - start:.3f} s"


def test_the_import_is_fast_and_loads_no_library() -> None:
    code = "import sys, time; start = time.perf_counter(); import rooflight; print(time.perf_counter() - start, 'pandas' in sys.modules, 'jax' in sys.modules, 'http.server' in sys.modules)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split() for _ in range(5)
    ]
    assert all(run[1:] == ["False", "False", "False"] for run in runs)
    assert min(float(run[0]) for run in runs) < 0.1, runs


def test_the_package_is_typed_and_documented() -> None:
    folder = Path(rooflight.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_rooflight.pyi").exists()
    for name in rooflight.__all__:
        thing = getattr(rooflight, name)
        assert name == "__version__" or thing.__doc__, name
    public = [name for name in vars(rooflight.Session) if not name.startswith("_")]
    assert {"overview", "breakdown", "roofline", "memory", "comm", "gaps", "compare"} <= set(public)
    assert all(getattr(rooflight.Session, name).__doc__ for name in public)


def test_types_are_complete_and_right_for_a_user(tmp_path: Path) -> None:
    user = tmp_path / "user.py"
    user.write_text(
        "import rooflight\n"
        "session: rooflight.Session = rooflight.open(['a.xplane.pb'])\n"
        "rows: list[dict[str, object]] = session.breakdown(by='kind', step=3).to_dicts()\n"
        "try:\n"
        "    text: str = session.compare(session).json()\n"
        "except rooflight.RooflightError as error:\n"
        "    raise SystemExit(str(error))\n"
        "session.breakdown(by=3)\n"
    )
    package = Path(rooflight.__file__).parent
    check = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", f"--cache-dir={tmp_path}"]
    done = subprocess.run([*check, user], capture_output=True, text=True, check=False)
    assert "Found 1 error in 1 file" in done.stdout and 'user.py:8: error: Argument "by"' in done.stdout, done.stdout
    done = subprocess.run([*check, package], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
