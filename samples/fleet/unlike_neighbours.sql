-- Captures that are unlike their neighbours: a part of the ledger that is more than 2 % of a step away from its median over the
-- ten captures before and after, which run the same program.
WITH neighbours AS (
    SELECT *, part_ps / period_ps AS share, percentile(part_ps / period_ps, 0.5) OVER (
        PARTITION BY program, owner ORDER BY captured_at ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING) AS usual
    FROM ledgers
    WHERE status = 'ok' AND period_ps > 0
)
SELECT capture_id, file, owner, round(share * 100, 2) AS pct_of_step, round(usual * 100, 2) AS usual_pct
FROM neighbours
WHERE abs(share - usual) > 0.02
ORDER BY abs(share - usual) DESC, capture_id, owner
