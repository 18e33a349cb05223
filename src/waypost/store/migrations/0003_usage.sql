-- What the holders of keys have spent lately: one row for what was spent in the same sixtieth of a window.
CREATE TABLE usage_slot (
  subject TEXT NOT NULL,
  policy TEXT NOT NULL,
  counts_until BIGINT NOT NULL,        -- milliseconds since 1970, UTC: from then on it is out of the window
  used BIGINT NOT NULL CHECK (used > 0),
  PRIMARY KEY (subject, policy, counts_until)
);
CREATE INDEX usage_slot_by_age ON usage_slot (counts_until);

CREATE TABLE usage_day (
  subject TEXT NOT NULL,
  policy TEXT NOT NULL,
  day BIGINT NOT NULL,                 -- days since 1970, UTC
  used BIGINT NOT NULL CHECK (used >= 0),
  PRIMARY KEY (subject, policy, day)
);
CREATE INDEX usage_day_by_age ON usage_day (day);
