"""Tables of a result as data frames and as Arrow."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import pandas
import pyarrow
import pytest
from conftest import GPU, PROGRAM, SAMPLE

import rooflight


@pytest.fixture(scope="module")
def session() -> rooflight.Session:
    return rooflight.open(SAMPLE)


def results(session: rooflight.Session) -> list[rooflight.Result]:
    names = ["overview", "breakdown", "roofline", "memory", "comm", "gaps", "data_movement", "summary", "inspect", "flags"]
    return [getattr(session, name)() for name in names]


def test_every_table_has_its_rows_in_pandas_and_in_arrow(session: rooflight.Session) -> None:
    n_tables = 0
    for result in results(session):
        for name in result.tables:
            rows, frame, arrow = result.to_dicts(name), result.to_pandas(name), result.to_arrow(name)
            assert len(frame) == arrow.num_rows == len(rows), (result, name)
            assert list(frame.columns) == arrow.column_names == result.table(name).columns
            arrow.validate(full=True)
            for column in arrow.column_names:
                values = [row.get(column) for row in rows]
                texts = [v if v is None or not isinstance(v, (list, dict)) else json.dumps(v, ensure_ascii=False) for v in values]
                assert arrow[column].to_pylist() == texts, (result, name, column)
                in_pandas = [None if v is None or v is pandas.NA or v != v else v for v in frame[column].tolist()]
                assert in_pandas == values, (result, name, column)
            n_tables += 1
    assert n_tables > 25


def test_times_are_whole_numbers(session: rooflight.Session) -> None:
    result = session.breakdown(by="category")
    assert str(result.to_pandas()["total_dur_ps"].dtype) == "int64"
    assert result.to_arrow().schema.field("total_dur_ps").type == pyarrow.int64()
    assert result.to_pandas()["total_dur_ps"].sum() == sum(row["total_dur_ps"] for row in result.to_dicts())


def test_large_and_absent_numbers_stay_exact() -> None:
    rows = [{"a": 2**60 + 1, "b": 2**64 - 1, "c": None, "d": True, "e": 1}, {"a": None, "b": 3, "c": None, "d": None, "e": 0.5}]
    table = rooflight.Table("rows", rows)
    frame = table.to_pandas()
    assert frame["a"][0] == 2**60 + 1 and frame["b"][0] == 2**64 - 1
    assert [str(kind) for kind in frame.dtypes] == ["Int64", "uint64", "object", "boolean", "float64"]
    arrow = table.to_arrow()
    assert arrow.to_pylist() == rows
    assert [str(kind) for kind in arrow.schema.types] == ["int64", "uint64", "null", "bool", "double"]


def test_an_empty_table_is_a_table() -> None:
    table = rooflight.Table("rows", [])
    assert (len(table), table.to_dicts(), len(table.to_pandas()), table.to_arrow().num_rows) == (0, [], 0, 0)


def test_the_stream_is_taken_without_pandas_or_a_copy_of_rows(session: rooflight.Session) -> None:
    result = session.gaps()
    reader = pyarrow.RecordBatchReader.from_stream(result)
    assert reader.read_all().equals(result.to_arrow())
    assert pyarrow.table(result).equals(result.to_arrow())
    # Libraries take the fields of a mapping for columns.
    assert not isinstance(result, Mapping)
    # A capsule that nobody takes is released.
    for _ in range(100):
        result.__arrow_c_stream__()


def test_both_sides_of_a_comparison_are_columns(session: rooflight.Session) -> None:
    result = session.compare(GPU)
    frame = result.to_pandas()
    assert {"a_self_ps", "b_self_ps", "delta_ps"} <= set(frame.columns)
    rows = result.to_dicts()
    for side in ("a", "b"):
        expected = [(row[side] or {}).get("self_ps") for row in rows]
        assert [None if value is pandas.NA else value for value in frame[f"{side}_self_ps"].tolist()] == expected


def test_an_unknown_table_is_named(session: rooflight.Session) -> None:
    with pytest.raises(KeyError, match="Tables: gaps, classes, notes"):
        session.gaps().to_dicts("none")


def test_a_view_without_data_says_why() -> None:
    overview = rooflight.open(PROGRAM).overview()
    assert overview["status"] == "absent" and overview["verdict"] is None and "findings" not in overview
    assert overview.get("findings") is None and overview.get("findings", "none") == "none"
    with pytest.raises(KeyError, match="findings: the view overview is absent. Only compiled programs are open"):
        overview["findings"]
    with pytest.raises(KeyError, match="^'verdicts'$"):
        rooflight.open(SAMPLE).overview()["verdicts"]


@pytest.mark.parametrize(("module", "method"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_missing_library_is_named(
    session: rooflight.Session, monkeypatch: pytest.MonkeyPatch, module: str, method: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"pip install {module}"):
        getattr(session.gaps(), method)()
