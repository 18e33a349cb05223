// Requests of the preview as programs: curl, Python, JavaScript.

const MOST_OF_AN_ARGUMENT = 30_000;

/** A value as Python writes it. @param {Json} value @returns {string} */
const pythonOf = (value) => value === null ? "None" : value === true ? "True" : value === false ? "False"
  : Array.isArray(value) ? `[${value.map(pythonOf).join(", ")}]`
    : typeof value === "object" ? `{${Object.entries(value).map(([key, each]) => JSON.stringify(key) + ": " + pythonOf(each)).join(", ")}}` : JSON.stringify(value);

/** A program that requests a preview. @param {string} language @param {string} where @param {SnippetRequest} request */
export const programFor = (language, where, request) => {
  const body = JSON.stringify(request, null, 2);
  if (language === "python") return `import httpx\n\nanswer = httpx.post(\n    "${where}",\n    json=${pythonOf(request)},\n)\nprint(answer.json()["snippet"])\n`;
  if (language === "javascript") return `const answer = await fetch("${where}", {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: JSON.stringify(${body}),\n});\nconsole.log((await answer.json()).snippet);\n`;
  const command = `curl ${where} \\\n  -H 'Content-Type: application/json' \\\n  `;
  // An argument has at most 128 KiB on Linux; a here-document may be longer.
  return body.length < MOST_OF_AN_ARGUMENT ? `${command}-d '${body.replaceAll("'", "'\\''")}'\n` : `${command}--data-binary @- <<'WAYPOST'\n${body}\nWAYPOST\n`;
};
