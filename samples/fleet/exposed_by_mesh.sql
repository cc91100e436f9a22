-- Exposed communication by primitive and by the axes of the mesh. Without names of axes, groups are told apart by their size
-- and their stride.
SELECT primitive, coalesce(axis, concat(group_size, ' devices, every ', group_stride)) AS mesh,
    count(DISTINCT c.capture_id) AS n_captures, round(sum(x.exposed_ps) / sum(c.period_ps) * 100, 4) AS exposed_pct_of_step,
    round(avg(x.bus_gbps), 3) AS mean_bus_gbps
FROM collectives x JOIN captures c ON x.capture_id = c.capture_id
WHERE c.period_ps > 0
GROUP BY primitive, coalesce(axis, concat(group_size, ' devices, every ', group_stride))
ORDER BY exposed_pct_of_step DESC, primitive
