/* Words of a query: without those that say nothing, and without the endings that a text may have in another form. */

const EMPTY = new Set("a about an and are as at be by can could do does did for from get gets got has have how i if in into is it its me my of on or our should so than that the their them then there these they this those to was we were what when where which who why will with would you your".split(" "));

const ENDINGS = "ionary ational ization ations ation ements ement ments ment ences ence ances ance ness ings ing ions ion ives ive ally al ies ers er ed es s e y".split(" ");

const SHORTEST = 3;

export const isPlain = (word) => /^[\x00-\x7f]+$/.test(word);

// Chinese and Japanese put no spaces between words: of what is longer than a word of two signs every pair is asked for,
// but for those with a sign that only joins words.
const JOINING = /[的之与和及在是了吗呢么の]/;

function pairsOf(word) {
  if (!/[\u3400-\u9fff]/.test(word) || word.length < 3) return [word];
  const pairs = [...word].slice(1).map((sign, n) => [...word][n] + sign).filter((pair) => !JOINING.test(pair));
  return pairs.length ? pairs : [word];
}

// Returns the words of a text in lower case; those that say nothing only if there are no others.
export function wordsOf(text) {
  const all = text.toLowerCase().split(/[\s\-_:/,.;?!"'()“”’]+/).filter(Boolean).flatMap(pairsOf);
  const telling = all.filter((word) => !EMPTY.has(word));
  return telling.length ? telling : all;
}

// Returns the beginning that all forms of a word have in common. Words in other scripts stay as they are.
export function stem(word) {
  const ending = isPlain(word) && ENDINGS.find((end) => word.endsWith(end) && word.length - end.length >= SHORTEST);
  if (!ending) return word;
  const rest = word.slice(0, -ending.length);
  const isDoubled = rest.length > SHORTEST && rest.at(-1) === rest.at(-2) && !"lsz".includes(rest.at(-1)) && "ei".includes(ending[0]);
  return isDoubled ? rest.slice(0, -1) : rest;
}

// Returns a word as Material's search is asked for it: itself, and whatever begins like it.
export function asked(word) {
  if (!isPlain(word)) return `*${word}*`;
  return word.length < SHORTEST ? `${word}^8` : `${stem(word)}*^1 ${word}^8`;
}
