"""The AppImage: one file that runs without installation. ``appimagetool`` packs it."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.metadata import version as version_of
from pathlib import Path

from content import HERE, NAME, PACKAGING, ROOT, normalize, write_tree

WORK = ROOT / "build/appimage/CDB_Desktop.AppDir"


def build(bundle: Path, bill: Path, target_folder: Path, epoch: int) -> Path:
    """Writes the AppImage and returns its path.

    ``appimagetool`` adds a start program, which it downloads; ``CDB_APPIMAGE_RUNTIME`` names a file instead.
    """
    folder = WORK
    write_folder(folder, bundle, bill, epoch)
    target = target_folder / f"{NAME}-{version_of(NAME)}-x86_64.AppImage"
    runtime = os.environ.get("CDB_APPIMAGE_RUNTIME")
    options = [f"--runtime-file={runtime}"] if runtime else []
    subprocess.run(
        ["appimagetool", "--no-appstream", *options, folder, target],
        check=True, stdin=subprocess.DEVNULL,
        # It runs without FUSE as well, such as in containers.
        env=os.environ | {"ARCH": "x86_64", "SOURCE_DATE_EPOCH": str(epoch), "APPIMAGE_EXTRACT_AND_RUN": "1"},
    )  # fmt: skip
    return target


def write_folder(folder: Path, bundle: Path, bill: Path, epoch: int) -> None:
    """Writes what is packed: the files of the other packages, and at the top what the format asks for."""
    write_tree(folder, bundle, bill, epoch)
    # Units name a program in /usr.
    shutil.rmtree(folder / "usr/lib/systemd")
    shutil.copy(HERE / "cdb-desktop.desktop", folder)
    shutil.copy(PACKAGING / "icons/256.png", folder / "cdb-desktop.png")
    (folder / ".DirIcon").symlink_to("cdb-desktop.png")
    shutil.copy(HERE / "appimage/AppRun", folder)
    normalize(folder, epoch)
    (folder / "AppRun").chmod(0o755)
