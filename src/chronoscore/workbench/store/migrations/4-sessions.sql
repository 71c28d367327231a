-- When a session was last used, when it ended, and why: ended sessions stay, so that people learn why.

ALTER TABLE sessions ADD COLUMN seen TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN ended TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN why TEXT NOT NULL DEFAULT '';
UPDATE sessions SET seen = strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now');
