"""The Debian package: its dependencies, its scripts and the documents that Debian asks for."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from datetime import UTC, datetime
from email.utils import format_datetime
from importlib.metadata import version as version_of
from pathlib import Path

from content import (
    DESCRIPTION,
    HOMEPAGE,
    MAINTAINER,
    NAME,
    OPTIONAL_LIBRARIES,
    ROOT,
    SUMMARY,
    SYSTEM_LIBRARIES,
    compressed,
    installed_size,
    normalize,
    write_tree,
)

WORK = ROOT / "build/deb"
# Recommended, they would be most of what apt installs: the bundle has a Graphviz, a desktop a keyring.
SUGGESTS = "graphviz, gnome-keyring | kwalletmanager"
OTHER_DEPENDS = ("fontconfig-config", "fonts-dejavu-core | fonts-noto-core | fonts-liberation", "xkb-data")
# What lintian says about a frozen bundle, whose libraries are those of its wheels.
OVERRIDES = """\
# The bundle contains Python and the libraries of pinned wheels, which Debian has not or in other versions.
cdb-desktop: custom-library-search-path
cdb-desktop: embedded-library
cdb-desktop: hardening-no-pie
cdb-desktop: library-not-linked-against-libc
cdb-desktop: shared-library-lacks-prerequisites
cdb-desktop: unstripped-binary-or-object
# The site of the manual searches without a network, and its theme has a place for scripts of others.
cdb-desktop: embedded-javascript-library
cdb-desktop: zero-byte-file-in-doc-directory
# There is no bug to close: it is no package of Debian.
cdb-desktop: initial-upload-closes-no-bugs
"""


# A server that runs is stopped before its files are removed, and started again with new ones.
SCRIPTS = {
    "prerm": """\
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    deb-systemd-invoke stop cdb-server.service || true
fi
""",
    "postinst": """\
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -n "${2:-}" ] && [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload || true
    deb-systemd-invoke try-restart cdb-server.service || true
fi
""",
    "postrm": """\
#!/bin/sh
set -e
if [ "$1" = purge ]; then
    rm -f /etc/systemd/system/multi-user.target.wants/cdb-server.service
fi
if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload || true
fi
""",
}


def build(bundle: Path, bill: Path, target_folder: Path, epoch: int, level: int) -> Path:
    """Writes the package and returns its path; ``level`` is that of xz."""
    version = f"{version_of(NAME)}-1"
    tree = WORK
    write_tree(tree, bundle, bill, epoch)
    write_documents(tree / "usr/share", version, epoch)
    normalize(tree, epoch)
    kilobytes = installed_size(tree) // 1024
    write_control(tree, version, kilobytes)
    target = target_folder / f"{NAME}_{version}_amd64.deb"
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--threads-max=2", "--build", tree, target],
        check=True, env=environment, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return target


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
    compressed(documents / "changelog.Debian.gz", changelog)
    overrides = share / "lintian/overrides"
    overrides.mkdir(parents=True)
    (overrides / NAME).write_text(OVERRIDES, encoding="utf-8")


def write_control(tree: Path, version: str, kilobytes: int) -> None:
    """Writes the folder ``DEBIAN``: description, checksums and scripts."""
    depends = ", ".join(sorted({*SYSTEM_LIBRARIES.values(), *OTHER_DEPENDS}))
    text = "\n .\n".join("\n".join(f" {line}" for line in lines) for lines in DESCRIPTION)
    control = tree / "DEBIAN"
    control.mkdir()
    files = {
        "control": (
            f"Package: {NAME}\nVersion: {version}\nArchitecture: amd64\nMaintainer: {MAINTAINER}\n"
            f"Installed-Size: {kilobytes}\nDepends: {depends}\n"
            f"Recommends: {', '.join(OPTIONAL_LIBRARIES.values())}\nSuggests: {SUGGESTS}\n"
            f"Homepage: {HOMEPAGE}\nSection: database\nPriority: optional\n"
            f"Description: {SUMMARY}\n{text}\n"
        ),
        "md5sums": _md5sums(tree),
        **SCRIPTS,
    }
    for name, content in files.items():
        (control / name).write_text(content, encoding="utf-8")
        (control / name).chmod(0o755 if name in SCRIPTS else 0o644)
    control.chmod(0o755)


def _md5sums(tree: Path) -> str:
    lines = []
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        if path.is_file() and not path.is_symlink() and name.parts[0] != "DEBIAN":
            digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
            lines.append(f"{digest}  {name.as_posix()}\n")
    return "".join(lines)
