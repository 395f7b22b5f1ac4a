"""Remembers width, order and visibility of a table's columns, and fits their widths into little room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QHeaderView


def _always() -> bool:
    return True


def keep_columns(
    header: QHeaderView, settings: QSettings, key: str, when: Callable[[], bool] = _always
) -> None:
    """Puts the columns as they were and writes every change down under ``key``, while ``when`` says so."""
    kept = settings.value(key)
    if isinstance(kept, QByteArray):
        header.restoreState(kept)

    def write() -> None:
        if when():
            settings.setValue(key, header.saveState())

    header.sectionResized.connect(write)
    header.sectionMoved.connect(write)


def fitted(room: int, wanted: Sequence[int], least: Sequence[int], sign: int) -> list[int]:
    """Widths that fill ``room`` pixels at most: as wanted, else each gives its part down to the least.

    Where that is too much, the first one keeps room for a ``sign`` only; where it still is, all are cut.
    """
    spare = room - sum(least)
    over = [more - less for more, less in zip(wanted, least, strict=True)]
    if spare >= sum(over):
        return list(wanted)
    if spare >= 0:
        return [less + more * spare // sum(over) for less, more in zip(least, over, strict=True)]
    if least[0] > sign:
        return fitted(room, [sign, *wanted[1:]], [sign, *least[1:]], sign)
    return [less * room // sum(least) for less in least]
