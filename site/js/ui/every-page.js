// What every page has: navigation, theme, search and the like.

import "./workbench.js";
import "./tables.js";
import "./late.js";
