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
    dialog.fileSelected.connect(
        lambda path: write(_with_suffix(Path(path), suffixes, dialog.selectedNameFilter()))
    )
    dialog.open()
    return dialog


def _with_suffix(path: Path, suffixes: Mapping[str, str], chosen: str) -> Path:
    """The path with the suffix of its type, which Qt does not add to names such as ``v1.2``.

    A file that exists already is what the user has chosen.
    """
    wanted = path.with_name(path.name + suffixes.get(chosen, next(iter(suffixes.values()))))
    is_typed = path.suffix.lower() in suffixes.values()
    return path if is_typed or path.exists() or wanted.exists() else wanted


def suggested_file_name(page: PageState) -> str:
    """A name for a file about the document that is shown, without suffix."""
    if page.file:
        return Path(page.file).stem
    head = page.editing.head
    version = page.past.version if page.past else head.version if head else 1
    return f"schema v{version}"
