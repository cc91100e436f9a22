"""Runs queries on tables with Spark: query_spark.py TABLES QUERY.sql…"""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

LEDGERS = """
    SELECT capture_id, status, captured_at, period_ps, files[0] AS file, programs[0].name AS program, owner, part_ps
    FROM captures LATERAL VIEW explode(ledger) AS owner, part_ps"""


def session(tables):
    """Returns a session of Spark with the tables as views."""
    spark = SparkSession.builder.config("spark.sql.ansi.enabled", "false").getOrCreate()
    for folder in Path(tables).glob("table=*"):
        spark.read.parquet(str(folder)).createOrReplaceTempView(folder.name.split("=")[1])
    spark.sql(LEDGERS).createOrReplaceTempView("ledgers")
    return spark


if __name__ == "__main__":
    spark = session(sys.argv[1])
    for path in sys.argv[2:]:
        spark.sql(Path(path).read_text()).show(50, truncate=False)
