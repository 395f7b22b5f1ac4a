"""Loads Qt's core, and takes off again what that puts around Python's ``import``. Knows no window."""

from __future__ import annotations

import builtins

# This replaces the builtin, and keeps beside it what was in force before.
import PySide6.QtCore  # noqa: F401

_BEFORE = "__orig_import__"


def use_plain_imports() -> None:
    """Lets ``import`` do no more than import.

    PySide's wrapper looks for ``from __feature__ import …``, which nobody here writes, by reading the source
    of every module that is imported: a tenth of the time to the window.
    """
    builtins.__import__ = getattr(builtins, _BEFORE, builtins.__import__)
