CREATE TABLE schema_version (version INTEGER NOT NULL, changed_at BIGINT NOT NULL);
INSERT INTO schema_version (version, changed_at) VALUES (0, 0);

-- Whose a domain is. The row is the present; what happened to it is in relationship_event.
CREATE TABLE relationship (
  id TEXT PRIMARY KEY,
  organization TEXT NOT NULL,          -- empty: for all
  domain TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('registrable', 'host')),
  entity TEXT NOT NULL,
  entity_name TEXT NOT NULL,
  type TEXT NOT NULL,
  url TEXT NOT NULL,
  statement TEXT NOT NULL,
  submitter TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  state TEXT NOT NULL
    CHECK (state IN ('unreviewed', 'in_review', 'accepted', 'rejected', 'disputed', 'revoked', 'expired')),
  changed_at BIGINT NOT NULL,
  reviewed_at BIGINT,
  review_expires_at BIGINT,
  review_source TEXT NOT NULL,
  -- No review holds longer than 365 days.
  CHECK (review_expires_at IS NULL OR review_expires_at - reviewed_at BETWEEN 1 AND 31536000000),
  CHECK (state <> 'accepted' OR (reviewed_at IS NOT NULL AND review_expires_at IS NOT NULL))
);
CREATE INDEX relationship_by_domain ON relationship (domain, organization);
CREATE INDEX relationship_by_state ON relationship (state, created_at, id);

CREATE TABLE relationship_claim (
  relationship_id TEXT NOT NULL REFERENCES relationship (id),
  submitter TEXT NOT NULL,
  origin TEXT NOT NULL,
  source TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  evidence TEXT NOT NULL,              -- addresses, one a line
  at BIGINT NOT NULL
);
CREATE INDEX relationship_claim_by_relationship ON relationship_claim (relationship_id);

CREATE TABLE relationship_event (
  number INTEGER PRIMARY KEY,
  relationship_id TEXT NOT NULL REFERENCES relationship (id),
  at BIGINT NOT NULL,
  act TEXT NOT NULL,
  actor TEXT NOT NULL,
  before_state TEXT,
  after_state TEXT NOT NULL,
  reason TEXT NOT NULL
);
CREATE INDEX relationship_event_by_relationship ON relationship_event (relationship_id, number);

-- History is only ever added to, and no relationship disappears.
CREATE TRIGGER relationship_stays BEFORE DELETE ON relationship
BEGIN SELECT RAISE(ABORT, 'a relationship is never deleted'); END;
CREATE TRIGGER relationship_subject_stays
BEFORE UPDATE OF id, organization, domain, scope, entity, entity_name, type, url, statement, submitter, created_at
ON relationship
BEGIN SELECT RAISE(ABORT, 'what a relationship is about never changes'); END;
CREATE TRIGGER relationship_claim_stays BEFORE DELETE ON relationship_claim
BEGIN SELECT RAISE(ABORT, 'a claim is never deleted'); END;
CREATE TRIGGER relationship_claim_unchanged BEFORE UPDATE ON relationship_claim
BEGIN SELECT RAISE(ABORT, 'a claim never changes'); END;
CREATE TRIGGER relationship_event_stays BEFORE DELETE ON relationship_event
BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER relationship_event_unchanged BEFORE UPDATE ON relationship_event
BEGIN SELECT RAISE(ABORT, 'history never changes'); END;

-- SQLite's own full-text search; the words of a domain are its labels.
CREATE VIRTUAL TABLE relationship_text
USING fts5(name, domain, id UNINDEXED, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3');
CREATE TRIGGER relationship_indexed AFTER INSERT ON relationship
BEGIN
  INSERT INTO relationship_text (name, domain, id)
  VALUES (new.entity_name || ' ' || new.entity, new.domain, new.id);
END;
