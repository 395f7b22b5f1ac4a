"""The dialog for the file of an export, in which its kind is chosen too. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget

from cdb_desktop.ui.events.export.export_kinds import Kind, meant
from cdb_desktop.vocabulary.times import in_zone


class ExportDialog(QFileDialog):
    """The ending of the name follows the kind; a kind that cannot be is listed with the reason.

    Signals: ``kind_chosen`` (Path, Kind).
    """

    kind_chosen = Signal(object, object)

    def __init__(self, folder: str, kinds: Sequence[Kind], parent: QWidget) -> None:
        super().__init__(parent, "", folder)
        self.setWindowTitle(self.tr("Export events"))
        self._kinds = {kind.filter: kind for kind in kinds}
        self.setObjectName("events.export.dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setNameFilters(list(self._kinds))
        self._rest_impossible()
        suffix = kinds[0].suffixes[0]
        self.setDefaultSuffix(suffix)
        self.selectFile(f"events {in_zone(datetime.now(UTC)):%Y-%m-%d}.{suffix}")
        self.filterSelected.connect(self._follow)
        self.fileSelected.connect(self._choose)

    def _rest_impossible(self) -> None:
        """A dialog of the system's own has no such list, and leaves the refusal to what comes after it."""
        listed = self.findChild(QComboBox, "fileTypeCombo")
        choices = None if listed is None else listed.model()
        if isinstance(choices, QStandardItemModel):
            for place, kind in enumerate(self._kinds.values()):
                choices.item(place).setEnabled(not kind.obstacle)

    def _follow(self, chosen: str) -> None:
        suffix = self._kinds[chosen].suffixes[0]
        endings = {one for kind in self._kinds.values() for one in kind.suffixes}
        typed = [Path(path) for path in self.selectedFiles()]
        self.setDefaultSuffix(suffix)
        if typed and typed[0].suffix.removeprefix(".") in endings:
            self.selectFile(typed[0].with_suffix(f".{suffix}").name)

    def _choose(self, path: str) -> None:
        kinds = list(self._kinds.values())
        chosen = self._kinds.get(self.selectedNameFilter(), kinds[0])
        self.kind_chosen.emit(Path(path), meant(Path(path), chosen, kinds))
