"""The console script is the native command line, with `view`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import GPU, PROGRAM, SAMPLE, console, native


@pytest.mark.parametrize("path", [SAMPLE, GPU, PROGRAM], ids=["tpu", "gpu", "program"])
@pytest.mark.parametrize(
    "arguments",
    [["summary"], ["overview", "--markdown"], ["breakdown", "--csv", "--top=9"], ["memory", "--json"], ["inspect"]],
    ids=lambda arguments: arguments[0],
)
def test_output_is_that_of_the_native_program(path: Path, arguments: list[str]) -> None:
    ours, expected = console(*arguments, path), native(*arguments, path)
    assert ours.stdout == expected.stdout and ours.stderr == expected.stderr
    assert ours.returncode == expected.returncode
    assert expected.stdout or expected.returncode


def test_exit_codes_and_sentences_are_those_of_the_native_program(cut: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none"
    for arguments in (
        ["inspect", cut],
        ["summary", missing],
        ["breakdown", "--by", "x", cut],
        ["compare", SAMPLE, GPU, "--fail-over=3%"],
    ):
        ours, expected = console(*arguments), native(*arguments)
        assert (ours.returncode, ours.stdout, ours.stderr) == (expected.returncode, expected.stdout, expected.stderr)
    assert console("inspect", cut).returncode == 1 and console("summary", missing).returncode == 2


def test_help_lists_the_commands_and_view() -> None:
    ours, expected = console("--help").stdout.decode(), native("--help").stdout.decode()
    names = re.compile(r"^ +(--?[a-z][a-z-]*|[a-z-]+(?=  ))", re.MULTILINE)
    # The wheel is built without Parquet, and therefore without the command that merges files of tables.
    assert len(names.findall(expected)) > 10 and set(names.findall(expected)) - {"compact"} <= set(names.findall(ours))
    assert "view" in ours and "  view" not in expected
    for arguments in (["help", "view"], ["view", "--help"]):
        shown = console(*arguments)
        assert shown.returncode == 0 and b"--no-browser" in shown.stdout
    assert b"There is no command veiw." in console("veiw").stderr


def test_tables_of_json_lines_are_those_of_the_native_program(tmp_path: Path) -> None:
    def files(folder: Path) -> dict[str, bytes]:
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    ours, expected = tmp_path / "ours", tmp_path / "expected"
    arguments = (SAMPLE, GPU, "--key", "commit=abc")
    done, of_native = console("export", "--jsonl", ours, *arguments), native("export", "--jsonl", expected, *arguments)
    assert done.returncode == of_native.returncode == 0, done.stderr
    assert len(files(expected)) == 12 and files(ours) == files(expected)
    refused = console("export", "--parquet", tmp_path / "none", SAMPLE)
    assert refused.returncode == 2 and b"--parquet" in refused.stderr and not (tmp_path / "none").exists()


def test_output_is_written_when_a_pipe_ends_early() -> None:
    command = f"{sys.executable} -m rooflight breakdown --json {SAMPLE} | head -c 100"
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert len(done.stdout) == 100 and done.stderr == b""


def test_an_html_file_is_made_with_the_page_of_the_wheel(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done = console("report", "--html", path, GPU, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes().startswith(b"<!doctype html>")
