"""Finds the data files that both programs read; the one place here that knows where they lie."""

from __future__ import annotations

from pathlib import Path


def resource(name: str) -> Path:
    """Path of a data file: beside the package when installed or frozen, else the repository's `resources`."""
    packaged = Path(__file__).parent / "_resources" / name
    return packaged if packaged.exists() else Path(__file__).parents[1] / "resources" / name
