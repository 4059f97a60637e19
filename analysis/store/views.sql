-- Views over the tables, dropped and made again whenever the schema's version changes. Seconds and
-- run identifiers instead of nanoseconds and keys, so that a query needs no join.

-- One row a serving run: what was run, and its main metrics as columns.
CREATE VIEW serving_summary AS
SELECT
  run.id AS run, run.name AS name, run.status AS status, run.seed AS seed,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'model.name') AS model,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'cluster.device') AS device,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'serving.replicas') AS replicas,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'serving.parallel.tensor') AS tensor,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'serving.parallel.pipeline')
    AS pipeline,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'serving.scheduler.policy')
    AS scheduler,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'serving.router.policy') AS router,
  max(CASE metric.name WHEN 'requests.completed' THEN metric.value END) AS completed,
  max(CASE metric.name WHEN 'requests.rejected' THEN metric.value END) AS rejected,
  max(CASE metric.name WHEN 'requests.failed' THEN metric.value END) AS failed,
  max(CASE metric.name WHEN 'duration_s' THEN metric.value END) AS duration_s,
  max(CASE metric.name WHEN 'ttft_s.mean' THEN metric.value END) AS ttft_mean_s,
  max(CASE metric.name WHEN 'ttft_s.p50' THEN metric.value END) AS ttft_p50_s,
  max(CASE metric.name WHEN 'ttft_s.p99' THEN metric.value END) AS ttft_p99_s,
  max(CASE metric.name WHEN 'tpot_s.mean' THEN metric.value END) AS tpot_mean_s,
  max(CASE metric.name WHEN 'tpot_s.p50' THEN metric.value END) AS tpot_p50_s,
  max(CASE metric.name WHEN 'tpot_s.p99' THEN metric.value END) AS tpot_p99_s,
  max(CASE metric.name WHEN 'e2e_s.p50' THEN metric.value END) AS e2e_p50_s,
  max(CASE metric.name WHEN 'e2e_s.p99' THEN metric.value END) AS e2e_p99_s,
  max(CASE metric.name WHEN 'throughput.requests_per_s' THEN metric.value END) AS requests_per_s,
  max(CASE metric.name WHEN 'throughput.output_tokens_per_s' THEN metric.value END)
    AS output_tokens_per_s,
  max(CASE metric.name WHEN 'goodput.requests_per_s' THEN metric.value END)
    AS goodput_requests_per_s,
  max(CASE metric.name WHEN 'slo.attainment' THEN metric.value END) AS slo_attainment,
  max(CASE metric.name WHEN 'prefix.hit_rate' THEN metric.value END) AS prefix_hit_rate,
  max(CASE metric.name WHEN 'kv.utilization.mean' THEN metric.value END) AS kv_utilization,
  max(CASE metric.name WHEN 'gpu.busy' THEN metric.value END) AS gpu_busy,
  max(CASE metric.name WHEN 'gpu.mfu' THEN metric.value END) AS gpu_mfu,
  max(CASE metric.name WHEN 'cost.usd_per_million_output_tokens' THEN metric.value END)
    AS usd_per_million_output_tokens,
  max(CASE metric.name WHEN 'energy.joules_per_output_token' THEN metric.value END)
    AS joules_per_output_token
FROM run LEFT JOIN metric ON metric.run = run.key
WHERE run.kind IN ('serving', 'dlm')
GROUP BY run.key;

-- One row a training run: what was run, and its main metrics as columns.
CREATE VIEW training_summary AS
SELECT
  run.id AS run, run.name AS name, run.status AS status, run.seed AS seed,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'model.name') AS model,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'cluster.device') AS device,
  (SELECT value FROM parameter WHERE run = run.key AND path = 'cluster.count') AS devices,
  max(CASE metric.name WHEN 'iteration_s.mean' THEN metric.value END) AS iteration_mean_s,
  max(CASE metric.name WHEN 'mfu' THEN metric.value END) AS mfu,
  max(CASE metric.name WHEN 'tokens_per_s' THEN metric.value END) AS tokens_per_s,
  max(CASE metric.name WHEN 'bubble' THEN metric.value END) AS bubble,
  max(CASE metric.name WHEN 'comm.exposed' THEN metric.value END) AS comm_exposed,
  max(CASE metric.name WHEN 'memory.per_gpu_bytes.max' THEN metric.value END)
    AS memory_per_gpu_bytes,
  max(CASE metric.name WHEN 'perplexity.final' THEN metric.value END) AS perplexity_final,
  max(CASE metric.name WHEN 'ttp_s' THEN metric.value END) AS ttp_s,
  max(CASE metric.name WHEN 'switches' THEN metric.value END) AS switches,
  max(CASE metric.name WHEN 'goodput' THEN metric.value END) AS goodput
FROM run LEFT JOIN metric ON metric.run = run.key
WHERE run.kind = 'training'
GROUP BY run.key;

-- One row a request, latencies in seconds; NULL where the request never came that far.
CREATE VIEW request_latency AS
SELECT
  run.id AS run, request.id AS request, request.status AS status, replica, prompt_tokens,
  output_tokens, cached_tokens, preemptions,
  arrival_ns * 1e-9 AS arrival_s,
  (scheduled_ns - arrival_ns) * 1e-9 AS queue_s,
  (first_token_ns - arrival_ns) * 1e-9 AS ttft_s,
  CASE WHEN output_tokens > 1
    THEN (finished_ns - first_token_ns) * 1e-9 / (output_tokens - 1) END AS tpot_s,
  (finished_ns - arrival_ns) * 1e-9 AS e2e_s
FROM request JOIN run ON run.key = request.run;

-- One row an iteration, in seconds (only for runs that kept them: outputs.iterations).
CREATE VIEW iteration_time AS
SELECT
  run.id AS run, replica, number, start_ns * 1e-9 AS start_s, duration_ns * 1e-9 AS duration_s,
  prefill_tokens, decode_tokens, running, waiting, kv_blocks_used
FROM iteration JOIN run ON run.key = iteration.run;

-- One row a metric of a run, and one row a parameter of a run.
CREATE VIEW run_metric AS
SELECT run.id AS run, run.name AS run_name, metric.name AS metric, value, unit
FROM metric JOIN run ON run.key = metric.run;
CREATE VIEW run_parameter AS
SELECT run.id AS run, run.name AS run_name, path, value
FROM parameter JOIN run ON run.key = parameter.run;

-- How far predictions were from what was measured.
CREATE VIEW prediction_error AS
SELECT
  run.id AS run, run.name AS run_name, comparison.name AS metric, source, predicted, measured, unit,
  predicted / measured - 1 AS relative_error, tolerance,
  abs(predicted / measured - 1) <= tolerance AS within_tolerance
FROM comparison JOIN run ON run.key = comparison.run;
