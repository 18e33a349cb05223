export interface ComparedType {
  service: string;
  /** Need and sources by field. */
  fields: Record<string, [string, string]>;
  /** Support by rich result. */
  results: Record<string, "supported" | "restricted" | "retired">;
  rules: string[];
}
export declare const TYPES: { fields: string[]; types: Record<string, ComparedType> };
