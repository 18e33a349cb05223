// @ts-check
// Codes of currencies and countries.

/** @import { Profile, RegistryData } from "./registry.js" */

/** Tables of the registry's data, by use. */
export class Tables {
  /** @param {RegistryData["validating"]["tables"]} data @param {Profile[]} profiles */
  constructor(data, profiles) {
    const promising = profiles.filter(
      ({ status, required = [], applies_when: when }) => !status && required.length && (!when || when.any?.some(({ type }) => type && !type.path)),
    );
    /** Types with a result of their own. @type {Set<string>} */
    this.promised = new Set(promising.flatMap(({ types }) => types));
    const rows = (/** @type {string} */ text) => text.split("\n").map((line) => line.split("\t"));
    this.currencies = new Set(data.currencies.split(" "));
    this.signs = new Map(/** @type {[string, string][]} */ (rows(data.signs)));
    const countries = rows(data.countries);
    this.countries = new Set(countries.map(([code]) => code));
    this.longCodes = new Map(countries.map(([code, long]) => [long, code]));
    this.countryNames = new Map(
      countries.flatMap(([code, , ...names]) => names.map((name) => /** @type {[string, string]} */ ([name, code]))),
    );
    this.writtenFor = new Map(/** @type {[string, string][]} */ (rows(data.countryErrors)));
  }
}
