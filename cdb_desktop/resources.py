"""Where packaged data lies; the one module that knows, and it does not know what the data is for."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def resource(name: str) -> Path:
    """The path of the packaged file or folder ``name`` (``errors.json``, ``icons/…``).

    An installed or frozen program carries the data beside this module; a checkout has it at its top.
    """
    packaged = _HERE / "_resources" / name
    return packaged if packaged.exists() else _HERE.parent / "resources" / name
