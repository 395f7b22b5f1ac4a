"""Asks where to write what is on the page; the platform's own dialog, which nothing waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from cdb_desktop.ui.schema.page.state import Page
from cdb_desktop.ui.widgets.files import documents_folder


def ask_target(
    parent: QWidget, title: str, name: str, kinds: Mapping[str, str], does: Callable[[Path], None]
) -> QFileDialog:
    """Opens the dialog; ``kinds`` are filters with the endings that they give, ``does`` gets the file."""
    dialog = QFileDialog(parent, title, documents_folder())
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(kinds))
    dialog.setDefaultSuffix(next(iter(kinds.values())))
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(kinds[kind]))
    dialog.selectFile(name)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda path: does(Path(path)))
    dialog.open()
    return dialog


def file_name(page: Page) -> str:
    """A name for a file about what is seen, without an ending."""
    if page.file:
        return Path(page.file).stem
    head = page.editing.head
    version = page.past.version if page.past else head.version if head else 1
    return f"schema v{version}"
