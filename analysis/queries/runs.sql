-- All runs in the database, the last one first.
-- :limit = 50 | How many.
SELECT substr(run.id, 1, 8) AS run, run.name AS name, run.kind AS kind, run.status AS status,
  run.seed AS seed, run.stored_at AS stored_at,
  (SELECT CAST(value AS INTEGER) FROM metric WHERE run = run.key AND name = 'requests.completed')
    AS requests,
  round((SELECT value FROM metric WHERE run = run.key AND name = 'duration_s'), 3) AS simulated_s,
  round(run.wall_s, 3) AS wall_s, run.version AS version
FROM run ORDER BY run.key DESC LIMIT :limit
