/* Loading of data and saving of files. */

export async function loadJson(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} for ${answer.url}`);
  return answer.json();
}

export function saveText(text, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
