-- Share of all requests that meet the latency objectives, and that would if they were tighter or
-- looser by a factor. An objective that is neither given nor in the scenario does not count.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
-- :ttft = | Time to first token in seconds, instead of the scenario's.
-- :tpot = | Time per output token in seconds, instead of the scenario's.
-- :e2e = | Time from arrival to last token in seconds, instead of the scenario's.
WITH
  field AS (SELECT path, value FROM run_parameter WHERE run = :run),
  slo AS MATERIALIZED (
    SELECT
      coalesce(:ttft, (SELECT value FROM field WHERE path = 'serving.slo.ttft')) AS ttft,
      coalesce(:tpot, (SELECT value FROM field WHERE path = 'serving.slo.tpot')) AS tpot,
      coalesce(:e2e, (SELECT value FROM field WHERE path = 'serving.slo.e2e')) AS e2e),
  ladder(factor) AS (VALUES (0.25), (0.5), (0.75), (1.0), (1.5), (2.0), (4.0)),
  -- What each request needs of each objective: its latency over the objective. A request of one
  -- token has no time per output token and meets that objective; an unfinished one meets none.
  needed AS (
    SELECT
      CASE WHEN status <> 'completed' THEN 9e99 ELSE coalesce(ttft_s / slo.ttft, 0) END AS ttft,
      CASE WHEN status <> 'completed' THEN 9e99 ELSE coalesce(tpot_s / slo.tpot, 0) END AS tpot,
      CASE WHEN status <> 'completed' THEN 9e99 ELSE coalesce(e2e_s / slo.e2e, 0) END AS e2e
    FROM request_latency, slo WHERE run = :run),
  -- The first rung of the ladder that suffices, so that few groups are left.
  rung AS MATERIALIZED (
    SELECT
      CASE WHEN ttft <= 0.25 THEN 0.25 WHEN ttft <= 0.5 THEN 0.5 WHEN ttft <= 0.75 THEN 0.75
        WHEN ttft <= 1 THEN 1.0 WHEN ttft <= 1.5 THEN 1.5 WHEN ttft <= 2 THEN 2.0
        WHEN ttft <= 4 THEN 4.0 ELSE 9e99 END AS ttft,
      CASE WHEN tpot <= 0.25 THEN 0.25 WHEN tpot <= 0.5 THEN 0.5 WHEN tpot <= 0.75 THEN 0.75
        WHEN tpot <= 1 THEN 1.0 WHEN tpot <= 1.5 THEN 1.5 WHEN tpot <= 2 THEN 2.0
        WHEN tpot <= 4 THEN 4.0 ELSE 9e99 END AS tpot,
      CASE WHEN e2e <= 0.25 THEN 0.25 WHEN e2e <= 0.5 THEN 0.5 WHEN e2e <= 0.75 THEN 0.75
        WHEN e2e <= 1 THEN 1.0 WHEN e2e <= 1.5 THEN 1.5 WHEN e2e <= 2 THEN 2.0
        WHEN e2e <= 4 THEN 4.0 ELSE 9e99 END AS e2e,
      count(*) AS requests
    FROM needed GROUP BY 1, 2, 3)
SELECT factor, slo.ttft * factor AS ttft_s, slo.tpot * factor AS tpot_s, slo.e2e * factor AS e2e_s,
  CASE WHEN slo.ttft IS NOT NULL
    THEN round(1.0 * sum(requests * (rung.ttft <= factor)) / sum(requests), 4) END AS ttft_met,
  CASE WHEN slo.tpot IS NOT NULL
    THEN round(1.0 * sum(requests * (rung.tpot <= factor)) / sum(requests), 4) END AS tpot_met,
  CASE WHEN slo.e2e IS NOT NULL
    THEN round(1.0 * sum(requests * (rung.e2e <= factor)) / sum(requests), 4) END AS e2e_met,
  round(1.0 * sum(requests * (max(rung.ttft, rung.tpot, rung.e2e) <= factor)) / sum(requests), 4)
    AS all_met
FROM ladder, rung, slo GROUP BY factor ORDER BY factor
