/* Runs Python in a worker, which has no connection to anything: the page passes it the runtime, the toolkit and the
   logs. The text of Pyodide stands before this one and defines createPyodideModule and loadPyodide. */

const LOGS = "/logs";
let python, session, mounted = false;
console.error = () => {}; // that Python has ended is told by the page, in its own words

// The loader asks for its parts by fetching them; it gets what the page has passed.
function answerFrom(files) {
  const types = { wasm: "application/wasm" };
  self.fetch = async (asked) => {
    const name = String(asked.url ?? asked).split("/").pop();
    if (!files[name]) throw new TypeError(`${name} is not among the files of the page`);
    return new Response(files[name], { headers: { "content-type": types[name.split(".").pop()] ?? "application/octet-stream" } });
  };
}

const JOBS = {
  async start({ files }) {
    answerFrom(files);
    const silent = () => {};
    python = await loadPyodide({
      createPyodideModule, indexURL: "https://page.invalid/", stdout: silent, stderr: silent,
      lockFileContents: JSON.parse(new TextDecoder().decode(files["lock.json"])),
    });
    for (const name of ["msgspec.zip", "toolkit.zip"]) python.unpackArchive(files[name], "zip", { extractDir: "/toolkit" });
    python.FS.mkdirTree(LOGS);
    session = python.runPython(`
      import os, sys
      sys.path.insert(0, "/toolkit")
      from survey.cli.trace.in_browser import Session
      os.chdir("${LOGS}")
      Session()
    `);
  },

  // A file is read where it lies, piece by piece.
  open({ files, paths }) {
    if (mounted) python.FS.unmount(LOGS);
    const blobs = files.map(({ path, file }) => ({ name: path, data: file }));
    python.FS.mount(python.FS.filesystems.WORKERFS, { blobs }, LOGS);
    mounted = true;
    python.runPython(`os.chdir("${LOGS}")`);
    return JSON.parse(session.open(python.toPy(paths)));
  },

  save({ trace, format }) {
    const made = session.save(trace, format);
    const bytes = made.toJs();
    made.destroy();
    return bytes;
  },
};

self.onmessage = async ({ data: { job, ...asked } }) => {
  try {
    self.postMessage({ job, answer: await JOBS[job](asked) });
  } catch (error) {
    // what Python raised says more in its last line; anything else has ended the interpreter
    const told = String(error.message ?? error).trim().split("\n").pop();
    self.postMessage({ job, failed: told, ended: error.name !== "PythonError" });
  }
};
