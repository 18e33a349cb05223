-- What the service keeps. Times are milliseconds since 1970, UTC. Numbers give the order in which rows came;
-- identifiers are for the outside and cannot be guessed.

CREATE TABLE organization (
  number INTEGER PRIMARY KEY,          -- the first is the operator's
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  url_secret BLOB NOT NULL             -- keys the hashes of the URLs that were asked about
);

-- Secrets and marks of this store, by name.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
);

-- The organization whose submitter made a claim that is to hold for all; empty: nobody's.
ALTER TABLE relationship_claim ADD COLUMN claimant TEXT NOT NULL DEFAULT '';

CREATE TABLE api_key (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  sha256 BLOB NOT NULL UNIQUE,
  organization TEXT NOT NULL REFERENCES organization (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  last4 TEXT NOT NULL,
  scopes TEXT NOT NULL,                -- separated by blanks
  environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  holder TEXT NOT NULL,                -- who reviews and submits with it
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT,
  revoked_at BIGINT,
  replaced_by TEXT REFERENCES api_key (id),
  ip_allowlist TEXT NOT NULL,          -- networks, separated by blanks
  limits TEXT NOT NULL,                -- a JSON object
  version BIGINT NOT NULL              -- counts every change but use, over all keys: who holds a copy reads what is newer
);
CREATE INDEX api_key_by_organization ON api_key (organization, number);
CREATE INDEX api_key_by_version ON api_key (version);
CREATE TRIGGER api_key_stays BEFORE DELETE ON api_key
BEGIN SELECT RAISE(ABORT, 'a key is never deleted'); END;
CREATE TRIGGER api_key_keeps_what_it_is
BEFORE UPDATE OF id, sha256, organization, prefix, last4, scopes, environment, holder, created_at, created_by ON api_key
BEGIN SELECT RAISE(ABORT, 'what a key may do never changes'); END;
CREATE TRIGGER api_key_stays_revoked BEFORE UPDATE OF revoked_at ON api_key
WHEN old.revoked_at IS NOT NULL AND new.revoked_at IS NOT old.revoked_at
BEGIN SELECT RAISE(ABORT, 'a revoked key stays revoked'); END;
CREATE TRIGGER api_key_lives_no_longer BEFORE UPDATE OF expires_at ON api_key WHEN new.expires_at > old.expires_at
BEGIN SELECT RAISE(ABORT, 'a key never lives longer than it was given'); END;

-- The URL is here only as a keyed hash: no path, no query, no fragment, no credentials.
CREATE TABLE decision (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization TEXT NOT NULL REFERENCES organization (id),
  environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  key_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  normalized_domain TEXT NOT NULL,
  action TEXT NOT NULL,
  url_hmac BLOB NOT NULL,
  document TEXT NOT NULL               -- the decision as it goes out with everything included, JSON
);
CREATE INDEX decision_by_subject ON decision (url_hmac, number);

CREATE TABLE dispute (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization TEXT NOT NULL REFERENCES organization (id),
  reviewed_by TEXT NOT NULL CHECK (reviewed_by IN ('operator', 'organization')),
  decision_id TEXT NOT NULL,
  decision TEXT NOT NULL,              -- what it said, JSON: a dispute outlives it
  claim TEXT NOT NULL CHECK (claim IN ('wrong_relationship', 'wrong_risk', 'wrong_domain', 'outdated', 'other')),
  statement TEXT NOT NULL,
  contact TEXT NOT NULL,
  evidence TEXT NOT NULL,              -- addresses, one a line; nobody fetches them
  opened_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'in_review', 'upheld', 'rejected', 'withdrawn')),
  changed_at BIGINT NOT NULL
);
CREATE INDEX dispute_by_organization ON dispute (organization, number);
CREATE INDEX dispute_by_status ON dispute (status, created_at, id);
CREATE INDEX dispute_by_decision ON dispute (decision_id);

CREATE TABLE dispute_event (
  number INTEGER PRIMARY KEY,
  dispute_id TEXT NOT NULL REFERENCES dispute (id),
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  before_status TEXT,
  after_status TEXT NOT NULL,
  reason TEXT NOT NULL
);
CREATE INDEX dispute_event_by_dispute ON dispute_event (dispute_id, number);
CREATE TRIGGER dispute_stays BEFORE DELETE ON dispute
BEGIN SELECT RAISE(ABORT, 'a dispute is never deleted'); END;
CREATE TRIGGER dispute_subject_stays
BEFORE UPDATE OF id, organization, reviewed_by, decision_id, decision, claim, statement, contact, evidence, opened_by,
  created_at ON dispute
BEGIN SELECT RAISE(ABORT, 'what a dispute is about never changes'); END;
CREATE TRIGGER dispute_event_stays BEFORE DELETE ON dispute_event
BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER dispute_event_unchanged BEFORE UPDATE ON dispute_event
BEGIN SELECT RAISE(ABORT, 'history never changes'); END;

-- One chain an organization: `hash` is the SHA-256 over `prev_hash` and the event's RFC 8785 JSON without `hash`.
CREATE TABLE audit_event (
  number INTEGER PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id),
  sequence BIGINT NOT NULL,            -- from 1, without a gap
  id TEXT NOT NULL UNIQUE,
  at BIGINT NOT NULL,
  type TEXT NOT NULL,
  actor TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL,               -- a JSON object of texts, without anything of a URL but its host
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (organization, sequence)
);
CREATE TRIGGER audit_event_stays BEFORE DELETE ON audit_event
BEGIN SELECT RAISE(ABORT, 'the audit is never deleted'); END;
CREATE TRIGGER audit_event_unchanged BEFORE UPDATE ON audit_event
BEGIN SELECT RAISE(ABORT, 'the audit never changes'); END;

-- An organization's own documents.
CREATE TABLE snippet (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization TEXT NOT NULL REFERENCES organization (id),
  sequence BIGINT NOT NULL,            -- from 1, without a gap
  service_type TEXT NOT NULL,
  domain TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  unified TEXT NOT NULL,
  snippet TEXT NOT NULL,
  UNIQUE (organization, sequence)
);
CREATE INDEX snippet_by_type ON snippet (organization, service_type, sequence);
CREATE TRIGGER snippet_unchanged BEFORE UPDATE ON snippet
BEGIN SELECT RAISE(ABORT, 'a stored snippet never changes'); END;

CREATE TABLE idempotency (
  organization TEXT NOT NULL REFERENCES organization (id),
  token TEXT NOT NULL,
  fingerprint BLOB NOT NULL,           -- a hash of what was asked
  created_at BIGINT NOT NULL,
  status BIGINT,                       -- of the answer; none while it is being made
  location TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (organization, token)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- Only hashes of what opens the console are kept.
CREATE TABLE login_link (
  sha256 BLOB PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id),
  actor TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT
);
CREATE TABLE session (
  sha256 BLOB PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id),
  actor TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

-- SQLite's own full-text search. `whose` and `standing` are words too, so that one organization's hits and what a
-- review stands behind are found without reading anybody else's.
CREATE TABLE relationship_entry (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE REFERENCES relationship (id));
INSERT INTO relationship_entry (id) SELECT id FROM relationship ORDER BY created_at, id;
DROP TRIGGER relationship_indexed;
DROP TABLE relationship_text;
CREATE VIRTUAL TABLE relationship_text
USING fts5(name, domain, whose, standing, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3');
INSERT INTO relationship_text (rowid, name, domain, whose, standing)
  SELECT e.number, r.entity_name || ' ' || r.entity, r.domain, 'w' || replace(r.organization, '-', ''),
    CASE r.state WHEN 'accepted' THEN 'reviewed' ELSE 'unreviewed' END
  FROM relationship_entry e JOIN relationship r ON r.id = e.id;
CREATE TRIGGER relationship_indexed AFTER INSERT ON relationship
BEGIN
  INSERT INTO relationship_entry (id) VALUES (new.id);
  INSERT INTO relationship_text (rowid, name, domain, whose, standing)
  SELECT number, new.entity_name || ' ' || new.entity, new.domain, 'w' || replace(new.organization, '-', ''),
    CASE new.state WHEN 'accepted' THEN 'reviewed' ELSE 'unreviewed' END
  FROM relationship_entry WHERE id = new.id;
END;
CREATE TRIGGER relationship_reindexed AFTER UPDATE OF state ON relationship
WHEN (old.state = 'accepted') <> (new.state = 'accepted')
BEGIN
  UPDATE relationship_text SET standing = CASE new.state WHEN 'accepted' THEN 'reviewed' ELSE 'unreviewed' END
  WHERE rowid = (SELECT number FROM relationship_entry WHERE id = new.id);
END;
CREATE VIRTUAL TABLE snippet_text
USING fts5(name, description, domain, whose, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3');
