/* The arXiv number and the DOI of a work, in whichever field they are. */

const ARXIV = "([0-9]{4}\\.[0-9]{4,5}|[a-z-]+(?:\\.[a-z]{2})?/[0-9]{7})(?:v[0-9]+)?(?![0-9])";
const WHOLE_ARXIV = new RegExp(`^(?:arxiv:)?\\s*${ARXIV}(?:\\s*\\[.*)?$`, "i");
const ARXIV_INSIDE = new RegExp(`(?:arxiv(?:\\.org)?(?:/(?:abs|pdf|html|format)/|\\s*[:.]\\s*|\\s+)|^abs/)${ARXIV}`, "i");
const DOI = /10\.[0-9]{4,9}\/[^\s"<>{}\\]+/;
const WITH_ARXIV = ["eprint", "arxivid", "arxiv", "url", "doi", "journal", "journaltitle", "howpublished", "note", "volume", "number", "publisher", "annote", "pages"];

export function arxivOf(fields) {
  const elsewhere = !/^(arxiv)?$/i.test((fields.archiveprefix || fields.eprinttype || "").trim());
  for (const name of WITH_ARXIV) {
    const text = (fields[name] || "").replace(/[{}\\]/g, "").trim();
    if (!text) continue;
    const bare = name.startsWith("arxiv") || (name === "eprint" && !elsewhere);
    const found = (bare && WHOLE_ARXIV.exec(text)) || ARXIV_INSIDE.exec(text);
    if (found) return found[1].toLowerCase().replace(/^([a-z-]+)\.[a-z]{2}\//, "$1/");
  }
  return "";
}

export function doiOf(fields) {
  for (const name of ["doi", "url", "ee", "note", "howpublished"]) {
    const text = (fields[name] || "").replace(/\\([_%&#$~])/g, "$1").replace(/[{}\\]/g, "");
    if (!text || (name !== "doi" && !/doi\.org/i.test(text))) continue;
    const found = DOI.exec(decoded(text));
    if (found) return found[0].toLowerCase().replace(/[.,;)]+$/, "");
  }
  return "";
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

export const identified = (fields) => Boolean(arxivOf(fields) || doiOf(fields));
