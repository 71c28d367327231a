-- What a team needs: how a share came to be submitted, so that it can be given back; archived
-- projects; pairs of events to judge; links for readers; uploads that wait for their mapping.

ALTER TABLE submissions ADD COLUMN how TEXT NOT NULL DEFAULT '';
UPDATE submissions SET how = CASE
    WHEN ordering = 'imported' THEN 'imported'
    WHEN EXISTS (SELECT 1 FROM audit a, json_each(a.detail, '$.submitted') one
      WHERE a.action = 'evaluator removed' AND one.value = submissions.batch
      AND json_extract(a.detail, '$.person') = submissions.person) THEN 'removed'
    WHEN EXISTS (SELECT 1 FROM audit a WHERE a.action = 'submitted'
      AND a.person <> submissions.person
      AND json_extract(a.detail, '$.batch') = submissions.batch
      AND json_extract(a.detail, '$.person') = submissions.person) THEN 'owner'
    ELSE 'self' END
  WHERE at <> '';
ALTER TABLE projects ADD COLUMN archived TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN task TEXT NOT NULL DEFAULT 'events';
ALTER TABLE projects ADD COLUMN show_votes INTEGER NOT NULL DEFAULT 1;
ALTER TABLE results ADD COLUMN purged TEXT NOT NULL DEFAULT '';
CREATE TABLE pairs (
  event INTEGER PRIMARY KEY REFERENCES events(number),
  gold TEXT NOT NULL,
  predicted TEXT NOT NULL,
  topic TEXT NOT NULL,
  stratum TEXT NOT NULL,
  chance REAL NOT NULL,
  gold_first INTEGER NOT NULL
) STRICT;
CREATE TABLE reader_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('result', 'leaderboard')),
  target TEXT NOT NULL,
  made TEXT NOT NULL,
  ended TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE uploads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  import TEXT NOT NULL,
  field TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  content BLOB NOT NULL,
  made TEXT NOT NULL
) STRICT;
CREATE INDEX uploads_of_import ON uploads(import);
