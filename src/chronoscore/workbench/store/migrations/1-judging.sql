-- People, projects and judgements. What was judged, agreed on or noted is never changed: every save
-- is a new row, and triggers refuse anything else, so that a mistake in a query can't lose an answer.

CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'evaluator')),
  kind TEXT NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'llm')),
  made TEXT NOT NULL
) STRICT;
CREATE TABLE links (
  digest TEXT PRIMARY KEY,
  person INTEGER NOT NULL REFERENCES people(id),
  made TEXT NOT NULL,
  ends TEXT NOT NULL,
  used TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE sessions (
  digest TEXT PRIMARY KEY,
  person INTEGER NOT NULL REFERENCES people(id),
  made TEXT NOT NULL,
  ends TEXT NOT NULL
) STRICT;
CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  codebook TEXT NOT NULL,
  show_score INTEGER NOT NULL DEFAULT 0,
  made TEXT NOT NULL
) STRICT;
CREATE TABLE articles (
  project INTEGER NOT NULL REFERENCES projects(id),
  id TEXT NOT NULL,
  published TEXT NOT NULL,
  title TEXT NOT NULL,
  topic TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (project, id)
) STRICT;
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES projects(id),
  system TEXT NOT NULL,
  id TEXT NOT NULL,
  article TEXT NOT NULL,
  record TEXT NOT NULL,
  UNIQUE (project, system, id)
) STRICT;
CREATE TABLE members (
  project INTEGER NOT NULL REFERENCES projects(id),
  person INTEGER NOT NULL REFERENCES people(id),
  PRIMARY KEY (project, person)
) STRICT;
CREATE TABLE batches (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES projects(id),
  kind TEXT NOT NULL CHECK (kind IN ('calibration', 'main', 'retest', 'imported')),
  name TEXT NOT NULL,
  round TEXT NOT NULL,
  overlap INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  made TEXT NOT NULL,
  adjudicated TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX batches_of_project ON batches(project);
CREATE TABLE tasks (
  batch INTEGER NOT NULL REFERENCES batches(id),
  person INTEGER NOT NULL REFERENCES people(id),
  place INTEGER NOT NULL,
  event INTEGER NOT NULL REFERENCES events(number),
  PRIMARY KEY (batch, person, place),
  UNIQUE (batch, person, event)
) STRICT;
CREATE INDEX tasks_of_event ON tasks(batch, event);
CREATE TABLE submissions (
  batch INTEGER NOT NULL REFERENCES batches(id),
  person INTEGER NOT NULL REFERENCES people(id),
  at TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (batch, person)
) STRICT;
CREATE TABLE judgements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  batch INTEGER NOT NULL REFERENCES batches(id),
  person INTEGER NOT NULL REFERENCES people(id),
  event INTEGER NOT NULL REFERENCES events(number),
  version INTEGER NOT NULL,
  said TEXT NOT NULL,
  complete INTEGER NOT NULL,
  comment TEXT NOT NULL,
  flag INTEGER NOT NULL,
  save TEXT NOT NULL,
  at TEXT NOT NULL,
  UNIQUE (batch, person, event, version),
  UNIQUE (batch, person, event, save)
) STRICT;
CREATE INDEX judgements_of_event ON judgements(batch, event);
CREATE TABLE agreed (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  batch INTEGER NOT NULL REFERENCES batches(id),
  event INTEGER NOT NULL REFERENCES events(number),
  version INTEGER NOT NULL,
  said TEXT NOT NULL,
  reasons TEXT NOT NULL,
  note TEXT NOT NULL,
  person INTEGER NOT NULL REFERENCES people(id),
  save TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL,
  UNIQUE (batch, event, version)
) STRICT;
CREATE TABLE judge_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects(id),
  judge TEXT NOT NULL,
  manifest TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  person INTEGER,
  project INTEGER,
  action TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_of_project ON audit(project, id);
CREATE TRIGGER judgements_stays BEFORE UPDATE ON judgements
BEGIN SELECT RAISE(ABORT, 'judgements is append-only'); END;
CREATE TRIGGER judgements_is_kept BEFORE DELETE ON judgements
BEGIN SELECT RAISE(ABORT, 'judgements is append-only'); END;
CREATE TRIGGER agreed_stays BEFORE UPDATE ON agreed
BEGIN SELECT RAISE(ABORT, 'agreed is append-only'); END;
CREATE TRIGGER agreed_is_kept BEFORE DELETE ON agreed
BEGIN SELECT RAISE(ABORT, 'agreed is append-only'); END;
CREATE TRIGGER judge_runs_stays BEFORE UPDATE ON judge_runs
BEGIN SELECT RAISE(ABORT, 'judge_runs is append-only'); END;
CREATE TRIGGER judge_runs_is_kept BEFORE DELETE ON judge_runs
BEGIN SELECT RAISE(ABORT, 'judge_runs is append-only'); END;
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
