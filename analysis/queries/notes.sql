-- What a run assumed or replaced, in sentences.
-- :run = last | Run: last, previous, a name, or the beginning of an id.
SELECT text AS note FROM note JOIN run ON run.key = note.run WHERE run.id = :run ORDER BY position
