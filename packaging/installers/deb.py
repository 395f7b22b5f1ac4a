"""The Debian package, and the files for menus and icons that the archive for users shares with it."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGING = HERE.parent
ROOT = PACKAGING.parent
NAME = "cdb-desktop"
APP_ID = "io.github.cdb_desktop.cdb_desktop"
# Whoever releases the package gives a real address.
MAINTAINER = os.environ.get("CDB_MAINTAINER", "The CDB Desktop authors <nobody@cdb-desktop.invalid>")
# Shared libraries that the bundle takes from the system, and the packages with them.
SYSTEM_LIBRARIES = {
    "ld-linux-x86-64.so.2": "libc6 (>= 2.36)",
    "libc.so.6": "libc6 (>= 2.36)",
    "libdl.so.2": "libc6 (>= 2.36)",
    "libm.so.6": "libc6 (>= 2.36)",
    "libpthread.so.0": "libc6 (>= 2.36)",
    "libresolv.so.2": "libc6 (>= 2.36)",
    "librt.so.1": "libc6 (>= 2.36)",
    "libutil.so.1": "libc6 (>= 2.36)",
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6 (>= 12)",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libXext.so.6": "libxext6",
    "libXrender.so.1": "libxrender1",
    "libexpat.so.1": "libexpat1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb.so.1": "libxcb1",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
OTHER_DEPENDS = ("fontconfig-config", "fonts-dejavu-core | fonts-noto-core | fonts-liberation", "xkb-data")
DESCRIPTION = """\
administer a Content Database Service
 CDB Desktop is for administrators of a Content Database Service, for support
 staff and for data modelers: search the event log, follow it live, edit the
 database schema and commit it.
 .
 The package contains cdb-server as well, a reference server that implements
 the whole interface of such a service, to try things out and to rehearse
 commits. Its systemd units are not enabled."""
# What lintian says about a frozen bundle, whose libraries are those of its wheels.
OVERRIDES = """\
# The bundle contains Python and the libraries of pinned wheels, which Debian has not or in other versions.
cdb-desktop: embedded-library
cdb-desktop: hardening-no-fortify-functions
cdb-desktop: hardening-no-pie
cdb-desktop: hardening-no-relro
cdb-desktop: library-not-linked-against-libc
cdb-desktop: shared-library-lacks-prerequisites
cdb-desktop: shared-library-is-executable
cdb-desktop: custom-library-search-path
cdb-desktop: extra-license-file
cdb-desktop: package-contains-documentation-outside-usr-share-doc
cdb-desktop: unstripped-binary-or-object
# Libraries of wheels without their padding and their table of sections, which only debuggers read.
cdb-desktop: binary-with-bad-dynamic-table
cdb-desktop: elf-error
"""


def build(bundle: Path, bill: Path, target_folder: Path, epoch: int, level: int) -> Path:
    """Writes the package and returns its path; ``level`` is that of xz."""
    work = ROOT / "build/deb"
    version = f"{version_of(NAME)}-1"
    tree = work / "tree"
    shutil.rmtree(work, ignore_errors=True)
    lib = tree / "usr/lib" / NAME
    shutil.copytree(bundle, lib, symlinks=True)
    (lib / "cdb-server").unlink()
    os.link(lib / "cdb-desktop", lib / "cdb-server")
    links = tree / "usr/bin"
    links.mkdir(parents=True)
    for program in ("cdb-desktop", "cdb-server"):
        (links / program).symlink_to(f"../lib/{NAME}/{program}")
    write_shared_files(tree / "usr/share", bill, epoch)
    write_documents(tree / "usr/share", version, epoch)
    units = {
        "cdb-server.service": "usr/lib/systemd/system",
        "cdb-server.user.service": "usr/lib/systemd/user",
    }
    for source, folder in units.items():
        (tree / folder).mkdir(parents=True)
        shutil.copy(HERE / source, tree / folder / "cdb-server.service")
    _set_modes(tree, (lib / "cdb-desktop",))
    control = tree / "DEBIAN"
    control.mkdir()
    sizes = {path.lstat().st_ino: path.lstat().st_size for path in tree.rglob("*") if path.is_file()}
    installed = sum(sizes.values()) // 1024
    (control / "control").write_text(_control(version, installed), encoding="utf-8")
    (control / "md5sums").write_text(_md5sums(tree), encoding="utf-8")
    for path in (control, *control.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    target = target_folder / f"{NAME}_{version}_amd64.deb"
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--threads-max=2", "--build", tree, target],
        check=True, env=environment, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return target


def write_shared_files(share: Path, bill: Path, epoch: int) -> None:
    """Writes menu entry, icons, MIME types, AppStream metadata, man pages and notices below ``share``."""
    version = version_of(NAME)
    day = datetime.fromtimestamp(epoch, UTC).date().isoformat()
    values = {"@VERSION@": version, "@DATE@": day}
    _fill(HERE / "cdb-desktop.desktop", share / "applications/cdb-desktop.desktop", values)
    _fill(HERE / "mime-types.xml", share / "mime/packages/cdb-desktop.xml", values)
    _fill(HERE / "metainfo.xml", share / f"metainfo/{APP_ID}.metainfo.xml", values)
    icons = share / "icons/hicolor"
    for picture in (PACKAGING / "icons").glob("*.png"):
        folder = icons / f"{picture.stem}x{picture.stem}/apps"
        folder.mkdir(parents=True)
        shutil.copy(picture, folder / "cdb-desktop.png")
    (icons / "scalable/apps").mkdir(parents=True)
    shutil.copy(ROOT / "resources/icons/application/large.svg", icons / "scalable/apps/cdb-desktop.svg")
    (share / "man/man1").mkdir(parents=True)
    for program, package in (("cdb-desktop", "cdb_desktop"), ("cdb-server", "server_stub")):
        _compressed(share / f"man/man1/{program}.1.gz", man_page(program, package, day))
    documents = share / "doc" / NAME
    documents.mkdir(parents=True)
    notices = (PACKAGING / "third-party-notices.txt").read_text(encoding="utf-8")
    _compressed(documents / "third-party-notices.txt.gz", notices)
    _compressed(documents / "sbom.cdx.json.gz", bill.read_text(encoding="utf-8"))


def write_documents(share: Path, version: str, epoch: int) -> None:
    """Writes what Debian asks for: copyright, changelog and overrides of lintian."""
    documents = share / "doc" / NAME
    license_text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    holder = re.search(r"Copyright \(c\) (.+)", license_text)
    body = license_text.partition("\n\n")[2].partition("\n\n")[2]
    indented = "\n".join(f" {line}" if line.strip() else " ." for line in body.strip().splitlines())
    (documents / "copyright").write_text(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: CDB Desktop\n"
        "Comment: The licenses of all bundled libraries are in third-party-notices.txt.gz.\n"
        " Qt and Qt for Python are used under the LGPL-3; on Debian systems its text is in\n"
        " /usr/share/common-licenses/LGPL-3.\n\n"
        f"Files: *\nCopyright: {holder[1] if holder else ''}\nLicense: MIT\n{indented}\n",
        encoding="utf-8",
    )
    changelog = (
        f"{NAME} ({version}) unstable; urgency=medium\n\n  * Release {version.rpartition('-')[0]}.\n\n"
        f" -- {MAINTAINER}  {format_datetime(datetime.fromtimestamp(epoch, UTC))}\n"
    )
    _compressed(documents / "changelog.Debian.gz", changelog)
    upstream = (ROOT / ".github/CHANGELOG.md").read_text(encoding="utf-8")
    _compressed(documents / "changelog.gz", upstream)
    overrides = share / "lintian/overrides"
    overrides.mkdir(parents=True)
    (overrides / NAME).write_text(OVERRIDES, encoding="utf-8")


def man_page(program: str, package: str, day: str) -> str:
    """A page for section 1, made of what the installed package prints with ``--help``."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["COLUMNS"] = "80"
    text = subprocess.run(
        [sys.executable, "-P", "-m", package, "--help"],
        check=True, capture_output=True, text=True, env=environment, cwd="/",
    ).stdout  # fmt: skip
    return man_page_of_help(program, text, version_of(NAME), day)


def man_page_of_help(program: str, text: str, version: str, day: str) -> str:
    """The page for an argparse help text: usage, description, groups of arguments, closing words."""
    usage, description, *others = text.strip().split("\n\n")
    synopsis = _roff(" ".join(usage.removeprefix("usage:").split()).removeprefix(program))
    lines = [
        f'.TH {program.upper()} 1 "{day}" "CDB Desktop {version}" "User Commands"',
        ".SH NAME",
        rf"{_roff(program)} \- {_roff(' '.join(description.split()).rstrip('.').lower())}",
        ".SH SYNOPSIS",
        rf".B {_roff(program)}",
        synopsis.strip(),
        ".SH DESCRIPTION",
        _roff(" ".join(description.split())),
    ]
    for block in others:
        head, _, rest = block.partition("\n")
        if not rest.startswith("  "):
            lines += [".SH NOTES", _roff(" ".join(block.split()))]
            continue
        lines.append(f".SH {_roff(head.rstrip(':').upper())}")
        for line in rest.splitlines():
            entry = re.match(r"  (\S.*?)(?:\s{2,}(.*))?$", line)
            if entry and not line.startswith("   "):
                lines += [".TP", rf".B {_roff(entry[1])}", *([_roff(entry[2])] if entry[2] else [])]
            else:
                lines.append(_roff(line.strip()))
    other = "cdb-server" if program == "cdb-desktop" else "cdb-desktop"
    lines += [".SH SEE ALSO", rf".BR {_roff(other)} (1)"]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _control(version: str, installed: int) -> str:
    depends = ", ".join(sorted({*SYSTEM_LIBRARIES.values(), *OTHER_DEPENDS}))
    return (
        f"Package: {NAME}\nVersion: {version}\nArchitecture: amd64\nMaintainer: {MAINTAINER}\n"
        f"Installed-Size: {installed}\nDepends: {depends}\n"
        "Recommends: graphviz, gnome-keyring | kwalletmanager\nSection: database\nPriority: optional\n"
        f"Description: {DESCRIPTION}\n"
    )


def _md5sums(tree: Path) -> str:
    lines = []
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        if path.is_file() and not path.is_symlink() and name.parts[0] != "DEBIAN":
            digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
            lines.append(f"{digest}  {name.as_posix()}\n")
    return "".join(lines)


def _set_modes(tree: Path, programs: tuple[Path, ...]) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path in programs else 0o644)
    for path in programs:
        path.with_name("cdb-server").chmod(0o755)


def _fill(source: Path, target: Path, values: Mapping[str, str]) -> None:
    text = source.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(name, value)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def _compressed(path: Path, text: str) -> None:
    # No name and no time in the header: two builds are equal.
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
