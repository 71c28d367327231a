-- The language of an article, where its file says it.

ALTER TABLE articles ADD COLUMN language TEXT NOT NULL DEFAULT '';
