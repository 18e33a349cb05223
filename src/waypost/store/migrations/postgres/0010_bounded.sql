CREATE INDEX relationship_of_owner ON relationship (organization, state, created_at, id);
DROP INDEX relationship_by_state;
CREATE INDEX relationship_of_domain ON relationship (domain, organization, state, created_at, id);
DROP INDEX relationship_by_domain;
CREATE INDEX relationship_claimed ON relationship (domain, entity, organization)
  WHERE state IN ('unreviewed', 'in_review');
CREATE INDEX relationship_overdue ON relationship (review_expires_at) WHERE state = 'accepted';
CREATE INDEX ownership_doubt_of_owner ON ownership_doubt (organization, created_at, id) WHERE state = 'open';
DROP INDEX ownership_doubt_waiting;
