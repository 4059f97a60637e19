-- Every field of a run's scenario with the value that was used, defaults included.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
-- :under = | Only fields whose path begins with this, e.g. serving.scheduler.
SELECT path, value FROM run_parameter
WHERE run = :run AND (:under IS NULL OR substr(path, 1, length(:under)) = :under) ORDER BY path
