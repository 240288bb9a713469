/* Export of the entry: copied, saved, or in the address of a new issue. */

import { saveText } from "../../theme/scripts/files.js";
import { fileName } from "./bibtex.js";

const LONGEST = 8000; // characters of an address that opens an issue

// Returns the address that opens an issue with the entry; "long" means that the entry must be pasted.
export function issue(issues, key, text) {
  const address = (body) => `${issues}${issues.includes("?") ? "&" : "?"}title=${encodeURIComponent(`New entry: ${key || "a work"}`)}&body=${encodeURIComponent(body)}`;
  const whole = address(`A new entry for bib/pool.bib:\n\n\`\`\`bibtex\n${text}\`\`\`\n`);
  if (whole.length <= LONGEST) return { address: whole, long: false };
  return { address: address("A new entry for bib/pool.bib. Paste the BibTeX here: it is too long for an address and was copied to the clipboard.\n\n```bibtex\n\n```\n"), long: true };
}

// Copies a text; returns whether the browser allowed it.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { return false; }
}

// Saves the entry; returns the name of the file.
export function save(key, text) {
  saveText(text, fileName(key), "application/x-bibtex");
  return fileName(key);
}
