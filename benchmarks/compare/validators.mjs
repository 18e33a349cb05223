// Run one npm validator over a folder of pages: node validators.mjs NAME NODE_MODULES FOLDER [VOCABULARY]
// Prints one JSON object: for each page its errors and warnings, how many of them have a place, or that it crashed.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [tool, modules, folder, vocabulary] = process.argv.slice(2);
const require = createRequire(modules + '/x.js');
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
console.log = () => {}; // the packages print while they work

async function adobe() {
  const { default: Extractor } = await load('@marbec/web-auto-extractor');
  const { default: found, Validator = found } = await load('@adobe/structured-data-validator');
  const validator = new Validator(vocabulary ? JSON.parse(readFileSync(vocabulary, 'utf8')) : undefined);
  return async (html) => {
    const data = new Extractor({ addLocation: true, embedSource: ['rdfa', 'microdata'] }).parse(html);
    const issues = await validator.validate(data);
    const errors = issues.filter((each) => each.severity === 'ERROR').length;
    return { errors, warnings: issues.length - errors, placed: issues.filter((each) => each.location).length };
  };
}

async function sdtt() {
  const { structuredDataTest } = require('structured-data-testing-tool');
  const { Google } = require('structured-data-testing-tool/presets');
  return async (html) => {
    const made = await structuredDataTest(html, { presets: [Google] }).catch((error) => {
      if (error.type === 'VALIDATION_FAILED') return error.res;
      throw error;
    });
    return { errors: made.failed.length, warnings: made.warnings.length, placed: 0 };
  };
}

const validate = await { adobe, sdtt }[tool]();
const pages = {};
for (const name of readdirSync(folder).sort()) {
  try {
    pages[name] = await validate(readFileSync(`${folder}/${name}`, 'utf8'));
  } catch (error) {
    pages[name] = { crash: String(error?.message ?? error).slice(0, 120) };
  }
}
process.stdout.write(JSON.stringify(pages) + '\n');
