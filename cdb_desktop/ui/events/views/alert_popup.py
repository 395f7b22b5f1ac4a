"""The popup in which the user chooses when a view of events raises an alarm."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.alarms import MOST_SECONDS, AlarmKind, AlarmRule
from cdb_desktop.queries.saved_views import MAX_NAME_LENGTH, single_line
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup

_WIDTH = 300
_MOST = 1_000_000  # events
_UNITS = (86_400, 3_600, 60, 1)  # seconds


class AlertPopup(Popup):
    """Sets the rule of a view; one that is not saved yet gets a name, too."""

    def __init__(
        self,
        appearance: Appearance,
        name: str,
        rule: AlarmRule | None,
        parent: QWidget,
        *,
        is_set: bool = False,
    ) -> None:
        """``rule`` is that of the saved view ``name``, or None for a view that is saved with the alarm.

        ``is_set``: the view raises alarms already, and can be silenced.
        """
        super().__init__(appearance, tr("Alert me"), tr("Set alarm"), parent)
        self._rule = rule or AlarmRule(name)
        self.is_removed = False
        self.line = named("events.alert.name", QLineEdit(name[:MAX_NAME_LENGTH], self))
        self.line.setMaxLength(MAX_NAME_LENGTH)
        self.line.setReadOnly(rule is not None)
        self.kind = ignore_wheel(named("events.alert.kind", QComboBox(self)))
        self._number = ignore_wheel(named("events.alert.number", QSpinBox(self)))
        self._time = ignore_wheel(named("events.alert.time", QSpinBox(self)))
        self._unit = ignore_wheel(named("events.alert.unit", QComboBox(self)))
        self._sound = named("events.alert.sound", QCheckBox(tr("Sound"), self))
        self._tray = named("events.alert.tray", QCheckBox(tr("Message of the system"), self))
        self._fill()
        self._arrange()
        self.kind.currentIndexChanged.connect(self._show_fields)
        self._show_fields()
        self.add_note(tr("Sound and message are used while another window is active."))
        remove = QPushButton(tr("No alarm"), self)
        remove.setObjectName("events.alert.remove")
        remove.setAutoDefault(False)
        remove.setVisible(is_set)
        remove.clicked.connect(self._remove)
        self.finish(self.kind if rule is not None else self.line, remove)
        self.line.selectAll()

    @property
    def rule(self) -> AlarmRule:
        """The chosen rule."""
        kind: AlarmKind = self.kind.currentData()
        seconds = min(MOST_SECONDS, self._time.value() * int(self._unit.currentData()))
        return AlarmRule(
            single_line(self.line.text()) or self._rule.view,
            kind,
            self._number.value(),
            seconds,
            self._sound.isChecked(),
            self._tray.isChecked(),
        )

    def _remove(self) -> None:
        self.is_removed = True
        self.close()

    def _show_fields(self) -> None:
        kind = self.kind.currentData()
        self._form.setRowVisible(self._number, kind == "more")
        self._form.setRowVisible(self._times, kind != "any")
        self.adjustSize()

    def _fill(self) -> None:
        rule = self._rule
        kinds: tuple[tuple[AlarmKind, str], ...] = (
            ("any", tr("Any new event")),
            ("more", tr("Many events within a time")),
            ("none", tr("No event for a time")),
        )
        for kind, text in kinds:
            self.kind.addItem(text, kind)
        self.kind.setCurrentIndex([kind for kind, _ in kinds].index(rule.kind))
        units = {86_400: tr("days"), 3_600: tr("hours"), 60: tr("minutes"), 1: tr("seconds")}
        for unit in reversed(_UNITS):
            self._unit.addItem(units[unit], unit)
        unit = next(one for one in _UNITS if rule.seconds % one == 0)
        self._unit.setCurrentIndex(self._unit.findData(unit))
        self._number.setRange(1, _MOST)
        self._number.setValue(rule.number)
        self._time.setRange(1, MOST_SECONDS)
        self._time.setValue(rule.seconds // unit)
        self._sound.setChecked(rule.sound)
        self._tray.setChecked(rule.tray)

    def _arrange(self) -> None:
        self.setObjectName("events.alert")
        fields = QWidget(self)
        fields.setMinimumWidth(_WIDTH)
        self._form = QFormLayout(fields)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(GAP)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._times = QWidget(fields)
        times = QHBoxLayout(self._times)
        times.setContentsMargins(0, 0, 0, 0)
        times.setSpacing(GAP)
        times.addWidget(self._time, stretch=1)
        times.addWidget(self._unit, stretch=1)
        rows: tuple[tuple[str, QWidget], ...] = (
            (tr("View"), self.line),
            (tr("Alarm"), self.kind),
            (tr("More than"), self._number),
            (tr("Time"), self._times),
            ("", self._sound),
            ("", self._tray),
        )
        for text, widget in rows:
            self._form.addRow(text, widget)
            if text:
                widget.setAccessibleName(text)
        self._time.setAccessibleName(tr("Time"))
        self._unit.setAccessibleName(tr("Unit of the time"))
        self.add(fields)
