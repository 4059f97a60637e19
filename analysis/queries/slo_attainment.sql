-- Share of all requests that meet the latency objectives, and that would if they were tighter or
-- looser by a factor. An objective that is neither given nor in the scenario does not count.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
-- :ttft = | Time to first token in seconds, instead of the scenario's.
-- :tpot = | Time per output token in seconds, instead of the scenario's.
-- :e2e = | Time from arrival to last token in seconds, instead of the scenario's.
WITH
  field AS (SELECT path, value FROM run_parameter WHERE run = :run),
  slo AS (
    SELECT
      coalesce(:ttft, (SELECT value FROM field WHERE path = 'serving.slo.ttft')) AS ttft,
      coalesce(:tpot, (SELECT value FROM field WHERE path = 'serving.slo.tpot')) AS tpot,
      coalesce(:e2e, (SELECT value FROM field WHERE path = 'serving.slo.e2e')) AS e2e),
  ladder(factor) AS (VALUES (0.25), (0.5), (0.75), (1.0), (1.5), (2.0), (4.0)),
  judged AS (
    SELECT factor, slo.ttft * factor AS ttft, slo.tpot * factor AS tpot, slo.e2e * factor AS e2e,
      r.status = 'completed' AND (slo.ttft IS NULL OR r.ttft_s <= slo.ttft * factor) AS met_ttft,
      -- A request of one token has no time per output token and meets that objective.
      r.status = 'completed' AND (slo.tpot IS NULL OR coalesce(r.tpot_s, 0) <= slo.tpot * factor)
        AS met_tpot,
      r.status = 'completed' AND (slo.e2e IS NULL OR r.e2e_s <= slo.e2e * factor) AS met_e2e
    FROM request_latency r, slo, ladder WHERE r.run = :run)
SELECT factor, ttft AS ttft_s, tpot AS tpot_s, e2e AS e2e_s,
  round(CASE WHEN ttft IS NOT NULL THEN avg(met_ttft) END, 4) AS ttft_met,
  round(CASE WHEN tpot IS NOT NULL THEN avg(met_tpot) END, 4) AS tpot_met,
  round(CASE WHEN e2e IS NOT NULL THEN avg(met_e2e) END, 4) AS e2e_met,
  round(avg(met_ttft AND met_tpot AND met_e2e), 4) AS all_met
FROM judged GROUP BY factor ORDER BY factor
