"""The dialog with a switch for each fault that the demo service can simulate."""

import msgspec
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from cdb_desktop.client import FaultInjection
from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.object_names import named

_SIZE = 480, 560
_FRAME = 48  # pixels of the window's title and borders at most
_NAME = Qt.ItemDataRole.UserRole


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
        self.resize(QSize(*_SIZE).boundedTo(self.screen().availableSize() - QSize(_FRAME, _FRAME)))
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
