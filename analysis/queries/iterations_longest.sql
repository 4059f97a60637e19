-- The iterations that took longest (for runs that kept them: --set outputs.iterations=true).
-- :run = last | Run: last, previous, a name, or the beginning of an id.
-- :limit = 20 | How many.
SELECT replica, number, round(start_s, 6) AS start_s, round(duration_s, 6) AS duration_s,
  prefill_tokens, decode_tokens, running, waiting, kv_blocks_used
FROM iteration_time WHERE run = :run
ORDER BY duration_s DESC, replica, number LIMIT :limit
