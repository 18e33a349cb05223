// What the validate page takes of CodeMirror: bundled by tools/make_editor.py into site/vendor/editor.js.

import { defaultKeymap, history, historyKeymap, undo, undoDepth } from "@codemirror/commands";
import { LRLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { parseMixed } from "@lezer/common";
import { tagHighlighter, tags } from "@lezer/highlight";
import { parser as htmlParser } from "@lezer/html";
import { parser as jsonParser } from "@lezer/json";
import { StyleModule } from "style-mod";

// The site's policy refuses <style> elements. style-mod adopts constructed style sheets for a shadow root, and for a document
// that has them just as well, if it does not look like a document.
const mount = StyleModule.mount;
const roots = new WeakMap();
const adopting = (document) => ({
  ownerDocument: document,
  get adoptedStyleSheets() { return [...document.adoptedStyleSheets]; },
  set adoptedStyleSheets(sheets) { document.adoptedStyleSheets = sheets; },
});
StyleModule.mount = (root, modules, options) => {
  if (root.head && !roots.has(root)) roots.set(root, adopting(root));
  return mount(roots.get(root) || root, modules, options);
};

const SCRIPT_OF_DATA = /\btype\s*=\s*["']?\s*application\/(?:[\w.-]+\+)?json\b/i;
const json = LRLanguage.define({ name: "json", parser: jsonParser });
const html = LRLanguage.define({
  name: "html",
  parser: htmlParser.configure({
    wrap: parseMixed((node, input) => {
      if (node.name !== "ScriptText") return null;
      const tag = node.node.prevSibling;
      return tag && SCRIPT_OF_DATA.test(input.read(tag.from, tag.to)) ? { parser: jsonParser } : null;
    }),
  }),
});

export {
  Annotation, Compartment, Decoration, EditorState, EditorView, StateEffect, StateField, WidgetType,
  bracketMatching, defaultKeymap, history, historyKeymap, html, json, keymap, lineNumbers,
  placeholder, search, searchKeymap, syntaxHighlighting, tagHighlighter, tags, undo, undoDepth,
};
