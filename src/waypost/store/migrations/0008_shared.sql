-- Files that every replica of a service has: signing keys, threat lists, servers of registration data. A file of an
-- empty digest was removed. The content stands in parts, named by its digest.
CREATE TABLE shared_file (
  name TEXT PRIMARY KEY,
  version BIGINT NOT NULL UNIQUE,      -- of all files together: the newest change has the highest
  digest TEXT NOT NULL,                -- SHA-256 in hex
  size_bytes BIGINT NOT NULL,
  changed_at BIGINT NOT NULL
);
CREATE TABLE shared_part (
  digest TEXT NOT NULL,
  part BIGINT NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (digest, part)
);
