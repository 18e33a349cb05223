-- For which environment the disputed decision was made: nobody reviews a dispute about a decision for a test key.
ALTER TABLE dispute ADD COLUMN environment TEXT NOT NULL DEFAULT 'live' CHECK (environment IN ('live', 'test'));
-- Keyed hash of the address from which the public opened it; empty with a key.
ALTER TABLE dispute ADD COLUMN opened_from TEXT NOT NULL DEFAULT '';
-- What the review changed.
ALTER TABLE dispute ADD COLUMN effect TEXT NOT NULL DEFAULT 'none'
  CHECK (effect IN ('none', 'relationship_disputed', 'destination_disputed', 'ended'));
CREATE TRIGGER dispute_origin_stays BEFORE UPDATE OF environment, opened_from ON dispute
BEGIN SELECT RAISE(ABORT, 'what a dispute is about never changes'); END;

-- Hosts that an upheld dispute doubts, where no review stood behind the decision. A row is never deleted.
CREATE TABLE disputed_host (
  dispute_id TEXT PRIMARY KEY REFERENCES dispute (id),
  organization TEXT NOT NULL,          -- empty: for all
  host TEXT NOT NULL,
  since BIGINT NOT NULL,
  ended_at BIGINT                      -- none while it is doubted
);
CREATE INDEX disputed_host_now ON disputed_host (host) WHERE ended_at IS NULL;
CREATE TRIGGER disputed_host_stays BEFORE DELETE ON disputed_host
BEGIN SELECT RAISE(ABORT, 'a doubt is never deleted'); END;
CREATE TRIGGER disputed_host_subject_stays BEFORE UPDATE OF dispute_id, organization, host, since ON disputed_host
BEGIN SELECT RAISE(ABORT, 'what a doubt is about never changes'); END;
CREATE TRIGGER disputed_host_ends_once BEFORE UPDATE OF ended_at ON disputed_host WHEN old.ended_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a doubt ends once'); END;

-- Disputes upheld before: some set the reviews behind the decision to disputed, the others changed nothing and doubt
-- the host from now on, until a reviewer ends it.
UPDATE dispute SET effect = CASE
  WHEN claim IN ('wrong_relationship', 'wrong_domain', 'outdated')
    AND json_extract(decision, '$.relationship_status') LIKE 'verified\_%' ESCAPE '\' THEN 'relationship_disputed'
  ELSE 'destination_disputed' END
WHERE status = 'upheld';
INSERT INTO disputed_host (dispute_id, organization, host, since)
  SELECT id, CASE reviewed_by WHEN 'organization' THEN organization ELSE '' END,
    json_extract(decision, '$.normalized_domain'), changed_at
  FROM dispute WHERE effect = 'destination_disputed';
