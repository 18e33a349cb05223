/** Words of a rich result by the end of its profile's name, where the name itself reads badly (src/waypost/models/finding.py). */
export const RESULT_WORDS: Record<string, string>;
