"""Adds the licences of everything that a wheel has inside: add_licences.py WHEEL BUILD OUT [NUMBER].

What is inside is found and not listed: the libraries that auditwheel put beside the package, and
the headers that its sources were compiled from, by the records of ninja in the folder BUILD. Each
belongs to a package of the distribution, to nanobind, or to the CUDA toolkit. The wheel is written
to the folder OUT, with NUMBER as its build number, and its path printed. A part without a licence
is an error.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile

import nanobind  # type: ignore[import-untyped]

# Headers of the C library, of the compiler's library (whose exception covers what it compiles) and
# of Python leave nothing in a program that would need a notice.
free_packages = re.compile(r"(libc6|linux-libc|lib(gcc|stdc\+\+)-\d+|libpython3\S*|libcrypt|gcc-\d+)(-dev)?$")
common = pathlib.Path("/usr/share/common-licenses")


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def headers_of(build: pathlib.Path) -> list[pathlib.Path]:
    """Returns the headers of all objects, without those of the project."""
    project = pathlib.Path.cwd()
    lines = set(re.findall(r"^    (\S.*)$", output("ninja", "-C", str(build), "-t", "deps"), re.M))
    files = {(build / line).resolve() for line in lines if not line.startswith("ninja:")}
    inside = [project / folder for folder in ("host", "include", "kernels", "python")]
    return sorted(f for f in files if not any(f.is_relative_to(folder) for folder in inside))


def packages_of(files: list[pathlib.Path]) -> dict[str, list[pathlib.Path]]:
    """Returns the files of each package of the distribution; those of none under an empty name."""
    found: dict[str, list[pathlib.Path]] = {}
    names = {str(f): f for f in files}
    merged = {f"/{f.relative_to('/usr')}": f for f in files if f.is_relative_to("/usr/lib")}
    answer = subprocess.run(
        ["dpkg", "-S", *names, *merged], capture_output=True, text=True, check=False
    ).stdout
    rest = set(files)
    for line in answer.splitlines():
        owners, _, name = line.partition(": ")
        file = names.get(name) or merged.get(name)
        if file is not None:
            rest.discard(file)
            found.setdefault(owners.split(",")[0].split(":")[0], []).append(file)
    if rest:
        found[""] = sorted(rest)
    return found


def toolkit_of(file: pathlib.Path) -> pathlib.Path | None:
    """Returns the CUDA toolkit that a header is of."""
    return next((p for p in file.parents if (p / "include/cuda_runtime.h").is_file()), None)


def notices(files: list[pathlib.Path]) -> str:
    """Returns the comments with a copyright at the top of these files, each once."""
    comments: dict[str, None] = {}
    for file in files:
        match = re.match(r"\s*(/\*.*?\*/|(?://[^\n]*\n\s*)+)", file.read_text(errors="replace"), re.S)
        if match and re.search("copyright|SPDX", match[1], re.I):
            comments[match[1].strip()] = None
    return "\n\n".join(sorted(comments)) + "\n" if comments else ""


class Licences:
    """Collects texts by the names of their files."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add_package(self, package: str) -> None:
        file = pathlib.Path("/usr/share/doc") / package / "copyright"
        if not file.is_file():
            sys.exit(f"{file} is missing: install the package {package} with its documentation")
        self._add(f"{package}.txt", file.read_text())

    def add_nanobind(self, files: list[pathlib.Path]) -> None:
        import importlib.metadata

        own = [f for f in importlib.metadata.files("nanobind") or [] if f.name == "LICENSE"]
        if not own:
            sys.exit("the package nanobind has no file LICENSE: install it with pip")
        # tsl::robin_map is inside nanobind, with its licence in its headers
        robin_map = notices([f for f in files if "robin_map" in f.parts])
        self._add("nanobind.txt", own[0].read_text() + "\n" + robin_map)

    def add_cuda(self, toolkit: pathlib.Path, files: list[pathlib.Path]) -> None:
        """Adds NVIDIA's licence, for the runtime, and the notices in the headers of CCCL."""
        places = [
            *toolkit.glob("EULA.txt"),
            *toolkit.glob("dist-info/nvidia_cuda_runtime-*/licenses/License.txt"),
            *pathlib.Path("/usr/share/doc").glob("cuda-cudart-dev-*/copyright"),
        ]
        if not places:
            sys.exit(f"there is no EULA.txt in {toolkit}: put that of the toolkit there")
        self._add("cuda-runtime.txt", places[0].read_text())
        cccl = notices([f for f in files if "cccl" in f.parts])
        if cccl:
            self._add("cccl.txt", cccl + (common / "Apache-2.0").read_text())

    def _add(self, name: str, text: str) -> None:
        self.texts[name] = text
        # Copyright files of Debian point to texts that every system of it has.
        for licence in re.findall(rf"{common}/([\w.-]*\w)", text):
            if (common / licence).is_file():
                self.texts[f"common/{licence}.txt"] = (common / licence).read_text()


def libraries_of(wheel: pathlib.Path) -> list[pathlib.Path]:
    """Returns the system's libraries that were copied into an unpacked wheel, whose names end in
    the first digits of a hash."""
    linked = output("/sbin/ldconfig", "-p")
    found = []
    for library in sorted(wheel.glob("warpath.libs/*.so*")):
        stem = library.name.partition(".so")
        name = re.sub(r"-[0-9a-f]{8}$", "", stem[0]) + stem[1] + stem[2]
        paths = re.findall(rf"=> (\S*/{re.escape(name.rsplit('.so', 1)[0])}\.so\S*)$", linked, re.M)
        paths = [p for p in paths if pathlib.Path(p).resolve().name.startswith(name)]
        if not paths:
            sys.exit(f"{library.name}: no library of the system has the name {name}")
        found.append(pathlib.Path(paths[0]).resolve())
    return found


def collect(wheel: pathlib.Path, build: pathlib.Path) -> Licences:
    licences = Licences()
    headers = headers_of(build)
    if not headers:
        sys.exit(f"{build} has no records of ninja: build the wheel in it first")
    for package, files in packages_of(headers + libraries_of(wheel)).items():
        if package and not free_packages.match(package):
            licences.add_package(package)
        if package:
            continue
        bindings = pathlib.Path(nanobind.__file__).resolve().parent
        python = pathlib.Path(sysconfig.get_path("include")).resolve()
        toolkits = {toolkit for f in files if (toolkit := toolkit_of(f))}
        for file in files:
            known = [bindings, python, build, *toolkits]
            if not any(file.is_relative_to(folder) for folder in known):
                sys.exit(f"{file} is compiled in, but is of no package whose licence is known")
        licences.add_nanobind(files)
        for toolkit in toolkits:
            licences.add_cuda(toolkit, files)
    return licences


def main(wheel: pathlib.Path, build: pathlib.Path, out: pathlib.Path, number: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        tool = [sys.executable, "-m", "wheel"]
        output(*tool, "unpack", str(wheel), "--dest", folder)
        (unpacked,) = pathlib.Path(folder).iterdir()
        (info,) = unpacked.glob("*.dist-info")
        for name, text in collect(unpacked, build).texts.items():
            file = info / "licenses" / "third-party" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        numbered = ["--build-number", number] if number else []
        output(*tool, "pack", str(unpacked), "--dest-dir", str(out), *numbered)
    name, version, tags = wheel.name.split("-", 2)
    print(out / "-".join([name, version, *numbered[1:], tags]))


if __name__ == "__main__":
    main(*(pathlib.Path(argument).absolute() for argument in sys.argv[1:4]), *sys.argv[4:])
