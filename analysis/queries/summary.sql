-- One row a serving run: device, policy and the main metrics side by side (more of them are in the
-- view serving_summary).
-- :limit = 50 | How many runs, the last ones first.
SELECT substr(s.run, 1, 8) AS run, s.name AS name, model, device,
  replicas * coalesce(tensor, 1) * coalesce(pipeline, 1) AS devices, scheduler,
  CAST(completed AS INTEGER) AS requests, round(ttft_p50_s, 4) AS ttft_p50_s,
  round(ttft_p99_s, 4) AS ttft_p99_s, round(tpot_p50_s, 5) AS tpot_p50_s,
  round(tpot_p99_s, 5) AS tpot_p99_s, round(output_tokens_per_s, 1) AS output_tokens_per_s,
  round(slo_attainment, 4) AS slo_attainment, round(usd_per_million_output_tokens, 3) AS usd_per_mtok
FROM serving_summary s JOIN run ON run.id = s.run ORDER BY run.key DESC LIMIT :limit
