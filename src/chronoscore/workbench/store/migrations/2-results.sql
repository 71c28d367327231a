-- Saved results. What was scored never changes; names and deletions are states, each of which can
-- be undone.

CREATE TABLE results (
  id TEXT PRIMARY KEY,
  family TEXT NOT NULL,
  protocol TEXT NOT NULL,
  systems TEXT NOT NULL,
  cases INTEGER NOT NULL,
  added TEXT NOT NULL
) STRICT;
CREATE TABLE result_parts (
  result TEXT NOT NULL REFERENCES results(id),
  kind TEXT NOT NULL CHECK (kind IN ('result', 'matches', 'texts')),
  digest TEXT NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (result, kind)
) STRICT;
CREATE TABLE result_states (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  result TEXT NOT NULL REFERENCES results(id),
  name TEXT NOT NULL,
  folder TEXT NOT NULL,
  gone INTEGER NOT NULL,
  person INTEGER REFERENCES people(id),
  at TEXT NOT NULL
) STRICT;
CREATE INDEX states_of_result ON result_states(result, number);
CREATE TRIGGER result_states_stays BEFORE UPDATE ON result_states
BEGIN SELECT RAISE(ABORT, 'result_states is append-only'); END;
CREATE TRIGGER result_states_is_kept BEFORE DELETE ON result_states
BEGIN SELECT RAISE(ABORT, 'result_states is append-only'); END;
