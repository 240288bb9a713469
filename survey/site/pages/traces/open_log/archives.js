/* Archives in scripts: each script passes on a piece of a packed archive (survey/site/pages/traces/open_log/packing.py). */

import { element } from "../../../theme/scripts/dom.js";

const NAMES = ["runtime", "toolkit"];

function script(address) {
  return new Promise((resolve, reject) => {
    const node = element("script", { src: address, onload: resolve, onerror: () => reject(new Error(`${address} could not be loaded.`)) });
    document.head.append(node);
  });
}

async function known(folder) {
  for (const name of NAMES) {
    if (!self.surveyArchives?.[name]) await script(new URL(`${name}.js`, folder));
    if (!self.surveyArchives[name]) throw new Error(`This copy of the site has no ${name}.`);
  }
  return NAMES.map((name) => self.surveyArchives[name]);
}

// The bytes that all archives take; fails if this copy of the site has one of them not.
export async function totals(folder) {
  return (await known(folder)).reduce((sum, { bytes }) => sum + bytes, 0);
}

function decoded(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

async function unpacked(pieces) {
  const stream = new Blob(pieces).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = bytes.indexOf(10);
  const files = {};
  let at = end + 1;
  for (const [name, size] of JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))) files[name] = bytes.slice(at, at += size);
  return files;
}

// Every file of every archive; "progress" is told the share that has come.
export async function loaded(folder, progress) {
  const archives = await known(folder);
  const count = archives.reduce((sum, { scripts }) => sum + scripts.length, 0);
  let come = 0;
  const files = {};
  for (const { scripts } of archives) {
    const pieces = await Promise.all(scripts.map(async (name) => {
      await script(new URL(name, folder));
      progress(++come / count);
      const bytes = decoded(self.surveyPieces[name]);
      delete self.surveyPieces[name];
      return bytes;
    }));
    Object.assign(files, await unpacked(pieces));
  }
  return files;
}
