export interface Decision {
  decision_id: string;
  normalized_domain: string;
  relationship_status: string;
  risk_status: string;
  action: string;
  action_allowed: boolean;
  reason_codes: string[];
  evidence_summary: { type: string; status: string; id?: string; summary_code?: string; observed_at?: string; valid_until?: string }[];
  policy_version: string;
  confidence_class: string;
  unknowns: string[];
  expires_at: string;
  official_alternative?: string;
  dispute_path?: string;
}
/** What the panel says of a decision; `problem` where the service could not decide. */
export interface Panel {
  problem?: string;
  /** The decision with its day, while it is valid (of a live one) and after. */
  dated?: string;
  past: string;
  tier: number;
  because: string;
  row: { line: string; holds: boolean; required: string[]; found: string[] };
  /** What each check changes, those that turn the decision first. */
  effects: { type: string; status: string; turns: boolean; text: string }[];
  decision: Decision;
}
type Codes = Record<string, string>;
/** Decisions about the test hosts, by host and action, and the sentences of their codes. */
export declare const DESTINATIONS: {
  codes: { actions: Codes; relationship_statuses: Codes; risk_statuses: Codes; confidence_classes: Codes; unknowns: Codes; reason_codes: Codes };
  hosts: Record<string, Record<string, Panel>>;
};
