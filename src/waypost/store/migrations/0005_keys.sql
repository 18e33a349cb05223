-- An answer is repeated to the key that got it, never to another key of the organization. The answers of the last day
-- name no key and are dropped: a request repeated across this migration is made anew.
DROP TABLE idempotency;
CREATE TABLE idempotency (
  organization TEXT NOT NULL REFERENCES organization (id),
  api_key TEXT NOT NULL,               -- its id
  token TEXT NOT NULL,
  fingerprint BLOB NOT NULL,           -- a hash of the request
  created_at BIGINT NOT NULL,
  status BIGINT,                       -- of the answer; none while it is being made
  location TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (organization, api_key, token)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- The key with which a dispute was opened; empty for disputes by the public, and for those of earlier versions.
ALTER TABLE dispute ADD COLUMN opened_with TEXT NOT NULL DEFAULT '';
CREATE TRIGGER dispute_key_stays BEFORE UPDATE OF opened_with ON dispute
BEGIN SELECT RAISE(ABORT, 'what a dispute is about never changes'); END;
