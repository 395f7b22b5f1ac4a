"""What files have in common: the dialogs that ask for them, errors of controllers, and their messages."""

import errno
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.exchange.relational import ExchangeError
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.widgets.files import documents_folder
from cdb_desktop.vocabulary.error_messages import ErrorMessage


def ask_open_path(
    parent: QWidget | None, name: str, title: str, filters: Sequence[str], take: Callable[[Path, str], None]
) -> None:
    """Opens the platform's dialog, named ``name``; calls ``take`` with the chosen file and filter."""
    dialog = QFileDialog(parent, title, documents_folder())
    dialog.setObjectName(name)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters(list(filters))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda path: take(Path(path), dialog.selectedNameFilter()))
    dialog.open()


def ask_model_file(parent: QWidget | None, name: str, take: Callable[[Path], None]) -> None:
    """Asks for a data model."""
    filters = (tr("Data models (*.json *.xml)"), tr("All files (*)"))
    ask_open_path(parent, name, tr("Choose a model file"), filters, lambda path, _filter: take(path))


class FileError(Exception):
    """Reading or writing ``path`` has failed with ``cause``."""

    def __init__(self, path: Path, cause: Exception) -> None:
        super().__init__(str(cause))
        self.path = path
        self.cause = cause


def read_failure(path: Path, error: Exception) -> ErrorMessage:
    """Why a model file could not be opened; if its content is invalid, with the place of the error in it."""
    if isinstance(error, DocumentError):
        title = tr("{file} is no data model", file=path.name)
        text = f"{error.path}: {error.message}" if error.path else str(error.message)
        remedy = tr("Nothing was opened. Choose a model that was exported as JSON or XML.")
    else:
        title = tr("{file} cannot be read", file=path.name)
        text = _reason(error)
        remedy = tr("See whether the file is there and may be read, and open it again.")
    return _message(title, path, text, remedy)


def import_failure(path: Path, error: ExchangeError) -> ErrorMessage:
    """Why a file of another tool could not be imported, with the line of the error."""
    title = tr("{file} cannot be imported", file=path.name)
    where = tr("Line {line}: {error}", line=str(error.line), error=str(error.message))
    return _message(title, path, where if error.line else str(error.message), str(error.remedy))


def write_failure(path: Path, error: Exception) -> ErrorMessage:
    """Why a file could not be written, and what to do."""
    title = tr("{file} cannot be written", file=path.name)
    text, remedy = _write_reason(path, error)
    return _message(title, path, text, f"{remedy} {tr('What you see here is kept.')}")


def _write_reason(path: Path, error: Exception) -> tuple[str, str]:
    folder, elsewhere = str(path.parent), tr("Choose another folder.")
    text, remedy = _reason(error), tr("Choose another folder, or make room.")
    if isinstance(error, MemoryError):
        text = str(error) or tr("There is not enough memory.")
        remedy = tr("Choose a smaller scale or another format.")
    match error.errno if isinstance(error, OSError) else None:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            text, remedy = tr("The disk is full."), tr("Make room there, or choose another folder.")
        case errno.EACCES | errno.EPERM | errno.EROFS:
            text, remedy = tr("You may not write to the folder {folder}.", folder=folder), elsewhere
        case errno.ENOENT | errno.ENOTDIR:
            text, remedy = tr("The folder {folder} does not exist.", folder=folder), elsewhere
        case errno.ENAMETOOLONG:
            text, remedy = tr("The name is too long for this disk."), tr("Choose a shorter name.")
        case errno.EISDIR | errno.EEXIST | errno.ENOTEMPTY:
            text = tr("Something other than a file has this name, such as a folder or a device.")
            remedy = tr("Choose another name.")
    return text, remedy


def _reason(error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else None) or f"{type(error).__name__}: {error}"
    return f"{text}."


def _message(title: str, path: Path, text: str, remedy: str) -> ErrorMessage:
    return ErrorMessage(title, text, remedy, details="\n".join((title, str(path), text)))


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
