-- Step time by commit, and the commits at which it changed for good: the means of the three commits before and from the
-- commit on differ by more than the fence, Q3 + 3 * IQR of the differences between neighbours.
WITH commits AS (
    SELECT `commit`, min(captured_at) AS first_run, count(*) AS n_runs, percentile(step_median_ps, 0.5) AS step_ps
    FROM captures
    WHERE status = 'ok' AND `commit` IS NOT NULL AND step_median_ps IS NOT NULL
    GROUP BY `commit`
), neighbours AS (
    SELECT *,
        abs(step_ps - lag(step_ps) OVER (ORDER BY first_run)) AS difference_ps,
        avg(step_ps) OVER (ORDER BY first_run ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS before_ps,
        avg(step_ps) OVER (ORDER BY first_run ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) AS after_ps,
        count(*) OVER (ORDER BY first_run ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) AS n_after
    FROM commits
), fence AS (
    SELECT percentile(difference_ps, 0.75) + 3 * (percentile(difference_ps, 0.75) - percentile(difference_ps, 0.25)) AS fence_ps
    FROM neighbours
), jumps AS (
    SELECT `commit`, first_run, n_runs, step_ps, before_ps, after_ps, fence_ps, abs(after_ps - before_ps) AS jump_ps
    FROM neighbours CROSS JOIN fence
    WHERE n_after = 3 AND abs(after_ps - before_ps) > fence_ps
), ranked AS (
    -- Windows that overlap a change see a part of it: the largest jump of neighbours stands for all.
    SELECT *, max(jump_ps) OVER (ORDER BY first_run ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS largest_ps FROM jumps
)
SELECT `commit`, n_runs, round(step_ps / 1e9, 6) AS step_ms, round((after_ps - before_ps) / before_ps * 100, 3) AS change_pct,
    round(fence_ps / 1e9, 6) AS fence_ms
FROM ranked
WHERE jump_ps = largest_ps
ORDER BY first_run
