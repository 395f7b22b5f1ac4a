"""The popup that accounts for every id of the feed and lists the unexplained ones."""

from collections.abc import Iterable, Sequence

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.live.event_lookup import LIST_RIGHT
from cdb_desktop.live.gap_detection import IdCounts
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT, demi_bold, tabular
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.popup import PopupFrame

_WIDTH = 380
_LIST_HEIGHT = 84


class GapReport(msgspec.Struct, frozen=True):
    """The ids by state, and the first of the unexplained ``ranges``.

    ``is_checkable``: whether the session may read the list. ``implausible_ids``: events far above the rest.
    ``unreadable`` records are no events; ``unreadable_texts`` are the last ones.
    """

    counts: IdCounts = IdCounts()
    ranges: tuple[tuple[int, int], ...] = ()
    is_checkable: bool = True
    implausible_ids: int = 0
    unreadable: int = 0
    unreadable_texts: tuple[str, ...] = ()


class GapReportPopup(PopupFrame):
    """Closes with Escape or a click elsewhere."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self._check_action = actions["live_check"]
        self._report = GapReport()
        self._button: QWidget | None = None
        self._title = Label(self)
        self._lines = [(Label(self), Label(self)) for _ in count_lines(IdCounts(), is_checkable=True)]
        self._verdict = Label(self)
        self._ranges = QPlainTextEdit(self)
        self._implausible_ids = Label(self)
        self._unreadable = Label(self)
        self._unreadable_texts = QPlainTextEdit(self)
        self._check = QPushButton(self)
        self._arrange()
        self._check.clicked.connect(self._check_action.trigger)
        self._check_action.changed.connect(self._show_report)

    def show_report(self, report: GapReport) -> None:
        """Shows another report if the popup is open."""
        if report != self._report:
            self._report = report
            if self.isVisible():
                self._show_report()

    def open_at(self, button: QWidget) -> None:
        """Opens below a button, or above it if there is not enough space."""
        self._button = button
        self._show_report()
        self._adjust_size()
        self.show()
        self._check.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handles the shortcut for checking, since a popup takes all keys away from the window."""
        if QKeySequence(event.keyCombination()) in self._check_action.shortcuts():
            self._check_action.trigger()
        else:
            super().keyPressEvent(event)

    def _show_report(self) -> None:
        report, counts = self._report, self._report.counts
        self._title.setText(_title(counts))
        lines = count_lines(counts, is_checkable=report.is_checkable)
        for (name, number), (text, count) in zip(self._lines, lines, strict=True):
            name.setText(text)
            number.setText(number_text(count))
        self._verdict.setText(verdict(counts, is_checkable=report.is_checkable))
        self._ranges.setPlainText(_ranges_text(report.ranges))
        # Ids that are being checked change continually.
        self._ranges.setVisible(bool(report.ranges and counts.unexplained))
        self._ranges.setAccessibleName(tr("Ids that are unexplained"))
        self._implausible_ids.setText(
            tr(
                "Events with ids far above all others: {count}. They are shown, and the feed continues with "
                "the lower ids, since a single id may be wrong.",
                count=report.implausible_ids,
            )
        )
        self._implausible_ids.setVisible(bool(report.implausible_ids))
        self._show_unreadable()
        self._check.setText(plain(self._check_action.text()))
        self._check.setEnabled(self._check_action.isEnabled())
        self._check.setToolTip(self._check_action.toolTip())
        if self.isVisible():
            self._adjust_size()

    def _show_unreadable(self) -> None:
        report = self._report
        self._unreadable.setText(
            tr(
                "Records without a readable id: {count}. They have no row; the received data:",
                count=report.unreadable,
            )
        )
        text = "\n".join(report.unreadable_texts)
        if text != self._unreadable_texts.toPlainText():
            self._unreadable_texts.setPlainText(text)
        self._unreadable_texts.setAccessibleName(tr("Records that could not be read"))
        for widget in (self._unreadable, self._unreadable_texts):
            widget.setVisible(bool(report.unreadable))

    def _adjust_size(self) -> None:
        layout, button = self.layout(), self._button
        if layout is None or button is None:
            return
        layout.activate()
        # By itself a window is no higher than two thirds of the screen, and its texts would be cut.
        width = max(_WIDTH, layout.totalMinimumSize().width())
        self.setFixedSize(width, layout.totalHeightForWidth(width))
        self.move_to(button)

    def _arrange(self) -> None:
        self.setObjectName("live.account")
        self._check.setObjectName("live.account.check")
        self._ranges.setObjectName("live.account.ranges")
        self._unreadable_texts.setObjectName("live.account.unread")
        self._title.setFont(demi_bold(self.font()))
        for label in (self._verdict, self._implausible_ids, self._unreadable):
            label.setWordWrap(True)
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for text in (self._ranges, self._unreadable_texts):
            text.setReadOnly(True)
            text.setTabChangesFocus(True)
            text.setFixedHeight(_LIST_HEIGHT)
        grid = QGridLayout()
        grid.setHorizontalSpacing(GROUP)
        grid.setVerticalSpacing(TIGHT)
        for row, (name, number) in enumerate(self._lines):
            number.setFont(tabular(self.font()))
            number.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(name, row, 0)
            grid.addWidget(number, row, 1)
        grid.setColumnStretch(0, 1)
        layout = lay_out(
            QVBoxLayout(self), self._title, grid, margins=(GROUP, GROUP, GROUP, GROUP), spacing=GAP
        )
        for widget in (
            self._verdict,
            self._ranges,
            self._implausible_ids,
            self._unreadable,
            self._unreadable_texts,
            self._check,
        ):
            layout.addWidget(widget)


def summary(counts: IdCounts, *, is_checkable: bool, unreadable: int = 0) -> str:
    """The report in the strip: how many ids are unexplained, or being checked if none are."""
    if not is_checkable:
        text = tr("{count:1 unknown id|{count} unknown ids}", count=counts.unexplained)
    elif counts.checking and not counts.unexplained:
        text = tr("checking {count:1 id|{count} ids}", count=counts.checking)
    else:
        text = tr("{count:1 unexplained id|{count} unexplained ids}", count=counts.unexplained)
    return f"{text} · {tr('{count} unreadable', count=unreadable)}" if unreadable else text


def warning(counts: IdCounts, *, unreadable: int = 0) -> str:
    """The report in a narrow strip, empty if there is nothing to warn of."""
    number = counts.unexplained + unreadable
    return f"⚠ {number_text(number)}" if number else ""


def count_lines(counts: IdCounts, *, is_checkable: bool) -> tuple[tuple[str, int], ...]:
    """Each state with the number of its ids; they add up."""
    unexplained = tr("Unexplained") if is_checkable else tr("Cannot be determined")
    return (
        (tr("Received"), counts.received),
        (tr("Not pollable"), counts.unpollable),
        (tr("Another session's or user's"), counts.hidden),
        (tr("Deleted, or never written"), counts.deleted),
        (tr("Being checked"), counts.checking),
        (unexplained, counts.unexplained),
    )


def verdict(counts: IdCounts, *, is_checkable: bool) -> str:
    """What the counts mean for the user."""
    if not is_checkable:
        return tr(
            "Polls omit some events by design, and only the list shows which. Reading it requires the right "
            "{right}; without it, these ids cannot be told from lost ones.",
            right=LIST_RIGHT,
        )
    if counts.unexplained:
        return tr(
            "The list could not be read for these ids. It is read again automatically; use “Check ids” to "
            "check now."
        )
    if counts.checking:
        return tr("These ids are looked up in the list within seconds.")
    if counts.recovered:
        return tr(
            "Nothing is missing. Omitted by polls and read from the list: {count}.", count=counts.recovered
        )
    return tr("Nothing is missing.")


def _title(counts: IdCounts) -> str:
    if not counts.total:
        return tr("No ids yet")
    return tr("Ids {first} to {last}", first=counts.first, last=counts.last)


def _ranges_text(ranges: Iterable[Sequence[int]]) -> str:
    return "\n".join(
        number_text(first) if first == last else f"{number_text(first)} – {number_text(last)}"
        for first, last in ranges
    )
