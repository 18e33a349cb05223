-- Lists, expiry and the facts about a domain read their own rows only, however many rows the store has.
CREATE INDEX relationship_of_owner ON relationship (organization, state, created_at, id);
DROP INDEX relationship_by_state;
CREATE INDEX relationship_of_domain ON relationship (domain, organization, state, created_at, id);
DROP INDEX relationship_by_domain;
CREATE INDEX relationship_claimed ON relationship (domain, entity, organization)
  WHERE state IN ('unreviewed', 'in_review');
CREATE INDEX relationship_overdue ON relationship (review_expires_at) WHERE state = 'accepted';
CREATE INDEX ownership_doubt_of_owner ON ownership_doubt (organization, created_at, id) WHERE state = 'open';
DROP INDEX ownership_doubt_waiting;

-- The words of the index in a table of their own: the virtual table counts the rows of each word that it reads.
DROP TABLE relationship_word;
CREATE TABLE relationship_word (term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE relationship_vocabulary USING fts5vocab(relationship_text, col);
INSERT INTO relationship_word (term)
  SELECT DISTINCT term FROM relationship_vocabulary WHERE col IN ('name', 'domain');
DROP TABLE relationship_vocabulary;
