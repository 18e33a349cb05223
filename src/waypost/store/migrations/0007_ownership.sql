-- Facts about a domain's registration and certificate when a review was approved; the latest row counts.
CREATE TABLE ownership_snapshot (
  number INTEGER PRIMARY KEY,
  relationship_id TEXT NOT NULL REFERENCES relationship (id),
  at BIGINT NOT NULL,
  facts TEXT NOT NULL                  -- JSON
);
CREATE INDEX ownership_snapshot_by_relationship ON ownership_snapshot (relationship_id, number);
CREATE TRIGGER ownership_snapshot_stays BEFORE DELETE ON ownership_snapshot
BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER ownership_snapshot_unchanged BEFORE UPDATE ON ownership_snapshot
BEGIN SELECT RAISE(ABORT, 'history never changes'); END;

-- Changes of a reviewed domain since its review, for reviewers. A relationship has one open doubt at most.
CREATE TABLE ownership_doubt (
  id TEXT PRIMARY KEY,
  relationship_id TEXT NOT NULL,       -- of a review that ships with waypost there may be no row
  organization TEXT NOT NULL,          -- empty: for all
  domain TEXT NOT NULL,
  entity TEXT NOT NULL,
  changes TEXT NOT NULL,               -- words with a space between them
  reviewed TEXT NOT NULL,              -- JSON of the facts on the day of the review, or empty
  observed TEXT NOT NULL,              -- JSON of the facts that raised it, or empty
  state TEXT NOT NULL CHECK (state IN ('open', 'upheld', 'rejected')),
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  actor TEXT NOT NULL,                 -- who decided it, or empty
  reason TEXT NOT NULL
);
CREATE UNIQUE INDEX ownership_doubt_open ON ownership_doubt (relationship_id, organization) WHERE state = 'open';
CREATE INDEX ownership_doubt_waiting ON ownership_doubt (state, created_at, id);
CREATE TRIGGER ownership_doubt_stays BEFORE DELETE ON ownership_doubt
BEGIN SELECT RAISE(ABORT, 'a doubt is never deleted'); END;
CREATE TRIGGER ownership_doubt_subject_stays
BEFORE UPDATE OF id, relationship_id, organization, domain, entity, created_at ON ownership_doubt
BEGIN SELECT RAISE(ABORT, 'what a doubt is about never changes'); END;
CREATE TRIGGER ownership_doubt_ends_once BEFORE UPDATE ON ownership_doubt WHEN old.state <> 'open'
BEGIN SELECT RAISE(ABORT, 'a doubt is decided once'); END;

-- Signals against destinations, until their expiry; shared by the processes of a service, and read when it starts.
CREATE TABLE observed_signal (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,               -- scheme, host and port, or a registered domain
  id TEXT NOT NULL,
  valid_until BIGINT NOT NULL,
  evidence TEXT NOT NULL,              -- JSON, without path and query
  UNIQUE (subject, id)
);
CREATE INDEX observed_signal_expiry ON observed_signal (valid_until);
