-- Time to first token by prompt length, in classes that double: how much is queueing, how much
-- work.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
WITH sized AS (
  SELECT *, CASE WHEN prompt_tokens <= 1 THEN 0
    ELSE CAST(ceil(log2(prompt_tokens)) AS INTEGER) END AS class
  FROM request_latency WHERE run = :run AND ttft_s IS NOT NULL)
SELECT 1 << class AS prompt_tokens_up_to, count(*) AS requests,
  round(avg(cached_tokens), 1) AS cached_tokens_mean,
  round(avg(queue_s), 6) AS queue_mean_s, round(avg(ttft_s), 6) AS ttft_mean_s,
  round(quantile(ttft_s, 0.5), 6) AS ttft_p50_s, round(quantile(ttft_s, 0.99), 6) AS ttft_p99_s
FROM sized GROUP BY class ORDER BY class
