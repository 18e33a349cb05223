// @ts-check
// Types written in the wrong letter case. Counterpart of waypost/validate/profiles/misspelt.py.

/** @import { Thing } from "../page.js" */

export const MISSPELT = "its type is written in the wrong letter case";

/** @param {Thing} node */
export const isTypeMisspelt = ({ types, miscased }) =>
  types.length > 0 && types.every((name) => miscased?.has(`@type:${name}`));
