/* Loading of data and typefaces, and saving of files. */

export async function loadJson(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} for ${answer.url}`);
  return answer.json();
}

// Loads every typeface at once. A browser otherwise loads the letters of a language when they first appear, and the
// request would tell the server something about the text that a reader brings.
export const loadTypefaces = () => Promise.allSettled([...document.fonts].map((face) => face.load()));

export function saveText(text, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
