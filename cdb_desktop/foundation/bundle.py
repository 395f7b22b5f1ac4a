"""What differs in a frozen bundle, which has no interpreter: commands of our own programs, packaged data."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

HELPER = "--helper"
NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows opens one for every child otherwise
# Where loaders look first; a bundle puts its own libraries there, and keeps beside it what was there before.
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")
# No path of the user's may hide one of our modules. Output is read as UTF-8, which is not the encoding of
# pipes on Windows, nor in every locale elsewhere.
_OPTIONS = ("-P", "-X", "utf8")


def is_frozen() -> bool:
    """Whether this program runs as a frozen bundle, without an installed Python."""
    return bool(getattr(sys, "frozen", False))


def helper_command(module: str) -> tuple[str, ...]:
    """The command that runs a module of this package, without its arguments."""
    if is_frozen():
        return sys.executable, HELPER, module
    return sys.executable, *_OPTIONS, "-m", module


def neighbour_command(name: str, module: str) -> tuple[str, ...]:
    """What runs another program of the same installation: it lies beside this one, or is a package here."""
    if is_frozen():
        return (str(Path(sys.executable).with_name(f"{name}.exe" if os.name == "nt" else name)),)
    return sys.executable, *_OPTIONS, "-m", module


def leave_libraries_to_others() -> None:
    """Programs outside the bundle, such as the system's ``dot``, shall find the system's libraries."""
    if not is_frozen():
        return
    for name in _LIBRARIES:
        before = os.environ.pop(f"{name}_ORIG", "")
        os.environ.pop(name, None)
        if before:
            os.environ[name] = before


def installed_version(name: str = "cdb-desktop") -> str:
    """The version of an installed library, by default of this program; empty if it is not installed."""
    # Takes as long as all the rest of the command line.
    metadata = import_module("importlib.metadata")
    try:
        return str(metadata.version(name))
    except metadata.PackageNotFoundError:
        return ""


_PACKAGE = Path(__file__).parent.parent


def resource(name: str) -> Path:
    """The path of the packaged file or folder ``name``, such as ``errors.json``.

    An installed or frozen program has the data in ``cdb_desktop/_resources``; a checkout in ``resources``.
    """
    packaged = _PACKAGE / "_resources" / name
    return packaged if packaged.exists() else _PACKAGE.parent / "resources" / name
