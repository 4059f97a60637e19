-- Load and latency over simulated time, in buckets by arrival.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
-- :bucket_s = 60 | Length of a bucket in seconds.
SELECT CAST(arrival_s / :bucket_s AS INTEGER) * :bucket_s AS from_s, count(*) AS requests,
  sum(status <> 'completed') AS not_completed,
  sum(prompt_tokens) AS prompt_tokens, sum(output_tokens) AS output_tokens,
  round(avg(queue_s), 6) AS queue_mean_s,
  round(quantile(ttft_s, 0.5), 6) AS ttft_p50_s, round(quantile(ttft_s, 0.99), 6) AS ttft_p99_s,
  round(quantile(tpot_s, 0.5), 6) AS tpot_p50_s, round(quantile(e2e_s, 0.99), 6) AS e2e_p99_s
FROM request_latency WHERE run = :run AND arrival_s IS NOT NULL AND :bucket_s > 0
GROUP BY CAST(arrival_s / :bucket_s AS INTEGER) ORDER BY from_s
