"""The dialog that asks for the file to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.widgets.files import documents_folder


def ask_save_path(
    parent: QWidget, title: str, name: str, suffixes: Mapping[str, str], write: Callable[[Path], None]
) -> QFileDialog:
    """Opens the platform's dialog and calls ``write`` with the chosen file.

    ``suffixes`` maps the names of the file types to their suffixes.
    """
    dialog = QFileDialog(parent, title, documents_folder())
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(suffixes))
    dialog.setDefaultSuffix(next(iter(suffixes.values())))
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(suffixes[chosen]))
    dialog.selectFile(name)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda path: write(Path(path)))
    dialog.open()
    return dialog


def suggested_file_name(page: PageState) -> str:
    """A name for a file about the document that is shown, without suffix."""
    if page.file:
        return Path(page.file).stem
    head = page.editing.head
    version = page.past.version if page.past else head.version if head else 1
    return f"schema v{version}"
