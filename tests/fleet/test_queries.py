"""The queries of samples/fleet find the faults of the captures, and DuckDB and Spark agree."""

import math
import subprocess
from pathlib import Path

import pytest
from query_duckdb import query

SAMPLES = Path(__file__).parents[2] / "samples/fleet"
QUERIES = sorted(path for path in SAMPLES.glob("*.sql") if not path.name.startswith("views_"))


def rows(tables, name):
    names, found = query(tables, SAMPLES / f"{name}.sql")
    return [dict(zip(names, row)) for row in found]


def test_all_captures_are_there(tables):
    count = tables / "count.sql"
    count.write_text("SELECT count(*), count(DISTINCT capture_id), count(DISTINCT date), min(status), max(status) FROM captures")
    assert query(tables, count)[1] == [(1000, 1000, 42, "ok", "ok")]


def test_the_slow_commit_is_found(tables, expected):
    found = rows(tables, "step_time_by_commit")
    assert expected["slow_commit"] in [row["commit"] for row in found]
    slow = next(row for row in found if row["commit"] == expected["slow_commit"])
    # 60 us of a step of 1,600 us.
    assert 3 < slow["change_pct"] < 4.5
    assert len(found) <= 3


def test_the_op_that_a_version_slows_is_found(tables, expected):
    found = rows(tables, "libtpu_efficiency")
    # The matmul of the slow commit is slower in most runs with the new version.
    assert {row["op"] for row in found} == {expected["op"], "fusion.3"}
    slower = next(row for row in found if row["op"] == expected["op"])
    assert math.isclose(slower["more_us_a_step"], 12, abs_tol=0.2)


def test_the_capture_that_is_unlike_its_neighbours_is_found(tables, expected):
    found = rows(tables, "unlike_neighbours")
    assert found and {Path(row["file"]).name for row in found} == {expected["odd_file"]}


def test_findings_are_ranked(tables):
    found = rows(tables, "top_findings")
    hours = [row["device_hours_a_day"] for row in found]
    assert len(found) > 2 and hours == sorted(hours, reverse=True)
    # Four devices for a day are 96 device-hours.
    assert 0 < sum(hours) < 96


def test_exposed_communication_by_mesh(tables):
    found = {row["primitive"]: row for row in rows(tables, "exposed_by_mesh")}
    assert set(found) == {"all-reduce", "all-gather"}
    # 180 us of a step each.
    assert all(10 < row["exposed_pct_of_step"] < 12.5 and row["n_captures"] == 1000 for row in found.values())


def test_merged_days_give_the_same_answers(tables, compacted):
    assert len(list(compacted.rglob("*.parquet"))) == 42 * 6
    for path in QUERIES:
        assert query(compacted, path) == query(tables, path), path.name


def test_spark_gives_the_same_answers(tables, compacted, java):
    from query_spark import session

    spark = session(compacted)
    for path in QUERIES:
        of_spark = [tuple(row) for row in spark.sql(path.read_text()).collect()]
        of_duckdb = query(tables, path)[1]
        assert len(of_spark) == len(of_duckdb) and of_spark, path.name
        for a, b in zip(of_spark, of_duckdb):
            assert all(x == y or math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-3) for x, y in zip(a, b)), (path.name, a, b)
    spark.stop()


@pytest.mark.parametrize("program", ["query_duckdb.py", "query_spark.py"])
def test_programs_print_an_answer(program, compacted, java):
    import sys

    out = subprocess.run(
        [sys.executable, SAMPLES / program, compacted, SAMPLES / "exposed_by_mesh.sql"], capture_output=True, text=True, check=True
    )
    assert "all-reduce" in out.stdout
