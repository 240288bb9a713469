"""Python for browsers, as scripts beside the pages: fetched once by ``make browser``, and never committed.

Pyodide is CPython compiled to WebAssembly; its package and the one compiled package that the toolkit needs are taken
in one version each, and refused if they are not what they were when they were chosen.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from survey.site.pages.traces.open_log.packing import scripts

FOLDER = "assets/python"
"""Where the scripts are on the site."""

READY = ".ready"


@dataclass(frozen=True, slots=True)
class Pinned:
    """A package in one version: the name of its file, and the SHA-256 of it."""

    name: str
    version: str
    file: str
    sha256: str

    def checked(self, folder: Path) -> bytes:
        """Return the content of the file in a folder.

        Raises:
            ValueError: if it is another file than the pinned one.

        """
        content = (folder / self.file).read_bytes()
        if (found := hashlib.sha256(content).hexdigest()) != self.sha256:
            raise ValueError(f"{self.file}: found the SHA-256 {found}, expected {self.sha256}")
        return content


PYODIDE = Pinned(
    "pyodide", "314.0.7", "pyodide-314.0.7.tgz", "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
)  # fmt: skip
MSGSPEC = Pinned(
    "msgspec", "0.22.0", "msgspec-0.22.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    "a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022",
)  # fmt: skip
PLATFORM = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14", "--only-binary", ":all:")


def fetched(folder: Path) -> dict[str, bytes]:
    """Return both packages from the registries that npm and pip are set up for; ``folder`` takes the files.

    Raises:
        ValueError: if a file is not the pinned one.
        subprocess.CalledProcessError: if a program reports an error; it has said why.

    """
    _run("npm", "pack", f"{PYODIDE.name}@{PYODIDE.version}", "--silent", "--pack-destination", str(folder))
    _run(
        sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps", *PLATFORM,
        "--dest", str(folder), f"{MSGSPEC.name}=={MSGSPEC.version}",
    )  # fmt: skip
    return {one.name: one.checked(folder) for one in (PYODIDE, MSGSPEC)}


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def runtime(packages: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return what a worker starts Python from: its script, the machine code, and the standard library."""
    with tarfile.open(fileobj=io.BytesIO(packages["pyodide"])) as archive:
        members = {one.name.removeprefix("package/"): one for one in archive.getmembers()}

        def member(name: str) -> bytes:
            stream = archive.extractfile(members[name])
            assert stream is not None
            return stream.read()

        lock = json.loads(member("pyodide-lock.json"))
        return {
            "pyodide.js": _script(member("pyodide.asm.mjs").decode(), member("pyodide.mjs").decode()).encode(),
            "pyodide.asm.wasm": member("pyodide.asm.wasm"),
            "python_stdlib.zip": member("python_stdlib.zip"),
            "lock.json": json.dumps({"info": lock["info"], "packages": {}}).encode(),
            "msgspec.zip": _code(packages["msgspec"]),
        }


def _script(machine: str, loader: str) -> str:
    """Return both modules of Pyodide as one classic script, for a worker that may load nothing.

    On a page opened from a folder, browsers start no worker from a module. Pyodide declines to run in a worker that
    has ``importScripts``; this one has no use for it.

    Raises:
        ValueError: if they do not end as expected.

    """
    machine, found, _ = machine.rpartition("export default _createPyodideModule")
    loader, exported, names = loader.rpartition("export{")
    inner, given, _ = names.partition(" as loadPyodide")
    if not (found and exported and given and inner.isidentifier()):
        raise ValueError(f"pyodide {PYODIDE.version}: its modules export other names than expected")
    machine = machine.replace("import.meta.url", "self.location.href")
    return (
        "self.importScripts = undefined;\n"
        f"const createPyodideModule = (() => {{\n{machine}\nreturn _createPyodideModule;\n}})();\n"
        f"const loadPyodide = (() => {{\n{loader}\nreturn {inner};\n}})();\n"
    )


def _code(wheel: bytes) -> bytes:
    """Return the code of a package, packed no second time."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(wheel)) as read, zipfile.ZipFile(out, "w") as written:
        for one in read.infolist():
            if one.filename.endswith((".py", ".so")):
                written.writestr(zipfile.ZipInfo(one.filename), read.read(one))
    return out.getvalue()


def main(out: Path) -> None:
    """Fetch both packages and write their scripts into a folder. The file ``.ready`` in it says that all are there."""
    with tempfile.TemporaryDirectory() as folder:
        files = runtime(fetched(Path(folder)))
    shutil.rmtree(out, ignore_errors=True)
    (out / FOLDER).mkdir(parents=True)
    for name, text in scripts("runtime", files, {"version": PYODIDE.version}):
        (out / FOLDER / name).write_text(text)
    (out / READY).touch()


if __name__ == "__main__":
    if shutil.which("npm") is None:
        print(
            "npm is missing (on Debian: apt-get install npm): the site is built without Python for the page Open a log"
        )
        sys.exit()
    try:
        main(Path(sys.argv[1]))
    except (ValueError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
