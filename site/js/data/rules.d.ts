/** The rules that src/waypost/pages/py2js translates from Python. Each hands itself to `module` of site/js/engine/python.js. */
export {};
