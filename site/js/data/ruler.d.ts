export interface Limit { slot: "title" | "description"; name: string; size_px: number; fits_px: number; cut_px: number }
/** Characters by their width in a font, in units of which `em` make one, and the lengths at which texts are cut. */
export declare const RULER: { em: number; limits: Limit[]; widths: Record<string, string> };
