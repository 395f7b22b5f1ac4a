"""Remembers width, order and visibility of a table's columns from one start to the next."""

from __future__ import annotations

from collections.abc import Callable

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
