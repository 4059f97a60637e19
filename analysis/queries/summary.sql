-- One row a serving run: model, device, policy and the main metrics side by side.
-- :limit = 50 | How many runs, the last ones first.
SELECT s.* FROM serving_summary s JOIN run ON run.id = s.run ORDER BY run.key DESC LIMIT :limit
