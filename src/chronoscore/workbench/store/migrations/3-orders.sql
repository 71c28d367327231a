-- How the order of each share was drawn. Projects named after their systems get a neutral name.

ALTER TABLE submissions ADD COLUMN ordering TEXT NOT NULL DEFAULT 'by date';
UPDATE submissions SET ordering = 'imported'
  WHERE batch IN (SELECT id FROM batches WHERE kind = 'imported');
CREATE TEMP TABLE leaking AS SELECT p.id FROM projects p WHERE p.name = substr((
  SELECT group_concat(system, ', ') FROM (
    SELECT system FROM events WHERE project = p.id GROUP BY system ORDER BY min(number)
  )), 1, 120);
INSERT INTO audit (at, project, action, detail)
  SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'), id, 'project changed',
    json_object('name', 'Project ' || id, 'why', 'the name listed the systems')
  FROM leaking;
UPDATE projects SET name = 'Project ' || id WHERE id IN (SELECT id FROM leaking);
DROP TABLE leaking;
