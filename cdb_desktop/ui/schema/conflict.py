"""Saving when somebody else has saved HEAD meanwhile, and the models that were kept then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QPushButton, QWidget

from cdb_desktop.schema.diff.change import Change
from cdb_desktop.schema.files.local_store import ConflictCopy
from cdb_desktop.ui.schema.ask_sheets import listing
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import documents_folder, show_folder_of
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.vocabulary.times import day_and_time

_WIDTH = 600

Does = Callable[[], None]
Adopt = Callable[[Path, bool], None]


class ConflictSheet(BaseDialog):
    """Somebody else has saved HEAD since it was read (§4.7, wire §5).

    ``theirs`` are the changes of the other side since then.
    """

    def __init__(
        self, appearance: Appearance, parent: QWidget, theirs: Sequence[Change], keep: Does, load: Does
    ) -> None:
        super().__init__(appearance, "schema.conflict", parent)
        text = self.tr(
            "If you load theirs, you go on with their version. If you keep yours, HEAD becomes your version,"
            " without their changes. Both versions are kept as model files, and “Bring a model into HEAD”"
            " brings either of them back."
        )
        self.say(self.tr("Somebody else has saved HEAD"), text, self.tr("Load theirs"))
        self.setMinimumWidth(_WIDTH)
        self.body.addWidget(Label(self.tr("They changed since you read HEAD:"), self))
        lines = [f"{change.sign}  {change.message}" for change in theirs]
        found = listing(lines or [self.tr("Only attributes that are not shown here.")], self)
        found.setObjectName("schema.conflict.theirs")
        found.setAccessibleName(self.tr("Changes of the other side"))
        self.body.addWidget(found)
        self.add_button(self.tr("Keep mine"), keep).setObjectName("schema.conflict.mine")
        self.accept_button.clicked.connect(self.accept)
        self.accepted.connect(load)


class AdoptSheet(BaseDialog):
    """Chooses the model that HEAD is to become: a side of a conflict, or a file.

    ``adopt`` is called with a path, and whether the file's ids are those of this service.
    """

    def __init__(
        self, appearance: Appearance, parent: QWidget, kept: Sequence[ConflictCopy], adopt: Adopt
    ) -> None:
        super().__init__(appearance, "schema.adopt", parent)
        self._adopt = adopt
        text = self.tr(
            "HEAD becomes the chosen model, as one step that Undo takes back. Nothing is sent to the service"
            " before you save."
        )
        self.setMinimumWidth(_WIDTH)
        self.say(self.tr("Bring a model into HEAD"), text, self.tr("Bring into HEAD"))
        self.kept = QListWidget(self)
        self.kept.setObjectName("schema.adopt.kept")
        self.kept.setAccessibleName(self.tr("Versions kept in conflicts"))
        self.kept.setSpacing(2)
        self.kept.setFixedHeight(200)
        self.kept.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        for model in kept:
            item = QListWidgetItem(f"{day_and_time(model.kept_at)}  ·  {side_name(model)}", self.kept)
            item.setData(Qt.ItemDataRole.UserRole, model.path)
            item.setToolTip(str(model.path))
        if kept:
            self.body.addWidget(Label(self.tr("Versions kept in conflicts:"), self))
            self.body.addWidget(self.kept)
        else:
            self.kept.hide()
            self.body.addWidget(Label(self.tr("No versions have been kept in conflicts."), self))
        choose = self._add("schema.adopt.file", self.tr("Choose a file…"))
        choose.clicked.connect(self._choose_file)
        self._show_file = self._add("schema.adopt.show", self.tr("Show file"))
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
        dialog = QFileDialog(parent, self.tr("Choose a model file"), documents_folder())
        dialog.setObjectName("schema.adopt.dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Data models (*.json *.xml)"), self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        adopt = self._adopt
        dialog.fileSelected.connect(lambda path: adopt(Path(path), False))
        dialog.open()


def side_name(model: ConflictCopy) -> str:
    """Whose version it is, in the language of the moment."""
    translate = QCoreApplication.translate
    if model.side == "mine":
        return translate("AdoptSheet", "my version")
    return translate("AdoptSheet", "the other side's version")
