-- The tables as views of DuckDB, for a shell that runs in the folder of the tables. Spark has a function `percentile` of its own.
CREATE VIEW captures AS FROM read_parquet('table=captures/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW steps AS FROM read_parquet('table=steps/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW ops AS FROM read_parquet('table=ops/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW collectives AS FROM read_parquet('table=collectives/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW memory AS FROM read_parquet('table=memory/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW findings AS FROM read_parquet('table=findings/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW ledgers AS
    SELECT capture_id, status, captured_at, period_ps, files[1] AS file, programs[1].name AS program, entry.key AS owner,
        entry.value AS part_ps
    FROM (SELECT *, unnest(map_entries(ledger)) AS entry FROM captures);
CREATE MACRO percentile(x, p) AS quantile_cont(x, p);
