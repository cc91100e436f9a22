"""Bad input is an exception with the sentence of the command line, and a partial capture is a warning."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from conftest import SAMPLE, native

import rooflight


def bad_files(folder: Path) -> list[Path]:
    contents = {
        "empty.xplane.pb": b"",
        "noise.xplane.pb": bytes(i * 37 % 256 | 0x80 for i in range(4096)),
        "shot.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "notes.txt": b"nothing here\n",
        "long.xplane.pb": bytes([0x0A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 8, 1]),
        "bad.zip": b"PK\x03\x04" + b"\0" * 40,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "none").mkdir()
    return [*(folder / name for name in contents), folder / "none"]


def test_a_file_that_cannot_be_read_has_the_sentence_of_the_command_line(tmp_path: Path) -> None:
    for path in bad_files(tmp_path):
        expected = native("inspect", path)
        assert expected.returncode == 2
        with pytest.raises(rooflight.UnreadableCaptureError) as error:
            rooflight.open(path)
        assert f"rooflight: {error.value}\n" == expected.stderr.decode()
        assert isinstance(error.value, rooflight.RooflightError)


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    path = tmp_path / "none.xplane.pb"
    for wanted in (rooflight.CaptureNotFoundError, rooflight.RooflightError, FileNotFoundError):
        with pytest.raises(wanted) as error:
            rooflight.open(path)
        assert f"rooflight: {error.value}\n" == native("inspect", path).stderr.decode()


def test_a_wrong_step_or_device_has_the_sentence_of_the_command_line() -> None:
    session = rooflight.open(SAMPLE)
    for options in ({"step": 99}, {"device": "TPU:99"}, {"filter": "(", "regex": True}):
        arguments = ["--regex" if value is True else f"--{name}={value}" for name, value in options.items()]
        with pytest.raises(rooflight.RooflightError) as error:
            session.breakdown(**options)
        assert f"rooflight: {error.value}\n" == native("breakdown", *arguments, SAMPLE).stderr.decode()


def test_a_wrong_argument_is_a_value_error() -> None:
    session = rooflight.open(SAMPLE)
    with pytest.raises(rooflight.ArgumentError, match="invalid value 'nothing' for '--by <BY>'") as error:
        session.breakdown(by="nothing")
    assert isinstance(error.value, ValueError) and "--help" not in str(error.value)
    # A value cannot become an option.
    with pytest.raises(rooflight.ArgumentError):
        session.breakdown(by="op --out x")


def test_a_partial_capture_warns_and_answers(cut: Path) -> None:
    expected = native("breakdown", "--json", cut)
    assert expected.returncode == 1
    lines = expected.stderr.decode().splitlines()
    assert lines and all(line.startswith("rooflight: partial: ") for line in lines)
    with pytest.warns(rooflight.PartialCaptureWarning) as caught:
        session = rooflight.open(cut)
    assert [f"rooflight: {warning.message}" for warning in caught] == lines
    assert all(warning.filename == __file__ for warning in caught)
    assert session.partial == [str(warning.message) for warning in caught]
    # The user is warned once.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = session.breakdown()
    assert result.json() == expected.stdout.decode() and result["status"] == "partial"


def test_a_whole_capture_does_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = rooflight.open(SAMPLE)
        session.summary()
    assert session.partial == []


def test_a_path_that_looks_like_an_option_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "--json").write_bytes(SAMPLE.read_bytes())
    monkeypatch.chdir(tmp_path)
    session = rooflight.open("--json")
    assert session.inspect()["files"][0]["name"] == "--json"
    assert session.compare("--json")["verdict"] == "no_change" or session.compare("--json")["delta_ps"] == 0
