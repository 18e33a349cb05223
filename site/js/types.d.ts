// Shapes of the data that pages handle. Reports, findings and cards are those of src/waypost/models (finding.py, snippet.py) and
// schemas/api/report.schema.json; the engine adds `from` and `to`, offsets in the text as JavaScript counts.

type Severity = "error" | "warning" | "info";
type Authority = "vocabulary" | "google" | "waypost" | "json" | "html" | "project";

interface Edit { start: number; end: number; text: string; from: number; to: number }
interface Fix { safe: boolean; edits: Edit[] }

/** Value of a property in the markup or on the page; `from` and `to` are offsets in the text as given. */
interface Compared { source: "markup" | "page" | "feed"; value: string; line: number; column: number; from?: number; to?: number }

interface Finding {
  rule: string;
  severity: Severity;
  authority: Authority;
  profile?: string;
  message: string;
  hint?: string;
  search_console?: string;
  syntax: string;
  block?: number;
  pointer: string;
  property?: string;
  start: number;
  end: number;
  from: number;
  to: number;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  doc_url: string;
  fingerprint: string;
  fix?: Fix;
  related?: { message: string; line: number; column: number }[];
  compared?: Compared[];
  item?: number;
  verdict?: number;
  node?: string;
  advice?: number[];
  suppression?: { kind: string; reason?: string };
}

interface NotEligible { profile: string; count: number; why: string; severity: Severity }
interface Lapse { kind: string; since: string; text: string }

/** A root item, or a node with a verdict of its own (`not_eligible`, `lapsed`, `via`). */
interface Item {
  types: string[];
  name?: string;
  id?: string;
  syntax: string;
  block?: number;
  pointer?: string;
  line: number;
  column: number;
  item?: number;
  via?: string;
  service_type?: string;
  eligible: string[];
  retired: string[];
  not_eligible?: NotEligible[];
  lapsed?: Lapse[];
}

interface Advice { generator: string; version?: string; text: string; url: string }

interface FileReport {
  path: string;
  items: Item[];
  verdicts?: Item[];
  findings: Finding[];
  advice?: Advice[];
  absence?: { reason: string; text?: string; hint?: string; line?: number };
  unread?: { reason: string; text?: string; hint?: string; line?: number };
  truncated?: boolean;
  suppressed?: Finding[];
}

interface Summary {
  files: number;
  items: number;
  errors: number;
  warnings: number;
  infos: number;
  skipped?: number;
  without_data?: number;
  unread?: number;
  suppressed?: number;
  causes?: { errors?: number; warnings?: number; infos?: number };
}

interface LintReport {
  version: number;
  registry_version: string;
  files: FileReport[];
  summary: Summary;
  tool: { name: string; version: string };
  not_checked: { name: string; why: string }[];
}

interface LintRequest {
  text: string;
  path?: string;
  url?: string | null;
  media?: "html" | "json";
  now?: Date | string | number;
  types?: string[];
  profiles?: string[];
  /** Called with the page as soon as it is read (site/js/engine/page.js). */
  seen?: (page: any) => void;
}

interface Snippet {
  service_type: string;
  standard_type: string;
  status: "supported" | "restricted" | "retired" | "none";
  title: string;
  url: string | null;
  display_url: string | null;
  site_name: string | null;
  description: string | null;
  image: { url: string; width?: number; height?: number; caption?: string } | null;
  byline: string | null;
  date: string | null;
  rating: { value: number; best: number; stars: number; count: number | null; text: string } | null;
  price: { text: string; low: string; high: string; currency: string | null } | null;
  facts: { key: string; label: string; value: string }[];
  badges: string[];
  items: { title: string; url?: string; description?: string }[];
  remarks: { slot: string; text: string }[];
}

/** A document of the unified model, or any other JSON: its members are looked at before they are used. */
type Json = any;

interface Place { property: string; syntax: string; block: number | null; pointer: string; line: number; column: number }

interface Preview {
  nothing?: string;
  service_type?: string;
  standard_type?: string;
  unified?: Json;
  snippet?: Snippet;
  origins?: Record<string, Place[]>;
  item?: number;
  stands?: Place[];
  declared?: { url: string | null; name: Json; home: Json };
}

/** The engine of this browser (site/js/engine/engine.js). A call throws `PartMissing` while it needs a part that is not there. */
interface Engine {
  version: string;
  catalogue: { serviceTypes: { serviceOf(name: string): string | null } };
  has(part: string): boolean;
  validating(request: LintRequest): Generator<undefined, LintReport>;
  validate(request: LintRequest): LintReport;
  preview(request: { kind?: string; site?: string | null; document?: Json; markup?: string; page?: any; item?: number }): Preview;
  isDocument(document: Json): boolean;
  read(markup: string, site?: string | null): any;
  surfaces(request: { page?: any; markup?: string; site?: string | null; preview?: Preview | null; item?: number }): any[];
  part(name: string): any;
}
type PartName = "drawing" | "reading" | "validating" | "rdfa" | "repairing" | "guessing" | "advising" | "examples" | "surfaces" | "displayed";

/** A request for a card: a page, or a kind with a document. */
interface SnippetRequest {
  kind?: string;
  site?: { name?: string; domain?: string; description?: string };
  markup?: string;
  document?: Json;
  item?: number;
}

interface Kind { service: string; standard: string; members: string[]; recommended: string[]; document?: Json; markup?: string }

/** Words and rules of the drawing of cards (site/cards.json). */
interface Cards {
  media: Record<string, string>;
  slots: Record<string, string[]>;
  inside: Record<string, string[]>;
  gaps: Record<string, [string, string]>;
  status: Record<string, string>;
  drawn: Record<string, string[]>;
}

interface Workbench { start: SnippetRequest; kinds: Record<string, Kind>; cards: Cards }

interface SearchHit { address: string; title: string; kind: string; about: string }
type IndexRow = [step: string, title: string, about: string, words: string];

/** What the script of every page makes for the others (site/js/ui/policy.js). */
interface Site {
  /** Names of the scripts to load, each with the digits of its content. */
  scripts: string;
  policy: { createHTML(text: string): string; createScriptURL(url: string): string };
  load(url: string): Promise<Event>;
  part(name: string): Promise<Event>;
  /** Groups of the search index (src/waypost/pages/search_index.py). */
  index: [place: number, folder: string, kind: string, rows: IndexRow[]][];
  /** Wordings of Search Console's messages: [name, wordings, sentences by their properties]. */
  sentences?: [template: string, wordings: string[], own: string[]][];
  /** Properties that each rich result asks for, by profile. */
  requested?: Record<string, string>;
  entries: SearchHit[];
  find(text: string): SearchHit[];
  sentence(text: string): SearchHit | undefined;
  folder: (home: HTMLElement, given: File[], acts: { request: Partial<LintRequest>; show: (text: string, path: string) => Promise<unknown>; close: () => void; version: () => string; validated: import("./workbench/folder-reading.js").Validated }) => Promise<void>;
  until: typeof import("./small/until.js").until;
}

declare var waypost: Site;
declare var Waypost: { load(data: import("./engine/registry").RegistryData): Engine; resultName(profile: string): string; causeOf(finding: Finding): string };
declare var WaypostRegistry: import("./engine/registry").RegistryData;
/** Parts of CodeMirror (tools/editor/editor.js), in site/vendor/editor.js. */
declare var WaypostEditor: any;
declare var WaypostWorkbench: Workbench;
declare var WaypostValidate: { examples: { name: string; text: string }[]; profiles: string[]; repository: string; install: string };

interface Window {
  trustedTypes?: { createPolicy(name: string, rules: object): Site["policy"] };
}
interface File {
  /** Name with the folders, of a file in a folder that was dropped. */
  path?: string;
}
interface HTMLElement {
  /** The button of a part of a page that was pressed before its script came. */
  pressed?: HTMLButtonElement | null;
}
interface HTMLButtonElement {
  /** Its own words, while it says "Copied". */
  words?: string;
}
