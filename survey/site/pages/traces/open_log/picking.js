/* The files that a reader chooses or drops, each with its path below the folder that was chosen. */

export function chosen(input) {
  const files = [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  input.value = ""; // so that the same file can be chosen again
  return files;
}

export async function dropped(data) {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean); // before anything is awaited
  return (await Promise.all(entries.map(below))).flat();
}

async function below(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.slice(1), file }];
  }
  const reader = entry.createReader(), found = [];
  for (;;) { // a reader passes on a hundred entries at a time
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(below))).flat();
}
