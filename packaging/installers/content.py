"""What the packages for Linux contain, and what the .deb, the .rpm and the archive share of it."""

from __future__ import annotations

import gzip
import os
import shutil
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version as version_of
from pathlib import Path

import man_pages

HERE = Path(__file__).resolve().parent
PACKAGING = HERE.parent
ROOT = PACKAGING.parent
MANUAL = ROOT / "build/manual/site"  # the web site, which `build.py` makes
NAME = "cdb-desktop"
PROGRAMS = {"cdb-desktop": "cdb_desktop", "cdb-server": "server_stub"}
APP_ID = "io.github.cdb_desktop.cdb_desktop"
SUMMARY = "administer a Content Database Service"
# Two paragraphs, in lines that are short enough for all formats.
DESCRIPTION = (
    (
        "CDB Desktop is for administrators of a Content Database Service, for support",
        "staff and for data modelers: search the event log, follow it live, edit the",
        "database schema and commit it.",
    ),
    (
        "The package contains cdb-server as well, a reference server that implements",
        "the whole interface of such a service, to try things out and to rehearse",
        "commits. Its systemd units are not enabled.",
    ),
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HOMEPAGE = PROJECT["urls"]["Homepage"]
AUTHORS = PROJECT["authors"][0]["name"]
# Whoever releases the packages gives a real address.
MAINTAINER = os.environ.get("CDB_MAINTAINER", f"{AUTHORS} <nobody@cdb-desktop.invalid>")
# The oldest C library that the bundle runs with: that of Debian 12, where it is made.
GLIBC = "2.36"
# Shared libraries that the bundle takes from the system, and the packages with them.
SYSTEM_LIBRARIES = {
    "ld-linux-x86-64.so.2": f"libc6 (>= {GLIBC})",
    "libc.so.6": f"libc6 (>= {GLIBC})",
    "libdl.so.2": f"libc6 (>= {GLIBC})",
    "libm.so.6": f"libc6 (>= {GLIBC})",
    "libpthread.so.0": f"libc6 (>= {GLIBC})",
    "libresolv.so.2": f"libc6 (>= {GLIBC})",
    "librt.so.1": f"libc6 (>= {GLIBC})",
    "libutil.so.1": f"libc6 (>= {GLIBC})",
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
# What only the plugin for printers needs: without it the program prints to PDF files. It belongs to the print
# system of the machine.
OPTIONAL_LIBRARIES = {"libcups.so.2": "libcups2"}
UNITS = {
    "cdb-server.service": "usr/lib/systemd/system/cdb-server.service",
    "cdb-server.user.service": "usr/lib/systemd/user/cdb-server.service",
}


def write_tree(tree: Path, bundle: Path, bill: Path, epoch: int) -> None:
    """Writes all files that the .deb and the .rpm share below ``tree``, as they are installed below ``/``."""
    shutil.rmtree(tree, ignore_errors=True)
    lib = tree / "usr/lib" / NAME
    copy_bundle(bundle, lib)
    links = tree / "usr/bin"
    links.mkdir(parents=True)
    for program in PROGRAMS:
        (links / program).symlink_to(f"../lib/{NAME}/{program}")
    write_shared_files(tree / "usr/share", bill, epoch)
    for source, target in UNITS.items():
        (tree / target).parent.mkdir(parents=True)
        shutil.copy(HERE / source, tree / target)


def copy_bundle(bundle: Path, target: Path) -> None:
    """Copies the frozen bundle, whose two programs are one file."""
    shutil.copytree(bundle, target, symlinks=True)
    (target / "cdb-server").unlink()
    os.link(target / "cdb-desktop", target / "cdb-server")


def normalize(tree: Path, epoch: int) -> None:
    """Sets modes and times, which otherwise depend on the machine; only both programs are executable."""
    programs = {tree / "usr/lib" / NAME / program for program in PROGRAMS}
    for path in (*tree.rglob("*"), tree):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path in programs else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def installed_size(tree: Path) -> int:
    """Bytes of all files below a folder, with hard links once."""
    found = {path.lstat().st_ino: path.lstat().st_size for path in tree.rglob("*") if path.is_file()}
    return sum(found.values())


def write_shared_files(share: Path, bill: Path, epoch: int) -> None:
    """Writes menu entry, icons, MIME types, AppStream metadata, man pages and documents below ``share``."""
    version = version_of(NAME)
    day = datetime.fromtimestamp(epoch, UTC).date().isoformat()
    values = {"@VERSION@": version, "@DATE@": day, "@AUTHORS@": AUTHORS}
    values |= {f"@{name.upper()}@": address for name, address in PROJECT["urls"].items()}
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
    for name, page in man_pages.pages(version, day).items():
        compressed(share / f"man/man1/{name}.1.gz", page)
    documents = share / "doc" / NAME
    shutil.copytree(MANUAL, documents / "html")
    notices = (PACKAGING / "third-party-notices.txt").read_text(encoding="utf-8")
    compressed(documents / "third-party-notices.txt.gz", notices)
    compressed(documents / "sbom.cdx.json.gz", bill.read_text(encoding="utf-8"))
    compressed(documents / "changelog.gz", (ROOT / ".github/CHANGELOG.md").read_text(encoding="utf-8"))


def _fill(source: Path, target: Path, values: Mapping[str, str]) -> None:
    text = source.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(name, value)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def compressed(path: Path, text: str) -> None:
    """Writes a text as a gzip file."""
    # No name and no time in the header: two builds are equal.
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
