"""What differs in a frozen bundle, which has no interpreter to run a helper with. Starts nothing."""

from __future__ import annotations

import os
import sys

HELPER = "--helper"
# Where loaders look first; a bundle puts its own libraries there, and keeps beside it what was there before.
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def is_frozen() -> bool:
    """Whether this program was packed as one that runs without Python."""
    return bool(getattr(sys, "frozen", False))


def leave_libraries_to_others() -> None:
    """Programs outside the bundle, such as the system's `dot`, shall find the system's libraries."""
    if not is_frozen():
        return
    for name in _LIBRARIES:
        before = os.environ.pop(f"{name}_ORIG", "")
        os.environ.pop(name, None)
        if before:
            os.environ[name] = before
