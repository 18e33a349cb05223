// What the pages of the workbench have in common with every page; none has a table to narrow or a part that is laid out late.

import "./policy.js";
import "./parts.js";
import "./menu.js";
import "./theme.js";
import "./copy.js";
import "./langs.js";
import "./search.js";
