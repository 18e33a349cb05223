// @ts-check
// What the rest of the site asks of the engine. `load` takes the registry's data file and gives an engine with
// `validate` and `preview`; both answer with the data that the command line prints as JSON.

/** What the browser cannot judge whatever the rules, and why. */
const NEVER_JUDGED = [
  { name: "RDFa", why: "it is read by the command line and the service only" },
  { name: "fetching a URL", why: "a page may not read other sites: the command line and the service do" },
];

class Engine {
  /** @param {any} data */
  constructor(data) {
    /** The registry's digest: the same that `waypost version` shows. @type {string} */
    this.version = data.version;
    this.tool = data.tool;
    this.vocabulary = new Vocabulary(data.vocabulary);
    this.catalogue = new Catalogue(data, this.vocabulary);
    this.judging = data.judging ? new Judging(data.judging, this.vocabulary) : null;
  }

  /** Does it know what `validate` needs? The data for that comes in a file of its own. */
  get judges() {
    return this.judging !== null;
  }

  /** Take in what `validate` needs. @param {any} judging */
  learn(judging) {
    this.judging ||= new Judging(judging, this.vocabulary);
  }

  /** Everything that can be said about one page: the report of `waypost validate --format json` with this one file, what could
   * not be judged, and with each place `from` and `to`, its UTF-16 offsets in the text as given.
   * @param {{text: string, path?: string, url?: string|null, media?: "html"|"json", now?: Date|string|number, types?: string[], profiles?: string[]}} asked
   *   types  only what concerns items of these types, or of their subtypes; all by default. */
  validate({ text, path = "-", url = null, media, now, types = [], profiles = [] }) {
    const judging = this.needed();
    const unknown = profiles.find((name) => !judging.profiles.features.has(name));
    if (unknown !== undefined) throw new RangeError(`there is no profile named ${repr(unknown)}`);
    const page = this.read(text, path, url, media);
    const file = this.judge(page, instantOf(now), profiles);
    if (types.length) keepTypes(file, page, new Set(types), this.vocabulary);
    const count = (/** @type {string} */ severity) =>
      file.findings.filter((/** @type {any} */ each) => each.severity === severity).length;
    return {
      version: 1,
      registry_version: this.version,
      files: [file],
      summary: {
        files: 1,
        items: file.items.length,
        errors: count("error"),
        warnings: count("warning"),
        infos: count("info"),
        skipped: 0,
        ...(file.suppressed ? { suppressed: file.suppressed.length } : {}),
      },
      tool: { name: "waypost", version: this.tool },
      not_judged: [
        ...NEVER_JUDGED.filter(({ name }) => name !== "RDFa" || page.hasRdfa || !page.marked),
        ...judging.notJudged(),
      ],
    };
  }

  /** The unified document of a page's main thing and its card, as `waypost preview --json`, with where each field was written.
   * `nothing` holds the reason where there is no card.
   * @param {{kind?: string, site?: string|null, document?: any, markup?: string, media?: "html"|"json", now?: Date|string|number}} asked
   *   kind      the service type that is wanted; `nothing` where the thing is of another.
   *   site      the address the markup came from: relative addresses resolve against it.
   *   document  a document of the unified model, or JSON-LD as objects; else `markup` is read. */
  preview({ kind, site = null, document, markup = "", media, now }) {
    const moment = instantOf(now);
    try {
      const made =
        document && this.isDocument(document)
          ? this.ofDocument(document, moment)
          : this.ofPage(document, markup, site, media, moment);
      if (kind && made.service_type !== kind) throw new NothingToShow(`this is a ${made.service_type}, not a ${kind}`);
      return made;
    } catch (fault) {
      if (!(fault instanceof NothingToShow)) throw fault;
      return { nothing: fault.message, findings: [] };
    }
  }

  /** @param {any} document */
  isDocument(document) {
    return isThing(document) && this.catalogue.isUnified(document);
  }

  /** @param {any} document @param {bigint} now */
  ofDocument(document, now) {
    const types = [
      document["@type"],
      ...(document.itemListElement || []).map((/** @type {any} */ each) => each["@type"]),
    ];
    const service = types
      .map((name) => (typeof name === "string" ? this.catalogue.dispatch.serviceOf(name) : null))
      .find(Boolean);
    if (!service) throw new NothingToShow(`${types[0]} has no card: there is nothing to draw`);
    return this.drawn(document, /** @type {Mapping} */ (this.catalogue.mappings.get(service)), now, [], {}, []);
  }

  /**
   * @param {any} objects
   * @param {string} markup
   * @param {string|null} site
   * @param {"html"|"json"|undefined} media
   * @param {bigint} now
   */
  ofPage(objects, markup, site, media, now) {
    const page = objects ? this.read(JSON.stringify(objects), "-", site, "json") : this.read(markup, "-", site, media);
    const picked = pick(page, this.catalogue);
    const mapping = /** @type {Mapping} */ (this.catalogue.mappings.get(picked.service));
    const url = page.url || site;
    /** @type {Record<string, Origin[]>} */
    const origins = {};
    const document = new Unifier(
      this.catalogue,
      { wrapper: picked.wrapper, trail: picked.trail, url, base: page.base || url },
      origins,
    ).document(picked.node, mapping, picked.standard);
    const places = Object.fromEntries(
      Object.entries(origins).map(([field, found]) => [field, found.map((each) => originPlace(each, page))]),
    );
    const findings = this.judging ? this.judge(page, now, []).findings : [];
    return this.drawn(document, mapping, now, picked.about, places, findings);
  }

  /**
   * @param {any} document
   * @param {Mapping} mapping
   * @param {bigint} now
   * @param {string[]} about
   * @param {any} origins
   * @param {any[]} findings
   */
  drawn(document, mapping, now, about, origins, findings) {
    if (!document.name) throw new NothingToShow(`the ${document["@type"]} has no name: a card needs one`);
    const snippet = plainly(makeCard(document, mapping, this.catalogue, now, about));
    return {
      service_type: mapping.service,
      standard_type: snippet.standard_type,
      unified: plainly(document),
      origins,
      snippet,
      findings,
    };
  }

  /** @param {string} text @param {string} path @param {string|null} url @param {"html"|"json"|undefined} media */
  read(text, path, url, media) {
    const isJson = media ? media === "json" : /\.json(?:ld)?$/i.test(path) || /^\ufeff?[ \t\r\n]*[{[]/.test(text);
    if (isJson) return readData(text, this.vocabulary, path, url);
    if (!parseHtml) throw new Error("HTML is read by the browser's parser, and there is none here");
    return readPage(text, this.vocabulary, path, url);
  }

  needed() {
    if (!this.judging) throw new Error("the data for judging is not there yet");
    return this.judging;
  }

  /** @param {Page} page @param {bigint} now @param {string[]} profiles */
  judge(page, now, profiles) {
    return this.needed().judge(page, now, profiles, this.catalogue);
  }
}

/** What judging needs besides the vocabulary: rules, profiles, tables. */
class Judging {
  /** @param {any} data @param {Vocabulary} vocabulary */
  constructor(data, vocabulary) {
    vocabulary.addMembers(data.members);
    this.vocabulary = vocabulary;
    this.tables = new Tables(data.tables);
    this.rulebook = new Rulebook(vocabulary);
    this.profiles = new ProfileEngine(data, vocabulary);
    /** Every rule of the first interpreter. @type {string[]} */
    this.names = data.rules.split(" ");
    this.byProfile = new Set(/** @type {string[]} */ (data.byProfile.split(" ")));
  }

  /** Rules of the first interpreter that this one does not have, found by comparing names. */
  notJudged() {
    return this.names
      .filter((name) => !RULES.has(name) && !this.byProfile.has(name))
      .map((name) => ({ name, why: whyNot(name) }));
  }

  /**
   * One file of the report.
   * @param {Page} page
   * @param {bigint} now
   * @param {string[]} asked
   * @param {Catalogue} catalogue
   * @returns {any}
   */
  judge(page, now, asked, catalogue) {
    /** @type {Scene} */
    const scene = { page, vocabulary: this.vocabulary, tables: this.tables, now, shown: signsOf(page) };
    const desk = new Desk(scene, this.byProfile);
    for (const trouble of page.troubles) {
      const known = RULES.get(trouble.rule);
      if (known && known.explain) desk.takeTrouble(trouble.rule, trouble, known.authority, known.explain(trouble));
    }
    for (const told of [this.rulebook.told(scene), this.rulebook.aboutSigns(scene), this.rulebook.aboutPage(scene)]) {
      for (const [name, { authority }, draft] of told) {
        desk.take(draft.rule || name, draft.authority || authority, draft);
        if (desk.truncated) break;
      }
    }
    const court = new Court(scene, this.profiles, new Set(asked));
    if (page.nodes.length)
      for (const draft of court.sit()) desk.take(draft.rule || "", draft.authority || "google", draft);
    let findings = desk.findings(),
      suppressed = null;
    if (page.speaks) {
      const { told, keptBack, drafts } = splitByWords(page, findings, new Set(this.names));
      const about = new Desk(scene, this.byProfile);
      for (const draft of drafts) about.take(draft.rule || "", draft.authority || "waypost", draft);
      findings = [...told, ...about.findings()].sort(inOrderOfPlace);
      suppressed = keptBack.length ? keptBack : null;
    }
    const items = page.roots.map((node) => {
      const [line, column] = page.places.lineAndColumn(page.spanOf(node).start);
      const names = (/** @type {Set<string>|undefined} */ found) => [...(found || [])].sort();
      return withoutNothing({
        types: node.types,
        id: node.id,
        syntax: node.block.syntax,
        line,
        column,
        service_type: serviceOfItem(node, catalogue),
        eligible: names(court.eligible.get(node)),
        retired: names(court.retiredFor.get(node)),
      });
    });
    return withoutNothing({ path: page.path, items, findings, suppressed, truncated: desk.truncated || null });
  }
}
/** @param {string} name */
const whyNot = (name) =>
  name.startsWith("rdfa-")
    ? "it is about RDFa"
    : name.startsWith("site-")
      ? "it compares the pages of a site"
      : name.startsWith("html-encoding-")
        ? "the browser is given text, not the bytes of a file"
        : "this rule is not in the browser's engine";

/**
 * The card of an item, or of what it speaks for: a page for its main entity, a list for its first item.
 * @param {Thing} root
 * @param {Catalogue} catalogue
 */
const serviceOfItem = (root, { dispatch }) => {
  /** @type {Thing|null} */
  let node = root;
  for (let n = 0; n < MOST_DELEGATIONS && node; n++) {
    const found = dispatch.service(node.types);
    if (found) return found[0];
    const delegate = dispatch.delegate(node.types);
    if (!delegate) return null;
    for (const prop of delegate.path.split(".")) {
      const within = /** @type {Thing|null} */ (node?.nodes(prop)[0] ?? null);
      node = within || (prop === "item" ? node : null);
    }
  }
  return null;
};
/** @param {Origin} origin @param {Page} page */
const originPlace = ({ node, prop, place }, page) => {
  const [home, at, index] = page.home(node, prop, place);
  return {
    property: prop,
    syntax: home.block.syntax,
    block: home.block.index,
    pointer: home.block.pointer(home, at, index),
    ...page.places.place(page.spanOf(node, prop, place)),
  };
};
/**
 * Leave only what stands in items of some types.
 * @param {any} file
 * @param {Page} page
 * @param {Set<string>} types
 * @param {Vocabulary} vocabulary
 */
const keepTypes = (file, page, types, vocabulary) => {
  const kept = page.roots.map((root) => vocabulary.areA(root.types, types));
  const blocks = new Set(
    page.roots.filter((_, n) => kept[n]).map((root) => `${root.block.syntax} ${root.block.index}`),
  );
  file.items = file.items.filter((/** @type {any} */ _, /** @type {number} */ n) => kept[n]);
  file.findings = file.findings.filter(
    (/** @type {any} */ each) => each.block === undefined || blocks.has(`${each.syntax} ${each.block}`),
  );
};
/** An instant; now where nothing is given. @param {Date|string|number|undefined} given */
const instantOf = (given) => instant(given === undefined ? new Date() : new Date(given));

const Waypost = Object.freeze({
  /** An engine over the registry's data file. @param {any} data */
  load: (data) => new Engine(data),
});
