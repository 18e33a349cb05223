// Which entries of the index a text finds: what is typed in full comes first, then beginnings, then one slip of the keys.

const LEAST_FOR_A_SLIP = 4;
const MOST_SHOWN = 12;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
const split = (text) => text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2");

// Whether `word`, or a beginning of it, is `typed` but for one letter too many, too few, another, or two changed places.
const slipped = (typed, word) => {
  if (typed.length < LEAST_FOR_A_SLIP || typed[0] !== word[0]) return false;
  let at = 0;
  while (at < typed.length && typed[at] === word[at]) at += 1;
  const rest = typed.slice(at + 1);
  return word.startsWith(rest, at + 1) || word.startsWith(rest, at) || word.startsWith(typed.slice(at), at + 1)
    || (typed[at] === word[at + 1] && typed[at + 1] === word[at] && word.startsWith(typed.slice(at + 2), at + 2));
};

const entryOf = ([address, kind, title, about], place) => ({
  address, kind, title, about, place,
  whole: title.toLowerCase(),
  named: [...new Set([...wordsOf(title), ...wordsOf(split(title))])],
  told: wordsOf(about),
});

const weigh = (entry, query, typed) => {
  if (entry.whole === query) return 1000;
  let weight = entry.whole.startsWith(query) ? 40 : 0;
  for (const word of typed) {
    if (entry.named.includes(word)) weight += 24;
    else if (entry.named.some((name) => name.startsWith(word))) weight += 16;
    else if (entry.told.includes(word)) weight += 6;
    else if (entry.told.some((told) => told.startsWith(word))) weight += 4;
    else if (entry.named.some((name) => slipped(word, name))) weight += 3;
    else if (entry.told.some((told) => slipped(word, told))) weight += 1;
    else return 0;
  }
  return weight;
};

waypost.find = (text) => {
  const query = text.trim().toLowerCase();
  const typed = wordsOf(text);
  if (!typed.length) return [];
  return waypost.entries
    .map((entry) => [weigh(entry, query, typed), entry])
    .filter(([weight]) => weight > 0)
    .sort(([a, first], [b, second]) => b - a || first.whole.length - second.whole.length || first.place - second.place)
    .slice(0, MOST_SHOWN)
    .map(([, entry]) => entry);
};

waypost.entries = INDEX.map(entryOf);
