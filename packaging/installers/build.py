"""Builds wheel, frozen bundle and packages into ``dist/``; ``packaging/build`` starts it.

Two builds of a commit on one system give the same bytes: all times are that of the commit.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version as version_of
from pathlib import Path

import appimage
import content
import deb
import elf_files
import macos
import manual_site
import rpm
import sbom
import windows

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DIST = ROOT / "dist"
WORK = ROOT / "build"
BUNDLE = WORK / "bundle" / "cdb-desktop"
# Where to get the commands that each package takes.
COMMANDS = {
    "deb": {"dpkg-deb": "apt-get install dpkg"},
    "rpm": {"rpmbuild": "apt-get install rpm"},
    "tar": {"xz": "apt-get install xz-utils"},
    "appimage": {"appimagetool": "see packaging/README.md"},
    "macos": {"codesign": "xcode-select --install", "xcrun": "xcode-select --install"},
}
# `all` builds these; the others take what not every machine has.
USUAL = ("deb", "rpm", "tar")
LINUX = {"strip": "apt-get install binutils", "readelf": "apt-get install binutils"}


class BuildError(Exception):
    """Something is missing on this machine, or in the result."""


def main(arguments: Sequence[str]) -> int:
    """Builds what is asked for and prints name, size and SHA-256 of each file."""
    parser = argparse.ArgumentParser(prog="packaging/build", description=__doc__)
    targets = ("all", "wheel", "sdist", "manual", *COMMANDS, "windows")
    parser.add_argument("target", nargs="?", default="all", choices=targets)
    parser.add_argument("--keep-bundle", action="store_true", help="use the frozen bundle of the last build")
    parser.add_argument("--fast", action="store_true", help="compress less, to try out the packages")
    parser.add_argument(
        "--python-archive", type=Path, metavar="ZIP",
        help="for windows: an embeddable package of python.org in place of that of PyPI",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    started = time.monotonic()
    try:
        level = 1 if given.fast else 6
        made = build(given.target, level, keep_bundle=given.keep_bundle, python_archive=given.python_archive)
    except (BuildError, windows.WindowsBuildError) as error:
        print(f"packaging/build: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"packaging/build: {error}", file=sys.stderr)
        return 1
    write_sums()
    for path in made:
        print(f"{digest(path)}  {path.stat().st_size / 1e6:7.1f} MB  {path.name}")
    print(f"{time.monotonic() - started:.0f} s")
    return 0


def build(target: str, level: int, *, keep_bundle: bool, python_archive: Path | None) -> list[Path]:
    """Builds one target or all, and returns the files; ``level`` is that of xz."""
    wanted = USUAL if target == "all" else (target,) if target in COMMANDS else ()
    check_machine(wanted)
    os.umask(0o022)
    epoch = commit_time()
    os.environ.update(SOURCE_DATE_EPOCH=str(epoch), PYTHONHASHSEED="1", LC_ALL="C.UTF-8")
    DIST.mkdir(exist_ok=True)
    wheel = build_wheel()
    made = [wheel]
    version = version_of("cdb-desktop")
    if target in {"all", "sdist"}:
        made.append(build_sdist(version))
    if target == "manual" or wanted:
        step("building the manual's web site")
        manual_site.build(content.MANUAL, WORK / "manual/sources", version)
    if target == "manual":
        return [*made, archive(content.MANUAL, f"cdb-desktop-manual-{version}", epoch, level)]
    if target == "windows":
        step("making the installer for Windows")
        return made + windows.build(wheel, DIST, WORK / "windows", epoch, archive=python_archive, level=level)
    if not wanted:
        return made
    if not keep_bundle or not BUNDLE.is_dir():
        freeze(wheel)
    bill = DIST / f"cdb-desktop-{version}.cdx.json"
    bill.write_text(sbom.bill_of_materials(epoch, bundle=BUNDLE), encoding="utf-8")
    made.append(bill)
    recipes: dict[str, Callable[[], Path]] = {
        "deb": lambda: deb.build(BUNDLE, bill, DIST, epoch, level),
        "rpm": lambda: rpm.build(BUNDLE, bill, DIST, epoch, level),
        "tar": lambda: build_tar(version, bill, epoch, level),
        "appimage": lambda: appimage.build(BUNDLE, bill, DIST, epoch),
        "macos": lambda: macos.build(BUNDLE.parent, DIST),
    }
    for name in wanted:
        step(f"making the {name}")
        made.append(recipes[name]())
    return made


def check_machine(wanted: Sequence[str]) -> None:
    """Raises BuildError if this machine cannot make a package, before anything takes time."""
    if not wanted:
        return
    system = "darwin" if "macos" in wanted else "linux"
    if sys.platform != system or (system == "linux" and sysconfig.get_platform() != "linux-x86_64"):
        raise BuildError("packages for macOS are built there, the others on Linux for x86-64")
    commands = dict(LINUX) if system == "linux" else {}
    for name in wanted:
        commands |= COMMANDS[name]
    missing = [f"{name} ({source})" for name, source in commands.items() if shutil.which(name) is None]
    if missing:
        raise BuildError(f"missing: {', '.join(missing)}")


def build_wheel() -> Path:
    """The wheel, which is installed into the environment of the build as well."""
    step("building the wheel")
    for old in DIST.glob("*.whl"):
        old.unlink()
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(DIST), str(ROOT))
    wheel = next(DIST.glob("cdb_desktop-*.whl"))
    pip("install", "--no-deps", "--force-reinstall", str(wheel))
    return wheel


def build_sdist(version: str) -> Path:
    """The sources as package indexes take them: what the checkout has, except for what git ignores."""
    step("packing the sources")
    run(sys.executable, "-P", "-m", "hatchling", "build", "--target", "sdist", "--directory", str(DIST))
    return DIST / f"cdb_desktop-{version}.tar.gz"


def freeze(wheel: Path) -> None:
    """Freezes both programs of the installed wheel into one folder, or an application of macOS."""
    step(f"freezing {wheel.name} with PyInstaller")
    shutil.rmtree(BUNDLE.parent, ignore_errors=True)
    # Not in the checkout: its sources would be found before the installed wheel.
    run(
        sys.executable, "-P", "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR",
        "--distpath", str(BUNDLE.parent), "--workpath", str(WORK / "pyinstaller"), str(HERE / "bundle.spec"),
        cwd=WORK,
    )  # fmt: skip
    if sys.platform != "linux":
        return
    removed = elf_files.remove_unneeded(BUNDLE)
    step(f"removed libraries that nothing needs: {', '.join(removed)}")
    saved = elf_files.shrink(BUNDLE)
    os.link(BUNDLE / "cdb-desktop", BUNDLE / "cdb-server")
    step(f"shrank the libraries by {saved / 1e6:.0f} MB to {content.installed_size(BUNDLE) / 1e6:.0f} MB")
    known = content.SYSTEM_LIBRARIES.keys() | content.OPTIONAL_LIBRARIES.keys()
    missing = {name: by for name, by in elf_files.unresolved(BUNDLE).items() if name not in known}
    if missing:
        raise BuildError(f"libraries are neither in the bundle nor a dependency: {missing}")


def build_tar(version: str, bill: Path, epoch: int, level: int) -> Path:
    """The archive for users without root; its ``install`` adds menu entry, icons and links."""
    name = f"cdb-desktop-{version}-linux-x86_64"
    folder = WORK / "tar" / name
    shutil.rmtree(folder.parent, ignore_errors=True)
    content.copy_bundle(BUNDLE, folder)
    for script in ("install", "uninstall"):
        shutil.copy(HERE / "tar" / script, folder / script)
        (folder / script).chmod(0o755)
    content.write_shared_files(folder / "share", bill, epoch)
    shutil.copy(ROOT / "LICENSE", folder)
    return archive(folder, name, epoch, level)


def archive(folder: Path, name: str, epoch: int, level: int) -> Path:
    """Packs a folder, as ``name``, into ``name.tar.xz``."""
    target = DIST / f"{name}.tar.xz"
    target.unlink(missing_ok=True)
    run(
        "tar", "--create", "--sort=name", f"--mtime=@{epoch}", "--owner=0", "--group=0", "--numeric-owner",
        "--format=gnu", "--mode=u=rwX,go=rX", f"--use-compress-program=xz -{level} -T2", f"--file={target}",
        f"--directory={folder.parent}", f"--transform=s,^{folder.name},{name},", folder.name,
    )  # fmt: skip
    return target


def write_sums() -> None:
    """Writes ``SHA256SUMS`` for ``sha256sum --check``."""
    files = sorted(path for path in DIST.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = "".join(f"{digest(path)}  {path.name}\n" for path in files)
    (DIST / "SHA256SUMS").write_text(lines, encoding="utf-8")


def commit_time() -> int:
    """The time that all files get: ``SOURCE_DATE_EPOCH``, that of the commit, or of the start without git."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    found = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return int(found.stdout) if found.returncode == 0 else int(datetime.now(UTC).timestamp())


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pip(*arguments: str) -> None:
    """Runs pip in the environment of the build."""
    run(
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        *arguments,
        cwd=WORK,
    )


def run(*command: str, cwd: Path = ROOT) -> None:
    """Runs a command. Raises CalledProcessError."""
    # Modules are looked for in the environment of the build only.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(command, check=True, cwd=cwd, env=environment, stdin=subprocess.DEVNULL)


def step(text: str) -> None:
    """Says what is being done."""
    print(f"build: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
