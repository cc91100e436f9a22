-- Ops whose efficiency fell between two versions of libtpu: roofline time / self time, of ops with the same scope, signature
-- and rank. Change the versions in the first lines.
WITH versions AS (
    SELECT '0.0.51' AS old, '0.0.52' AS new
), ops_of_versions AS (
    SELECT o.scope_hash, o.signature_hash, o.rank, min(o.op) AS op, min(o.scope) AS scope, c.libtpu,
        sum(o.t_roofline_ps) / sum(o.rooflined_dur_ps) AS efficiency, avg(o.self_ps) AS self_ps
    FROM ops o JOIN captures c ON o.capture_id = c.capture_id
    WHERE o.rooflined_dur_ps > 0 AND o.kind = 'compute'
    GROUP BY o.scope_hash, o.signature_hash, o.rank, c.libtpu
)
SELECT a.op, a.scope, round(a.efficiency, 4) AS old_efficiency, round(b.efficiency, 4) AS new_efficiency,
    round((b.self_ps - a.self_ps) / 1e6, 3) AS more_us_a_step
FROM versions v
    JOIN ops_of_versions a ON a.libtpu = v.old
    JOIN ops_of_versions b ON b.libtpu = v.new
        AND a.signature_hash = b.signature_hash AND a.rank = b.rank AND a.scope_hash = b.scope_hash
WHERE b.efficiency < a.efficiency * 0.95
ORDER BY more_us_a_step DESC, a.op
