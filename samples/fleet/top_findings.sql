-- Findings by recoverable device-hours a day: recoverable time * steps a day * devices. Steps a day come from the key
-- steps_per_day, and are 86,400 s / step time without it.
WITH findings_of_runs AS (
    SELECT f.id, f.title, c.`commit`,
        f.recoverable_ps / 1e12 / 3600 * c.n_devices
            * coalesce(CAST(c.keys['steps_per_day'] AS DOUBLE), 86400 * 1e12 / c.period_ps) AS device_hours
    FROM findings f JOIN captures c ON f.capture_id = c.capture_id
    WHERE f.`group` = 'time' AND c.period_ps > 0
)
SELECT id, min(title) AS title, count(*) AS n_captures, round(sum(device_hours) / (SELECT count(*) FROM captures WHERE status = 'ok'), 4)
    AS device_hours_a_day
FROM findings_of_runs
GROUP BY id
ORDER BY device_hours_a_day DESC, id
LIMIT 20
