/** Prefixes of the initial context of RDFa (src/waypost/reader/rdfa.py). */
export const RDFA_PREFIXES: Record<string, string>;
/** Words of `rel` that are no properties, separated by spaces. */
export const LINK_TYPES: string;
