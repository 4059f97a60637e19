-- Version 1 to 2: rows of training runs, and comparisons of predictions with measurements.
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
