"""The dialog that chooses a model to replace HEAD."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QPushButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.files.local_store import ConflictCopy
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import documents_folder, show_folder_of
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.vocabulary.times import day_and_time

_WIDTH = 600


class AdoptModelDialog(BaseDialog):
    """Chooses the model that replaces HEAD: a version kept in a conflict, or any model file."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        kept: Sequence[ConflictCopy],
        adopt: Callable[[Path, bool], None],
    ) -> None:
        """``adopt`` is called with the file, and with whether its ids are those of this service."""
        super().__init__(appearance, "schema.adopt", parent)
        self._adopt = adopt
        text = tr(
            "HEAD becomes the chosen model, as one step that Undo takes back. Nothing is sent to "
            "the service before you save."
        )
        self.setMinimumWidth(_WIDTH)
        self.set_texts(tr("Bring a model into HEAD"), text, tr("Bring into HEAD"))
        self.kept = QListWidget(self)
        self.kept.setObjectName("schema.adopt.kept")
        self.kept.setAccessibleName(tr("Versions kept in conflicts"))
        self.kept.setSpacing(2)
        self.kept.setFixedHeight(200)
        self.kept.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        for model in kept:
            item = QListWidgetItem(f"{day_and_time(model.kept_at)}  ·  {_side_text(model)}", self.kept)
            item.setData(Qt.ItemDataRole.UserRole, model.path)
            item.setToolTip(str(model.path))
        if kept:
            self.body.addWidget(Label(tr("Versions kept in conflicts:"), self))
            self.body.addWidget(self.kept)
        else:
            self.kept.hide()
            self.body.addWidget(Label(tr("No versions have been kept in conflicts."), self))
        choose = self._add("schema.adopt.file", tr("Choose a file…"))
        choose.clicked.connect(self._choose_file)
        self._show_file = self._add("schema.adopt.show", tr("Show file"))
        self._show_file.clicked.connect(self._show)
        self.kept.itemSelectionChanged.connect(self._check)
        self.kept.itemActivated.connect(lambda _item: self._take())
        self.accept_button.clicked.connect(self._take)
        self._check()

    @property
    def _path(self) -> Path | None:
        items = self.kept.selectedItems()
        return Path(items[0].data(Qt.ItemDataRole.UserRole)) if items else None

    def _add(self, name: str, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setAutoDefault(False)
        self._buttons.insertWidget(0, button)
        return button

    def _check(self) -> None:
        for button in (self.accept_button, self._show_file):
            button.setEnabled(self._path is not None)

    def _take(self) -> None:
        path = self._path
        if path is not None:
            self.accept()
            self._adopt(path, True)

    def _show(self) -> None:
        if self._path is not None:
            show_folder_of(self._path)

    def _choose_file(self) -> None:
        parent = self.parentWidget()
        self.reject()
        dialog = QFileDialog(parent, tr("Choose a model file"), documents_folder())
        dialog.setObjectName("schema.adopt.dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([tr("Data models (*.json *.xml)"), tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        adopt = self._adopt
        dialog.fileSelected.connect(lambda path: adopt(Path(path), False))
        dialog.open()


def _side_text(model: ConflictCopy) -> str:
    if model.side == "mine":
        return tr("my version")
    return tr("the other side's version")
