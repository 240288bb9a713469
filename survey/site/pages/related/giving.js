/* Input of a list: files that are chosen or dropped, or pasted text. */

import { one } from "../../theme/scripts/dom.js";

const LARGEST = 64 * 2 ** 20;

// Calls "show" with the texts { name, text } of the input, or "tell" with a message if there are none.
export function listen(form, show, tell) {
  const drop = one(".drop", form);
  const paste = one("textarea", form);
  const picker = one("input[type=file]", form);

  async function read(files) {
    const large = files.find((file) => file.size > LARGEST);
    if (large) return tell(`${large.name} is larger than 64 megabytes, too large for a list of references. Nothing was read.`);
    try {
      show(await Promise.all(files.map(async (file) => ({ name: file.name, text: textOf(await file.arrayBuffer()) }))));
    } catch {
      tell("The file could not be read: your browser or your system refused it.");
    }
  }

  picker.addEventListener("change", () => { if (picker.files.length) read([...picker.files]); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (paste.value.trim()) show([{ name: "", text: paste.value }]);
    else { tell("Nothing is pasted yet."); paste.focus(); }
  });
  form.addEventListener("reset", () => tell(""));
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return; // dragged text goes into the text box as usual
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    read([...event.dataTransfer.files]);
  });
  if (picker.files.length) read([...picker.files]); // chosen before the script was loaded
}

// Decodes UTF-8, unless a byte order mark or invalid bytes show another encoding.
function textOf(buffer) {
  const [a, b] = new Uint8Array(buffer, 0, Math.min(2, buffer.byteLength));
  if ((a === 0xFF && b === 0xFE) || (a === 0xFE && b === 0xFF)) return new TextDecoder(a === 0xFF ? "utf-16le" : "utf-16be").decode(buffer);
  try { return new TextDecoder("utf-8", { fatal: true }).decode(buffer); } catch { return new TextDecoder("windows-1252").decode(buffer); }
}
