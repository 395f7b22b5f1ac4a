"""The dialog in which faults of the demo service are chosen and switched on and off."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import FaultInjection
from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.foundation.resources import resource
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.input_handling import ignore_wheel, set_tab_order
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.object_names import named

_SIZE = 720, 560
_FRAME = 48  # pixels of the window's title and borders at most
_LIST_WIDTH = 340
_USUAL_PERCENT = 10
_NAME = Qt.ItemDataRole.UserRole
_EXPLANATION = Qt.ItemDataRole.UserRole + 1


class FaultsDialog(BaseDialog):
    """Shows the faults with a check box each, and the share of requests that get one.

    Signals: ``simulation_requested`` when the faults are to be switched on or changed · ``end_requested``
    when they are to be switched off.
    """

    simulation_requested = Signal()
    end_requested = Signal()

    def __init__(self, appearance: Appearance, state: FaultInjection, parent: QWidget) -> None:
        super().__init__(appearance, "faults", parent)
        self.list = named("faults.list", QListWidget(self))
        self.explanation = named("faults.explanation", Label(self, wordWrap=True))
        self.percent = ignore_wheel(named("faults.percent", QSpinBox(self)))
        self.all_button = named("faults.all", QPushButton(tr("&All"), self))
        self.none_button = named("faults.none", QPushButton(tr("&None"), self))
        self.end_button = named("faults.end", QPushButton(tr("S&witch off"), self))
        self._count = named("faults.count", Label(self))
        self._fill(state)
        self._create_contents()
        self._connect()
        self._show_state(state)
        self.resize(QSize(*_SIZE).boundedTo(self.screen().availableSize() - QSize(_FRAME, _FRAME)))
        self.list.setFocus()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names of the faults that are checked."""
        ticked = (item for item in self._items() if item.checkState() is Qt.CheckState.Checked)
        return tuple(str(item.data(_NAME)) for item in ticked)

    @property
    def rate(self) -> float:
        """The share of requests that get a fault, 0 to 1."""
        return self.percent.value() / 100

    def show_working(self, *, working: bool) -> None:
        """Disables the buttons while the service is changed."""
        self.end_button.setEnabled(not working)
        self._is_working = working
        self._update_buttons()

    def _fill(self, state: FaultInjection) -> None:
        texts = msgspec.json.decode(resource("simulated_faults.json").read_bytes())
        for fault in state.faults:
            known = texts.get(fault.name, {}).get(language(), {})
            title, text = known.get("title", fault.name), known.get("text", fault.meaning)
            item = QListWidgetItem(f"{title}  ·  {fault.injected}" if fault.injected else title)
            item.setData(_NAME, fault.name)
            item.setData(_EXPLANATION, text)
            item.setToolTip(text)
            item.setSizeHint(QSize(0, ROW))
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
            )
            is_chosen = state.chosen is None or fault.name in state.chosen
            item.setCheckState(Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)
            self.list.addItem(item)

    def _show_state(self, state: FaultInjection) -> None:
        self._is_working = False
        self.percent.setValue(round(100 * state.rate) or _USUAL_PERCENT)
        self.end_button.setVisible(state.active)
        self._count.setVisible(state.active)
        self._count.setText(
            tr(
                "{count:One fault has|{count} faults have} been simulated since they were switched on.",
                count=state.injected,
            )
        )
        self.list.setCurrentRow(0)
        self._show_explanation()
        self._update_buttons()

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _check_all(self, state: Qt.CheckState) -> None:
        for item in self._items():
            item.setCheckState(state)

    def _show_explanation(self) -> None:
        row = self.list.currentRow()
        self.explanation.setText("" if row < 0 else str(self.list.item(row).data(_EXPLANATION)))

    def _update_buttons(self) -> None:
        self.accept_button.setEnabled(bool(self.chosen) and not self._is_working)

    def _connect(self) -> None:
        self.all_button.clicked.connect(lambda: self._check_all(Qt.CheckState.Checked))
        self.none_button.clicked.connect(lambda: self._check_all(Qt.CheckState.Unchecked))
        self.end_button.clicked.connect(self.end_requested)
        self.accept_button.clicked.connect(self.simulation_requested)
        self.list.currentItemChanged.connect(self._show_explanation)
        self.list.itemChanged.connect(lambda _item: self._update_buttons())

    def _create_contents(self) -> None:
        self.set_texts(
            tr("Simulate faults"),
            tr(
                "The demo service answers as a broken service, network or database would, so that you can "
                "see how this program copes. Nothing outside the demo is affected."
            ),
            tr("Simulate"),
        )
        head = Label(tr("&Faults"), self)
        head.setBuddy(self.list)
        self.list.setAccessibleName(tr("List of faults"))
        self.list.setMinimumWidth(_LIST_WIDTH)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTabKeyNavigation(False)
        self.list.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        for button in (self.all_button, self.none_button, self.end_button):
            button.setAutoDefault(False)
        self.explanation.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.explanation.setForegroundRole(QPalette.ColorRole.WindowText)
        self.percent.setRange(1, 100)
        self.percent.setSuffix(" %")
        self.percent.setAccessibleName(tr("Requests with a fault"))
        self._lay_out(head)
        set_tab_order(
            self.list,
            self.all_button,
            self.none_button,
            self.percent,
            self.end_button,
            self.cancel_button,
            self.accept_button,
        )

    def _lay_out(self, head: Label) -> None:
        choice = QHBoxLayout()
        choice.setSpacing(TIGHT)
        choice.addWidget(self.all_button)
        choice.addWidget(self.none_button)
        choice.addStretch(1)
        left = QVBoxLayout()
        left.setSpacing(TIGHT)
        left.addWidget(head)
        left.addWidget(self.list, stretch=1)
        left.addLayout(choice)
        form = QFormLayout()
        form.setSpacing(GAP)
        form.addRow(tr("&Requests with a fault"), self.percent)
        right = QVBoxLayout()
        right.setSpacing(GAP)
        right.addSpacing(head.sizeHint().height())
        right.addWidget(self.explanation, stretch=1)
        right.addLayout(form)
        across = QHBoxLayout()
        across.setSpacing(2 * GAP)
        across.addLayout(left, stretch=1)
        across.addLayout(right, stretch=1)
        end = QHBoxLayout()
        end.addWidget(self._count, stretch=1)
        end.addWidget(self.end_button)
        self.body.addLayout(across, stretch=1)
        self.body.addLayout(end)
