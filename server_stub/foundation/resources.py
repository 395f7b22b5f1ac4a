"""Finds the data files that both programs read, and what differs in a frozen bundle."""

import os
import sys
from pathlib import Path


def resource(name: str) -> Path:
    """Returns the path of a data file: in the package if installed or frozen, else in `resources`."""
    packaged = Path(__file__).parents[1] / "_resources" / name
    return packaged if packaged.exists() else Path(__file__).parents[2] / "resources" / name


HELPER = "--helper"
# Where loaders look first; a bundle puts its own libraries there, and the value from before in NAME_ORIG.
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def is_frozen() -> bool:
    """Whether this program was packed as one that runs without Python."""
    return bool(getattr(sys, "frozen", False))


def leave_libraries_to_others() -> None:
    """Lets programs outside the bundle, such as the system's `dot`, find the system's libraries."""
    if not is_frozen():
        return
    for name in _LIBRARIES:
        before = os.environ.pop(f"{name}_ORIG", "")
        os.environ.pop(name, None)
        if before:
            os.environ[name] = before
