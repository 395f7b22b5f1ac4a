"""Formats sizes of data in the language in use. Numbers: `i18n.number_text`; times: `vocabulary.times`."""

from __future__ import annotations

from cdb_desktop.foundation.i18n import number_text, tr

UNITS = ("kB", "MB", "GB", "TB", "PB", "EB")
_STEP = 1000


def size_text(size: int) -> str:
    """``12.4 kB`` for a number of bytes, in decimal units."""
    if size < _STEP:
        return tr("{size} bytes", size=size)
    value, unit = size / _STEP, 0
    while value >= _STEP and unit < len(UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    return f"{number_text(value, 1)} {UNITS[unit]}"
