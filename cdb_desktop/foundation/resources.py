"""Locates the data files that are packaged with the program."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent


def resource(name: str) -> Path:
    """The path of the packaged file or folder ``name``, such as ``errors.json``.

    An installed or frozen program has the data in ``cdb_desktop/_resources``; a checkout in ``resources``.
    """
    packaged = _PACKAGE / "_resources" / name
    return packaged if packaged.exists() else _PACKAGE.parent / "resources" / name
