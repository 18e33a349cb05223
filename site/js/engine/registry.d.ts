// Shapes of the registry's data as src/waypost/pages/bundle.py packs it for the engine. The files and what their members mean:
// schemas/meta/profile.schema.json, profile-consumer.schema.json, mapping.schema.json, check.schema.json, generator.schema.json.

import { Setting } from "./advising.js";

/** Condition of a profile: one member says its form; `path` stands with `is` or `gt`. */
export interface Condition {
  present?: string;
  absent?: string;
  number?: string;
  path?: string;
  is?: Literal | Literal[];
  gt?: number;
  type?: { path?: string; is: string | string[]; except?: string | string[] };
  nested?: { by?: string[]; in?: string[] };
  not?: Condition;
  all?: Condition[];
  any?: Condition[];
  intent?: string;
  last_item?: true;
  external_url?: true;
  page?: "root";
}
export type Literal = string | number | boolean;

/** Entry of a profile: what it asks of a path. */
export interface Entry {
  path?: string;
  any_of?: string[];
  any_of_groups?: string[][];
  absent?: string;
  each?: string;
  when?: Condition;
  value?: string;
  values?: Record<string, string>;
  some?: true;
  prefer?: string;
  exclusive?: true;
  unique?: true;
  equals?: Literal;
  includes?: string[];
  pattern?: string;
  min?: number;
  max?: number;
  gt?: number;
  min_length?: number;
  max_length?: number;
  min_items?: number;
  max_items?: number;
  min_items_total?: number;
  told_by?: string;
  default?: Literal;
  waits?: true;
  time?: true;
  misfit?: true;
  rule?: string;
  basis?: string;
  row?: string;
  severity?: Severity;
  beta?: true;
}

/** What a profile and a shape have in common. */
export interface Entries {
  required?: Entry[];
  recommended?: Entry[];
  limits?: Entry[];
}

export interface Shape extends Entries {
  types?: string[];
  exclude_types?: string[];
  /** Name of the profile whose requirements it has. */
  rule?: string;
  loses?: string;
}

export interface Profile extends Entries {
  name: string;
  title: string;
  /** Not there for those that are supported. */
  status?: "restricted" | "retired";
  retired_on?: string;
  types: string[];
  exclude_types?: string[];
  exclude_alone?: string[];
  identified_by?: string[];
  applies_when?: Condition;
  supposed_when?: Condition;
  summary?: true;
  item_types?: string[];
  list_min_items?: number;
  notes?: string;
}

export interface Enum {
  kind: string;
  members: string[];
  open?: boolean;
  any_case?: boolean;
}

export interface Consumer {
  name: string;
  filters?: Record<string, Condition>;
  enums: Record<string, Enum>;
  shapes: Record<string, Shape>;
}

/** Generator of pages, by which advice is given. */
export interface SiteGenerator {
  name: string;
  marks: { in: string; pattern: string }[];
  syntaxes: string[];
  types: string[];
  fixes: Setting[];
  template?: Setting;
}

export interface AbsenceData {
  hints: Record<string, string>;
  reasons: Record<string, any>[];
  in_part: Record<string, any>[];
}

/** What the scripts of the parts leave in one global; later parts add to it. */
export interface RegistryData {
  version: string;
  tool: string;
  types: string;
  unified: Json;
  mappings: Json[];
  delegates: Json[];
  words: Json;
  standings: { services: string[]; types: string[]; status: string; retired_on?: string }[];
  reading: {
    vocabulary: { types: string; properties: string; release: string };
    fields: Record<string, Json>;
    shapes: Record<string, Json>;
  };
  validating: {
    elsewhere: string;
    byProfile: string;
    members: string;
    checks: Record<string, import("./checks.js").TableCheck>;
    consumers: Consumer[];
    profiles: Profile[];
    /** Rules of packages, by name: the package. */
    packages?: Record<string, string>;
    /** What the configuration of a company says for every page. */
    usual?: { profiles?: string[]; also?: string[]; levels?: Record<string, string> };
    tables: { currencies: string; signs: string; countries: string; countryErrors: string };
    /** Profile -> properties -> sentence of Search Console -> rules. */
    sentences: Record<string, Record<string, Record<string, string>>>;
    absence: AbsenceData;
    otherNames: {
      properties: Record<string, string[]>;
      words: Record<string, string>;
      misplaced: Record<string, string>;
      apart: Record<string, string[]>;
    };
  };
  advising: SiteGenerator[];
  /** Names of the months of a language, and the words between them. */
  guessing: Record<string, { months?: string; between?: string }>;
  /** Codes of the sign of a currency, and language -> kind of words -> words. */
  displayed: { signs: Record<string, string>; languages: Record<string, Record<string, string>> };
  /** Year in which a currency was withdrawn, and its successor. */
  withdrawn: Record<string, [year: number, successor: string | null]>;
}
