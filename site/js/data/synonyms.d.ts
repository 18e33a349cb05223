/** Phrases with the words to add to them. */
export declare const SYNONYMS: Record<string, string>;
/** Words that are too common to look for. */
export declare const COMMON: string;
