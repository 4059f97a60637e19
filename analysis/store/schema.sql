-- Schema version 2. Times are whole nanoseconds of simulated time (columns `..._ns`), NULL where
-- the event never came; durations and metrics in seconds end in `_s`. Views (views.sql) give seconds.
CREATE TABLE run (
  key INTEGER PRIMARY KEY,          -- grows with every stored run; the last run has the greatest
  id TEXT NOT NULL UNIQUE,          -- UUID of (resolved scenario, seed, version)
  kind TEXT NOT NULL,               -- serving
  name TEXT NOT NULL,
  scenario_path TEXT NOT NULL,      -- as given on the command line
  scenario TEXT NOT NULL,           -- resolved scenario, every default filled in
  parameters TEXT NOT NULL,         -- the same as JSON
  seed INTEGER NOT NULL,            -- seeds from 2^63 on wrap to negative numbers
  version TEXT NOT NULL,            -- of Orrery
  status TEXT NOT NULL CHECK (status IN ('complete', 'cancelled')),
  stored_at TEXT NOT NULL,          -- UTC, 2026-01-31T12:00:00Z
  wall_s REAL                       -- wall time of the simulation
) STRICT;

CREATE TABLE parameter (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  path TEXT NOT NULL,               -- serving.scheduler.policy
  value ANY,                        -- number in the field's base unit, or text
  PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX parameter_by_path ON parameter(path, value);

CREATE TABLE metric (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL,                       -- NULL: not a finite number
  unit TEXT NOT NULL,
  position INTEGER NOT NULL,        -- order of reporting
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX metric_by_name ON metric(name, value);

CREATE TABLE note (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE request (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  id INTEGER NOT NULL,              -- 0-based position in the workload
  status TEXT NOT NULL,             -- completed, rejected, failed
  replica INTEGER,                  -- NULL: never routed
  prompt_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,   -- prompt tokens found in the prefix cache
  preemptions INTEGER NOT NULL,
  arrival_ns INTEGER,
  scheduled_ns INTEGER,             -- start of the first iteration that computes for it
  first_token_ns INTEGER,
  finished_ns INTEGER,
  PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE iteration (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  replica INTEGER NOT NULL,
  number INTEGER NOT NULL,          -- 0-based within the replica
  start_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  prefill_tokens INTEGER NOT NULL,
  decode_tokens INTEGER NOT NULL,
  running INTEGER NOT NULL,         -- requests in the batch's replica that hold KV blocks
  waiting INTEGER NOT NULL,
  kv_blocks_used INTEGER NOT NULL,
  PRIMARY KEY (run, replica, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluation (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  step INTEGER NOT NULL,            -- optimizer steps done
  time_ns INTEGER NOT NULL,
  tokens INTEGER NOT NULL,          -- training tokens seen
  loss REAL,
  perplexity REAL,
  PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE strategy_switch (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  step INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  from_strategy TEXT NOT NULL,
  to_strategy TEXT NOT NULL,
  overhead_ns INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE failure (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  component TEXT NOT NULL,          -- node-3, link-0-1
  kind TEXT NOT NULL,
  down_ns INTEGER NOT NULL,         -- until it was back
  lost_ns INTEGER NOT NULL,         -- work to be done again
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE comparison (
  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
  name TEXT NOT NULL,               -- metric
  source TEXT NOT NULL,             -- what measured it
  predicted REAL,
  measured REAL,
  unit TEXT NOT NULL,
  tolerance REAL,                   -- relative, as stated by the suite; NULL: none stated
  PRIMARY KEY (run, name, source)
) STRICT, WITHOUT ROWID;
