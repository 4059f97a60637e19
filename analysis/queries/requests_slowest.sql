-- The requests that took longest from arrival to last token, and where the time went.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
-- :limit = 20 | How many.
SELECT request, replica, prompt_tokens, output_tokens, cached_tokens, preemptions,
  round(arrival_s, 3) AS arrival_s, round(queue_s, 4) AS queue_s, round(ttft_s, 4) AS ttft_s,
  round(tpot_s, 6) AS tpot_s, round(e2e_s, 4) AS e2e_s
FROM request_latency WHERE run = :run AND status = 'completed'
ORDER BY e2e_s DESC, request LIMIT :limit
