"""Dialogs of the demo: to save a snapshot, to go back to one, and to switch faults on and off."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QPushButton, QWidget

from cdb_desktop.client import FaultInjection
from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import language, size_text, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.times import day_and_time

_LONGEST = 64
_NAME = Qt.ItemDataRole.UserRole


class SnapshotRow(Protocol):
    """A row of the list; ``size`` is in bytes."""

    @property
    def name(self) -> str: ...
    @property
    def saved(self) -> datetime: ...
    @property
    def size(self) -> int: ...


class SaveSnapshotDialog(BaseDialog):
    """Asks for the name of a new snapshot.

    Signals: ``save_requested`` with the name.
    """

    save_requested = Signal(str)

    def __init__(self, appearance: Appearance, rows: Sequence[SnapshotRow], parent: QWidget) -> None:
        super().__init__(appearance, "snapshot_save", parent)
        self._taken = {row.name for row in rows}
        self.name = QLineEdit(_unused_name(self._taken), maxLength=_LONGEST)
        self.name.selectAll()
        self.add_form(Field("name", self.name, tr("&Name"))).changed.connect(self._check)
        self.body.addStretch()
        self.set_texts(
            tr("Save a snapshot"),
            tr(
                "A snapshot keeps the whole demo as it is now: events, schema, objects and users. Rehearse a "
                "commit or a deletion, and then go back."
            ),
            tr("Save"),
        )
        self.accept_button.clicked.connect(lambda: self.save_requested.emit(self.name.text().strip()))
        self.name.setFocus()

    def show_working(self, *, working: bool) -> None:
        """Disables the button while the snapshot is saved."""
        self.accept_button.setEnabled(not working)

    def _check(self) -> None:
        name = self.name.text().strip()
        is_taken = name in self._taken
        self.show_fault(tr("There is a snapshot of this name.") if is_taken else "")
        self.accept_button.setEnabled(bool(name) and not is_taken)


def _unused_name(taken: set[str]) -> str:
    number = 1
    while (name := tr("Snapshot {number}", number=str(number))) in taken:
        number += 1
    return name


class RestoreSnapshotDialog(BaseDialog):
    """Lists the snapshots, from which one is chosen.

    Signals: ``restore_requested`` and ``removal_requested`` with the name.
    """

    restore_requested = Signal(str)
    removal_requested = Signal(str)

    def __init__(self, appearance: Appearance, rows: Sequence[SnapshotRow], parent: QWidget) -> None:
        super().__init__(appearance, "snapshot_restore", parent)
        self.list = named("snapshot_restore.list", QListWidget(self))
        self.list.setAccessibleName(tr("List of snapshots"))
        self.list.setTabKeyNavigation(False)
        self.remove_button = named("snapshot_restore.remove", QPushButton(tr("&Remove"), self))
        self.remove_button.setAutoDefault(False)
        self.body.addWidget(self.list, stretch=1)
        self.body.addWidget(self.remove_button, alignment=Qt.AlignmentFlag.AlignLeft)
        self.show_rows(rows)
        self.list.itemActivated.connect(lambda _item: self.accept_button.click())
        self.accept_button.clicked.connect(lambda: self.restore_requested.emit(self.chosen))
        self.remove_button.clicked.connect(lambda: self.removal_requested.emit(self.chosen))
        self.list.setFocus()

    @property
    def chosen(self) -> str:
        """The name of the current snapshot, empty for none."""
        item = self.list.currentItem()
        return "" if self.list.currentRow() < 0 else str(item.data(_NAME))

    def show_rows(self, rows: Sequence[SnapshotRow]) -> None:
        """Fills the list and selects the first row."""
        self.list.clear()
        for row in rows:
            saved, size = day_and_time(row.saved), size_text(row.size)
            item = QListWidgetItem(f"{row.name}  ·  {saved}  ·  {size}")
            item.setData(_NAME, row.name)
            item.setSizeHint(QSize(0, ROW))
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        warning = tr(
            "The demo returns to the state of the snapshot. Everything after it is lost: events, commits, "
            "objects and users. The window reloads all pages."
        )
        nothing = tr("There are no snapshots yet. Save one before you rehearse something.")
        self.set_texts(tr("Go back to a snapshot"), warning if rows else nothing, tr("Go back"))
        self.accept_button.setEnabled(bool(rows))
        self.remove_button.setEnabled(bool(rows))


_SIZE = 480, 560


class FaultsDialog(BaseDialog):
    """A list of switches, which take effect at once; the tooltip of each explains its fault.

    Signals: ``switched`` with the names of the faults that are on.
    """

    switched = Signal(object)

    def __init__(self, appearance: Appearance, state: FaultInjection, parent: QWidget) -> None:
        super().__init__(appearance, "faults", parent)
        text = tr(
            "The demo service answers one request in ten as a broken service, network or database would, so "
            "that you can see how this program copes. Nothing outside the demo is affected."
        )
        self.set_texts(tr("Simulate faults"), text, "")
        self.accept_button.hide()
        self.cancel_button.setText(tr("Close"))
        self.list = named("faults.list", QListWidget(self))
        self.list.setAccessibleName(tr("List of faults"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTabKeyNavigation(False)
        self.body.addWidget(self.list, stretch=1)
        self.show_state(state)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(lambda _item: self.switched.emit(self.chosen))
        self.resize_within_screen(*_SIZE)
        self.list.setFocus()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names of the faults that are on."""
        items = map(self.list.item, range(self.list.count()))
        return tuple(item.data(_NAME) for item in items if item.checkState() is Qt.CheckState.Checked)

    def show_state(self, state: FaultInjection) -> None:
        """Shows which faults are on, with their counts, as the service says."""
        texts = msgspec.json.decode(resource("simulated_faults.json").read_bytes())
        with QSignalBlocker(self.list):
            for row, fault in enumerate(state.faults):
                known = texts.get(fault.name, {}).get(language(), {})
                title = known.get("title", fault.name)
                item = self.list.item(row) if row < self.list.count() else QListWidgetItem(self.list)
                item.setText(f"{title}  ·  {fault.injected}" if fault.injected else title)
                item.setData(_NAME, fault.name)
                item.setToolTip(known.get("text", fault.meaning))
                item.setSizeHint(QSize(0, ROW))
                is_on = state.active and (state.chosen is None or fault.name in state.chosen)
                item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
