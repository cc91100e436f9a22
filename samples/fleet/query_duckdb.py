"""Runs a query on tables with DuckDB: query_duckdb.py TABLES QUERY.sql"""

import os
import sys
from pathlib import Path

import duckdb


def query(tables, sql):
    """Returns the names of the columns and the rows of a query."""
    views = Path(__file__).with_name("views_duckdb.sql").read_text()
    sql, folder = Path(sql).read_text(), os.getcwd()
    os.chdir(tables)
    try:
        result = duckdb.connect().execute(views).execute(sql)
        return [column[0] for column in result.description], result.fetchall()
    finally:
        os.chdir(folder)


if __name__ == "__main__":
    names, rows = query(*sys.argv[1:])
    for row in [names, *rows]:
        print(*row, sep="\t")
