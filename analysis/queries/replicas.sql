-- What each replica served: whether the router balanced them.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
SELECT replica, count(*) AS requests, sum(status <> 'completed') AS not_completed,
  sum(prompt_tokens) AS prompt_tokens, sum(output_tokens) AS output_tokens,
  sum(cached_tokens) AS cached_tokens, sum(preemptions) AS preemptions,
  round(avg(queue_s), 6) AS queue_mean_s, round(quantile(ttft_s, 0.99), 6) AS ttft_p99_s,
  round(quantile(e2e_s, 0.99), 6) AS e2e_p99_s
FROM request_latency WHERE run = :run GROUP BY replica ORDER BY replica
