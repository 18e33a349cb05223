CREATE TABLE shared_file (
  name TEXT COLLATE "C" PRIMARY KEY,
  version BIGINT NOT NULL UNIQUE,
  digest TEXT COLLATE "C" NOT NULL,
  size_bytes BIGINT NOT NULL,
  changed_at BIGINT NOT NULL
);
CREATE TABLE shared_part (
  digest TEXT COLLATE "C" NOT NULL,
  part BIGINT NOT NULL,
  data BYTEA NOT NULL,
  PRIMARY KEY (digest, part)
);
