"""The disk image for macOS; signed and notarized if the environment names a certificate and a profile.

Never tried. ``CDB_SIGN_IDENTITY`` is the name of a certificate "Developer ID Application" in the keychain:
PyInstaller signs all libraries and the application with it. Without one, they get the signatures without a
name that Apple silicon asks for. ``CDB_NOTARY_PROFILE`` is a profile of ``notarytool store-credentials``.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "cdb-desktop"
APPLICATION = "CDB Desktop.app"


def build(folder: Path, target_folder: Path) -> Path:
    """Writes the image of the application in ``folder`` and returns its path. Raises CalledProcessError."""
    application = folder / APPLICATION
    # Each library that is not signed stops the program where it is loaded.
    _run("codesign", "--verify", "--deep", "--strict", str(application))
    target = target_folder / f"{NAME}-{version_of(NAME)}-macos-{platform.machine()}.dmg"
    target.unlink(missing_ok=True)
    _run(
        sys.executable, "-m", "dmgbuild", "--settings", str(HERE / "macos/dmg_settings.py"),
        "-D", f"application={application}", "CDB Desktop", str(target),
    )  # fmt: skip
    identity = os.environ.get("CDB_SIGN_IDENTITY")
    if identity:
        _run("codesign", "--sign", identity, "--timestamp", str(target))
    profile = os.environ.get("CDB_NOTARY_PROFILE")
    if profile:
        # Apple's answer takes minutes. Stapled to the image, it is found without a network.
        _run("xcrun", "notarytool", "submit", str(target), "--keychain-profile", profile, "--wait")
        _run("xcrun", "stapler", "staple", str(target))
        _run("spctl", "--assess", "--type", "open", "--context", "context:primary-signature", str(target))
    return target


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
