"""The popup in which the user chooses when a view of events raises an alarm."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.alarm_rules import MOST_SECONDS, AlarmKind, AlarmRule
from cdb_desktop.queries.saved_views import MAX_NAME_LENGTH, single_line
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup

_WIDTH = 300
_MOST = 1_000_000  # events
_MINUTE = 60


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
        has_date: bool = False,
    ) -> None:
        """``rule`` is that of the saved view ``name``, or None for a view that is saved with the alarm.

        ``is_set``: the view raises alarms already, and can be silenced. ``has_date``: its query has a date.
        """
        super().__init__(appearance, tr("Alert me"), tr("Set alarm"), parent)
        self._rule = rule or AlarmRule(name)
        self.is_removed = False
        self.line = named("events.alert.name", QLineEdit(name[:MAX_NAME_LENGTH], self))
        self.line.setMaxLength(MAX_NAME_LENGTH)
        self.line.setEnabled(rule is None)
        kinds: tuple[tuple[AlarmKind, str], ...] = (
            ("any", tr("Each new event")),
            ("more", tr("Many events within a time")),
            ("none", tr("No event for a time")),
        )
        self.kinds = {kind: named(f"events.alert.{kind}", QRadioButton(text, self)) for kind, text in kinds}
        self._number = ignore_wheel(named("events.alert.number", QSpinBox(self)))
        self._minutes = ignore_wheel(named("events.alert.minutes", QSpinBox(self)))
        self._sound = named("events.alert.sound", QCheckBox(tr("Sound"), self))
        self._tray = named("events.alert.tray", QCheckBox(tr("Message of the system"), self))
        self._fill()
        self._arrange()
        self._show_fields()
        for button in self.kinds.values():
            button.toggled.connect(self._show_fields)
        if has_date:
            self.add_note(tr("The date of the view has no effect: an alarm is about new events."))
        self.add_note(tr("Sound and message are used while another window is active."))
        remove = QPushButton(tr("No alarm"), self)
        remove.setObjectName("events.alert.remove")
        remove.setAutoDefault(False)
        remove.setVisible(is_set)
        remove.clicked.connect(self._remove)
        self.finish(self.kinds[self._rule.kind] if rule is not None else self.line, remove)
        self.line.selectAll()

    @property
    def rule(self) -> AlarmRule:
        """The chosen rule."""
        return AlarmRule(
            single_line(self.line.text()) or self._rule.view,
            self._kind,
            self._number.value(),
            self._minutes.value() * _MINUTE,
            self._sound.isChecked(),
            self._tray.isChecked(),
        )

    @property
    def _kind(self) -> AlarmKind:
        return next(kind for kind, button in self.kinds.items() if button.isChecked())

    def _remove(self) -> None:
        self.is_removed = True
        self.close()

    def _show_fields(self) -> None:
        self._number.setEnabled(self._kind == "more")
        self._minutes.setEnabled(self._kind != "any")

    def _fill(self) -> None:
        rule = self._rule
        self.kinds[rule.kind].setChecked(True)
        self._number.setRange(1, _MOST)
        self._number.setValue(rule.number)
        self._minutes.setRange(1, MOST_SECONDS // _MINUTE)
        self._minutes.setValue(-(-rule.seconds // _MINUTE))
        self._sound.setChecked(rule.sound)
        self._tray.setChecked(rule.tray)

    def _arrange(self) -> None:
        self.setObjectName("events.alert")
        fields = QWidget(self)
        fields.setMinimumWidth(_WIDTH)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(GAP)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows: tuple[tuple[str, QWidget], ...] = (
            (tr("View"), self.line),
            *((tr("Alarm") if kind == "any" else "", button) for kind, button in self.kinds.items()),
            (tr("More than"), self._number),
            (tr("Minutes"), self._minutes),
            ("", self._sound),
            ("", self._tray),
        )
        for text, widget in rows:
            form.addRow(text, widget)
        for text, widget in rows:
            if text and not isinstance(widget, QRadioButton):
                widget.setAccessibleName(text)
        self.add(fields)
