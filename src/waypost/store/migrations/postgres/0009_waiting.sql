CREATE INDEX relationship_waiting ON relationship (organization, created_at, id)
  WHERE state IN ('unreviewed', 'in_review', 'disputed');
CREATE INDEX dispute_waiting
  ON dispute ((CASE reviewed_by WHEN 'organization' THEN organization ELSE '' END), created_at, id)
  WHERE environment = 'live' AND (status IN ('open', 'in_review') OR effect = 'destination_disputed');
CREATE INDEX ownership_doubt_by_relationship ON ownership_doubt (relationship_id, organization);
