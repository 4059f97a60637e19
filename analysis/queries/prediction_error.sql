-- How far predictions were from what was measured, the worst first (for runs that were compared).
-- :limit = 50 | How many.
SELECT substr(run, 1, 8) AS run, run_name, metric, source, predicted, measured, unit,
  round(100 * relative_error, 2) AS error_percent, within_tolerance
FROM prediction_error ORDER BY abs(relative_error) DESC LIMIT :limit
