"""The package for Fedora and other systems with RPM, made of the same files as the Debian package.

It requires libraries by their names and not packages, as ``rpmbuild`` does for programs that it compiles:
packages have other names on each system.
"""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version as version_of
from pathlib import Path

from content import (
    DESCRIPTION,
    GLIBC,
    HOMEPAGE,
    MAINTAINER,
    NAME,
    OPTIONAL_LIBRARIES,
    PACKAGING,
    ROOT,
    SUMMARY,
    SYSTEM_LIBRARIES,
    normalize,
    write_tree,
)

WORK = ROOT / "build/rpm"
# What is no library, or needs a version.
OTHER_REQUIRES = (
    f"glibc >= {GLIBC}",
    # GCC 12
    "libstdc++.so.6(GLIBCXX_3.4.30)(64bit)",
    # The last one is openSUSE's.
    "(dejavu-sans-fonts or google-noto-sans-vf-fonts or liberation-sans-fonts or dejavu-fonts)",
    "xkeyboard-config",
)
SUGGESTS = ("graphviz", "(gnome-keyring or kwalletmanager)")
# A server that runs is stopped before its files are removed, and started again with new ones.
SCRIPTS = {
    "preun": """\
if [ "$1" -eq 0 ] && [ -d /run/systemd/system ]; then
    systemctl --no-reload disable --now cdb-server.service || :
fi
""",
    "posttrans": """\
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
    systemctl try-restart cdb-server.service || :
fi
""",
    "postun": """\
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
fi
""",
}
# Nothing is compiled, stripped, compressed or searched: the files are finished.
SPEC = """\
%global debug_package %{{nil}}
%global __os_install_post %{{nil}}
%global _build_id_links none
%global use_source_date_epoch_as_buildtime 1
%global source_date_epoch_from_changelog 0
%global _buildhost localhost
%global _binary_payload w{level}T2.xzdio
Name: {name}
Version: {version}
Release: 1
Summary: {summary}
License: MIT
URL: {homepage}
Packager: {maintainer}
AutoReqProv: no
{requires}

%description
{description}

%install
rmdir %{{buildroot}}
mv {tree} %{{buildroot}}
{scripts}
%files
%defattr(-,root,root,-)
{files}

%changelog
* {day} {maintainer} - {version}-1
- Release {version}.
"""


def build(bundle: Path, bill: Path, target_folder: Path, epoch: int, level: int) -> Path:
    """Writes the package and returns its path; ``level`` is that of xz."""
    tree = WORK / "tree"
    write_tree(tree, bundle, bill, epoch)
    licenses = tree / "usr/share/licenses" / NAME
    licenses.mkdir(parents=True)
    for document in (ROOT / "LICENSE", PACKAGING / "third-party-notices.txt"):
        (licenses / document.name).write_bytes(document.read_bytes())
    normalize(tree, epoch)
    version = version_of(NAME)
    recipe = WORK / f"{NAME}.spec"
    recipe.write_text(spec(tree, version, epoch, level), encoding="utf-8")
    subprocess.run(
        [
            "rpmbuild", "-bb", "--quiet", "--target", "x86_64", "--define", f"_topdir {WORK / 'top'}",
            "--define", f"_rpmdir {target_folder}",
            "--define", "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm", recipe,
        ],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)},
    )  # fmt: skip
    return target_folder / f"{NAME}-{version}-1.x86_64.rpm"


def spec(tree: Path, version: str, epoch: int, level: int) -> str:
    """The recipe for rpmbuild, which moves ``tree`` to where it packs."""
    requires = "\n".join(
        [
            *(f"Requires: {each}" for each in (*OTHER_REQUIRES, *required_libraries())),
            *(f"Recommends: {name}()(64bit)" for name in OPTIONAL_LIBRARIES),
            *(f"Suggests: {each}" for each in SUGGESTS),
        ]
    )
    return SPEC.format(
        name=NAME,
        version=version,
        level=level,
        summary=SUMMARY[0].upper() + SUMMARY[1:],
        maintainer=MAINTAINER,
        homepage=HOMEPAGE,
        requires=requires,
        description="\n\n".join("\n".join(lines) for lines in DESCRIPTION),
        tree=tree,
        scripts="".join(f"\n%{name}\n{text}" for name, text in SCRIPTS.items()),
        files="\n".join(listed(tree)),
        day=datetime.fromtimestamp(epoch, UTC).strftime("%a %b %d %Y"),
    )


def required_libraries() -> list[str]:
    """The libraries that the bundle takes from the system; those of glibc are required by its version."""
    names = (name for name, package in SYSTEM_LIBRARIES.items() if not package.startswith("libc6 "))
    return [f"{name}()(64bit)" for name in sorted(names)]


def listed(tree: Path) -> list[str]:
    """The section ``%files``: folders of the package as a whole, single files in folders of the system."""
    own = [tree / folder / NAME for folder in ("usr/lib", "usr/share/doc", "usr/share/licenses")]
    others = (
        path
        for path in sorted(tree.rglob("*"))
        if not path.is_dir() and not any(path.is_relative_to(folder) for folder in own)
    )
    marks = {"doc": "%doc ", "licenses": "%license "}
    return [f"{marks.get(path.parent.name, '')}/{path.relative_to(tree)}" for path in (*own, *others)]
