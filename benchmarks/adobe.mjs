// A round of the npm package @adobe/structured-data-validator with its extractor, on request.
// Started by peers.py: reads one line for each round on standard input, answers with milliseconds a page and findings.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, vocabulary, list] = process.argv.slice(2);
const require = createRequire(modules + '/x.js');
const load = async (name) => {
  const found = await import(pathToFileURL(require.resolve(name)).href);
  return found.default ?? found.Validator;
};
const WebAutoExtractor = await load('@marbec/web-auto-extractor');
const Validator = await load('@adobe/structured-data-validator');
const pages = readFileSync(list, 'utf8').trim().split('\n').map((path) => readFileSync(path, 'utf8'));
const validator = new Validator(JSON.parse(readFileSync(vocabulary, 'utf8')));
validator.debug = false;

async function round() {
  let findings = 0;
  let crashed = 0;
  const ms = [];
  for (const html of pages) {
    const began = process.hrtime.bigint();
    try {
      const extractor = new WebAutoExtractor({ addLocation: true, embedSource: ['rdfa', 'microdata'] });
      findings += (await validator.validate(extractor.parse(html))).length;
    } catch {
      crashed += 1;
    }
    ms.push(Number(process.hrtime.bigint() - began) / 1e6);
  }
  return { ms, findings, crashed };
}

console.log(JSON.stringify({ ready: pages.length }));
for await (const _ of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await round()));
}
