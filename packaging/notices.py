"""Writes ``packaging/third-party-notices.txt``: all libraries of an installation and their licenses.

Run it in the project's environment after the dependencies have changed::

    .venv/bin/python packaging/notices.py
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OWN = "cdb-desktop"
EXTRAS = ("", "tables", "postgresql")
TARGET = Path(__file__).with_name("third-party-notices.txt")
# The licenses of Qt, whose wheels contain none.
LICENSES = sorted(Path(__file__).with_name("licenses").glob("*.txt"), reverse=True)
RULE = "=" * 78
# Libraries of other platforms, which this machine does not install.
ELSEWHERE = {
    "colorama": ("BSD-3-Clause", "Windows"),
    "pywin32-ctypes": ("BSD-3-Clause", "Windows"),
}
# Missing in the metadata of the libraries.
STATED = {
    "google-re2": "BSD-3-Clause; contains RE2 and Abseil (Apache-2.0)",
    "pygraphviz": "BSD-3-Clause; contains Graphviz (EPL-2.0)",
    "pyside6-essentials": "LGPL-3.0-only; contains Qt 6 (LGPL-3.0-only)",
    "shiboken6": "LGPL-3.0-only",
}
QT = """\
CDB Desktop uses Qt 6 and Qt for Python (PySide6, shiboken6) under the GNU Lesser General Public License,
version 3. Qt is Copyright (C) The Qt Company Ltd. and other contributors. Both are unmodified and loaded
as shared libraries: you may replace them by your own builds, and reverse engineering for debugging such
changes is permitted. Sources: https://download.qt.io and https://code.qt.io."""

# What the packages for Linux contain beside the Python libraries: of the system that builds, and inside the
# wheels of numpy, psycopg, pygraphviz and Qt.
BUNDLED = {
    "CPython": "PSF-2.0",
    "PyInstaller's start program": "GPL-2.0-or-later WITH Bootloader-exception",
    "GLib": "LGPL-2.1-or-later",
    "keyutils": "LGPL-2.0-or-later",
    "bzip2": "bzip2-1.0.6",
    "cairo": "LGPL-2.1-only or MPL-1.1",
    "Cyrus SASL": "BSD-3-Clause-Attribution",
    "e2fsprogs (libcom_err)": "MIT",
    "fontconfig": "HPND-sell-variant",
    "FreeType": "FTL or GPL-2.0-or-later; copyright The FreeType Project (www.freetype.org)",
    "FriBidi": "LGPL-2.1-or-later",
    "GCC (libgfortran, libquadmath)": "GPL-3.0-or-later WITH GCC-exception-3.1, LGPL-2.1-or-later",
    "GNU C Library (libcrypt)": "LGPL-2.1-or-later",
    "Graphite2": "LGPL-2.1-or-later or MPL-2.0 or GPL-2.0-or-later",
    "HarfBuzz": "MIT-Modern-Variant",
    "ICU": "Unicode-DFS-2016",
    "JBIG-KIT": "GPL-2.0-or-later; sources: https://www.cl.cam.ac.uk/~mgk25/jbigkit/",
    "libdatrie": "LGPL-2.1-or-later",
    "libffi": "MIT",
    "libgd": "GD",
    "libjpeg-turbo": "IJG, BSD-3-Clause, Zlib; based in part on the work of the Independent JPEG Group",
    "libpng": "Libpng",
    "libthai": "LGPL-2.1-or-later",
    "LibTIFF": "libtiff",
    "Libtool (libltdl)": "LGPL-2.0-or-later WITH Libtool-exception",
    "libuuid": "BSD-3-Clause",
    "libwebp": "BSD-3-Clause",
    "libXau, libXpm, libxcb": "MIT",
    "MIT Kerberos": "MIT",
    "OpenBLAS": "BSD-3-Clause",
    "OpenLDAP": "OLDAP-2.8",
    "OpenSSL 3": "Apache-2.0",
    "Pango": "LGPL-2.0-or-later",
    "PCRE2": "BSD-3-Clause WITH PCRE2-exception",
    "pixman": "MIT",
    "PostgreSQL (libpq)": "PostgreSQL",
    "SQLite": "public domain",
    "XCB utilities": "MIT",
    "XZ Utils (liblzma)": "public domain, 0BSD",
    "zlib": "Zlib",
    "Zstandard": "BSD-3-Clause",
}
# What the installer for Windows contains beside them, mostly in the folder pygraphviz.libs, built by vcpkg.
# Compared with the sources of these versions, the metadata of vcpkg and the copyright files of Debian.
BUNDLED_ON_WINDOWS = {
    "CPython": "PSF-2.0; contains bzip2, Expat, libffi, OpenSSL 3, SQLite, XZ Utils and zlib",
    "Microsoft Visual C++ runtime": "redistributable code of Microsoft",
    "MinGW-w64 runtime (in the start programs)": "ZPL-2.1, public domain",
    "libgcc (in the start programs)": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "NSIS (in the installer)": "Zlib; its LZMA module under CPL-1.0 with an exception",
    "PostgreSQL (libpq)": "PostgreSQL",
    "OpenSSL 3": "Apache-2.0",
    "brotli": "MIT",
    "bzip2": "bzip2-1.0.6",
    "cairo": "LGPL-2.1-only or MPL-1.1",
    "Expat": "MIT",
    "fontconfig": "HPND-sell-variant",
    "FreeType": "FTL or GPL-2.0-or-later; copyright The FreeType Project (www.freetype.org)",
    "FriBidi": "LGPL-2.1-or-later",
    "getopt-win32": "LGPL-3.0-only",
    "gettext (libintl)": "LGPL-2.1-or-later",
    "GLib": "LGPL-2.1-or-later",
    "GTS": "LGPL-2.0-or-later",
    "HarfBuzz": "MIT-Modern-Variant",
    "libffi": "MIT",
    "libgd": "GD",
    "libiconv": "LGPL-2.1-or-later",
    "libjpeg-turbo": "IJG, BSD-3-Clause, Zlib; based in part on the work of the Independent JPEG Group",
    "libpng": "libpng-2.0",
    "LibTIFF": "libtiff",
    "libwebp": "BSD-3-Clause",
    "Pango": "LGPL-2.0-or-later",
    "PCRE2": "BSD-3-Clause WITH PCRE2-exception",
    "pixman": "MIT",
    "XZ Utils (liblzma)": "public domain",
    "zlib": "Zlib",
}


def closure(extras: tuple[str, ...] = EXTRAS) -> dict[str, metadata.Distribution]:
    """All distributions that the project requires on this platform, by canonical name."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [(OWN, extra) for extra in extras]
    seen = set(waiting)
    while waiting:
        name, extra = waiting.pop()
        distribution = metadata.distribution(name)
        found[canonicalize_name(name)] = distribution
        for line in distribution.requires or ():
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            for asked in ("", *requirement.extras):
                entry = (canonicalize_name(requirement.name), asked)
                if entry not in seen:
                    seen.add(entry)
                    waiting.append(entry)
    del found[OWN]
    return dict(sorted(found.items()))


def license_of(distribution: metadata.Distribution) -> str:
    """The license in the metadata of a library, or the one stated above."""
    found = distribution.metadata
    stated = STATED.get(canonicalize_name(found["Name"]))
    if stated:
        return stated
    named = found.get("License-Expression") or found.get("License", "")
    if named and len(named) <= 60 and "\n" not in named:
        return named
    classifiers = found.get_all("Classifier") or ()
    return ", ".join(line.rpartition(" :: ")[2] for line in classifiers if "License ::" in line)


def license_texts(distribution: metadata.Distribution) -> Iterator[str]:
    """The texts of the license files of a library, without duplicates."""
    names = ("LICENSE", "LICENCE", "COPYING", "NOTICE")
    files = [each for each in distribution.files or () if ".dist-info" in str(each)]
    texts = (each.read_text().strip() for each in files if each.name.upper().startswith(names))
    yield from dict.fromkeys(texts)


def notices() -> str:
    """The complete text."""
    parts = ["CDB Desktop is distributed under the MIT license; see LICENSE.", QT]
    found = closure()
    listed = [f"{each.metadata['Name']} · {license_of(each)}" for each in found.values()]
    listed += [f"{name} · {terms} (only on {system})" for name, (terms, system) in sorted(ELSEWHERE.items())]
    parts.append("Libraries\n\n" + "\n".join(textwrap.indent(line, "  ") for line in listed))
    for system, contents in (("packages for Linux", BUNDLED), ("installer for Windows", BUNDLED_ON_WINDOWS)):
        bundled = "\n".join(f"  {name}: {terms}" for name, terms in contents.items())
        parts.append(f"In the {system}, whose shared libraries you may replace\n\n{bundled}")
    for each in found.values():
        parts += [f"{RULE}\n{each.metadata['Name']}\n{RULE}\n\n{text}" for text in license_texts(each)]
    parts += [
        f"{RULE}\n{file.stem}\n{RULE}\n\n{file.read_text(encoding='utf-8').strip()}" for file in LICENSES
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(notices(), encoding="utf-8")
