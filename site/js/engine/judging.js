// @ts-check
// What the part for judging offers: the report about a page.

/** What the browser cannot judge whatever the rules, and why. */
const NEVER_JUDGED = [
  { name: "RDFa", why: "it is read by the command line and the service only" },
  { name: "fetching a URL", why: "a page may not read other sites: the command line and the service do" },
];

const DRAFTS_A_STEP = 100;

class Judging {
  /** @param {Engine} engine */
  constructor(engine) {
    const data = engine.data.judging;
    this.engine = engine;
    this.reader = /** @type {Reader} */ (engine.part("reading"));
    const { vocabulary } = this.reader;
    vocabulary.addMembers(data.members);
    this.vocabulary = vocabulary;
    this.tables = new Tables(data.tables, data.profiles);
    addChecks(data.checks);
    this.rulebook = new Rulebook(vocabulary);
    this.profiles = new ProfileEngine(data, vocabulary);
    this.byProfile = new Set(/** @type {string[]} */ (data.byProfile.split(" ")));
    /** Rules that only the first interpreter has. @type {string[]} */
    this.elsewhere = data.elsewhere.split(" ");
    this.names = new Set([...RULES.keys(), ...this.byProfile, ...this.elsewhere]);
  }

  /** @param {Asked} asked @returns {Generator<undefined, any>} */
  *report({ text, path = "-", url = null, media, now, types = [], profiles = [] }) {
    const unknown = profiles.find((name) => !this.profiles.features.has(name));
    if (unknown !== undefined) throw new RangeError(`there is no profile named ${repr(unknown)}`);
    const advising = /<(?:meta|script)\b/i.test(text) ? /** @type {Advising} */ (this.engine.part("advising")) : null;
    const page = yield* this.reader.reading(text, path, url, media);
    yield;
    const file = yield* this.judging(page, instantOf(now), profiles, advising);
    if (types.length) keepTypes(file, page, new Set(types), this.vocabulary);
    yield;
    const causes = causesOf(file.findings);
    yield;
    const count = (/** @type {string} */ severity) =>
      file.findings.filter((/** @type {any} */ each) => each.severity === severity).length;
    return {
      version: 1,
      registry_version: this.engine.version,
      files: [file],
      summary: {
        files: 1,
        items: file.items.length,
        errors: count("error"),
        warnings: count("warning"),
        infos: count("info"),
        skipped: 0,
        ...(file.suppressed ? { suppressed: file.suppressed.length } : {}),
        ...(file.findings.length && { causes }),
      },
      tool: { name: "waypost", version: this.engine.data.tool },
      unread: { rdfa: page.rdfaItems },
      not_judged: [
        ...NEVER_JUDGED.filter(({ name }) => name !== "RDFa" || page.rdfaItems || !page.marked),
        ...this.elsewhere.map((name) => ({ name, why: whyNot(name) })),
      ],
    };
  }

  /**
   * One file of the report, in steps.
   * @param {Page} page
   * @param {bigint} now
   * @param {string[]} asked
   * @param {Advising|null} advising
   * @returns {Generator<undefined, any>}
   */
  *judging(page, now, asked, advising) {
    /** @type {Scene} */
    const scene = { page, vocabulary: this.vocabulary, tables: this.tables, now, shown: signsOf(page), emptyRequired: new Map() };
    const desk = new Desk(scene, this.byProfile);
    for (const trouble of page.troubles) {
      const known = RULES.get(trouble.rule);
      if (known && known.explain) desk.takeTrouble(trouble.rule, trouble, known.authority, known.explain(trouble));
    }
    const court = new Court(scene, this.profiles, new Set(asked));
    const drafts = page.nodes.length ? yield* court.sitting() : []; // first: they tell which empty properties are required
    for (const told of [this.rulebook.told(scene), this.rulebook.aboutSigns(scene), this.rulebook.aboutPage(scene)]) {
      for (const said of told) {
        if (!said) {
          yield;
          continue;
        }
        const [name, { authority }, draft] = said;
        desk.take(draft.rule || name, draft.authority || authority, draft);
        if (desk.truncated) break;
      }
    }
    for (const [number, draft] of drafts.entries()) {
      if (number % DRAFTS_A_STEP === 0) yield;
      desk.take(draft.rule || "", draft.authority || "google", draft);
    }
    for (const profile of [...court.unmet].sort()) {
      desk.take("profile-not-found", "waypost", {
        severity: "error",
        profile,
        span: { start: 0, end: 0 },
        message: `this page has no item for ${profile}`,
        hint: "check that the markup is on the page, or name another profile",
      });
    }
    yield;
    let findings = desk.findings(),
      suppressed = null;
    if (page.speaks) {
      const { told, keptBack, drafts } = /** @type {Advising} */ (this.engine.part("advising")).split(page, findings, this.names);
      const about = new Desk(scene, this.byProfile);
      for (const draft of drafts) about.take(draft.rule || "", draft.authority || "waypost", draft);
      findings = [...told, ...about.findings()].sort(inOrderOfPlace);
      suppressed = keptBack.length ? keptBack : null;
    }
    const items = [];
    for (const node of page.roots) {
      if (items.length % DRAFTS_A_STEP === 0) yield;
      const [line, column] = page.places.lineAndColumn(page.spanOf(node).start);
      const names = (/** @type {Set<string>|undefined} */ found) => [...(found || [])].sort();
      items.push(withoutNothing({
        types: node.types,
        name: titleOf(node),
        id: node.id,
        syntax: node.block.syntax,
        line,
        column,
        service_type: serviceOfItem(node, this.reader.catalogue),
        eligible: desk.isUnread(node) ? [] : names(court.eligible.get(node)).filter((name) => !court.missed.get(node)?.has(name)),
        retired: names(court.retiredFor.get(node)),
      }));
    }
    yield;
    const advice = advising?.advise(page, items, findings) || [];
    return withoutNothing({ path: page.path, items, findings, suppressed, advice: advice.length ? advice : null, truncated: desk.truncated || null });
  }
}

/** How many different causes the findings of each severity have. @param {any[]} findings */
const causesOf = (findings) => {
  const causes = [...new Set(findings.map(causeOf))];
  const numberOf = (/** @type {string} */ severity) => causes.filter((each) => each.startsWith(severity)).length || undefined;
  return { errors: numberOf("error"), warnings: numberOf("warning"), infos: numberOf("info") };
};

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
  const numbers = new Map([...kept.keys()].filter((n) => kept[n]).map((n, number) => [n, number]));
  file.items = file.items.filter((/** @type {any} */ _, /** @type {number} */ n) => kept[n]);
  file.findings = file.findings.filter(
    (/** @type {any} */ each) => each.block === undefined || blocks.has(`${each.syntax} ${each.block}`),
  );
  for (const each of file.findings) each.item = numbers.get(each.item);
};

OFFERS.judging = (/** @type {Engine} */ engine) => new Judging(engine);
Waypost.causeOf = causeOf;
