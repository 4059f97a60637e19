-- Two runs side by side: the fields in which they differ, then every metric with its change.
-- :run = last | The newer run.
-- :run_before = previous | The run that it is compared with.
WITH
  a AS (SELECT key FROM run WHERE id = :run_before),
  b AS (SELECT key FROM run WHERE id = :run),
  names AS (
    SELECT path AS name FROM parameter WHERE run IN (SELECT key FROM a UNION SELECT key FROM b)
    GROUP BY path),
  fields AS (
    SELECT name,
      (SELECT value FROM parameter WHERE run = (SELECT key FROM a) AND path = name) AS before,
      (SELECT value FROM parameter WHERE run = (SELECT key FROM b) AND path = name) AS after
    FROM names),
  metrics AS (
    SELECT name, min(position) AS position,
      max(CASE WHEN run = (SELECT key FROM a) THEN value END) AS before,
      max(CASE WHEN run = (SELECT key FROM b) THEN value END) AS after, max(unit) AS unit
    FROM metric WHERE run IN (SELECT key FROM a UNION SELECT key FROM b) GROUP BY name)
SELECT kind, name, before, after, change_percent, unit FROM (
  SELECT 'field' AS kind, name, before, after, NULL AS change_percent, NULL AS unit, -1 AS position
  FROM fields WHERE before IS NOT after
  UNION ALL
  SELECT 'metric', name, before, after,
    CASE WHEN before <> 0 THEN round(100.0 * (after - before) / abs(before), 2) + 0.0 END, unit, position
  FROM metrics)
ORDER BY position, name
