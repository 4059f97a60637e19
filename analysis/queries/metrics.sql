-- Every metric of a run, in the order of docs/metrics.md.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
SELECT metric.name AS metric, value, unit
FROM metric JOIN run ON run.key = metric.run WHERE run.id = :run ORDER BY position
