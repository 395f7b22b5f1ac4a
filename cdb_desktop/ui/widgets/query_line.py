"""The line in which a query is typed, with completions, errors and a short help."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QFocusEvent,
    QFontDatabase,
    QKeyEvent,
    QPalette,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QCompleter, QGridLayout, QLineEdit, QListView, QWidget

from cdb_desktop.foundation.i18n import language, number_text, tr
from cdb_desktop.queries.completion import Completion, completions
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.links import is_link
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.typed_query import TypedQueryError, with_event_terms, with_terms
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.input_handling import leave_keys
from cdb_desktop.ui.widgets.labels import BESIDE, Label, SideTextDelegate, color_text
from cdb_desktop.ui.widgets.popup import PopupFrame
from cdb_desktop.ui.widgets.query_texts import fault_text
from cdb_desktop.vocabulary.query_text import parse_query

_MOST_VISIBLE = 12
_WIDEST = 420
_BEGUN_LINK = 8  # characters
_TAKE = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab})


class QueryLine(QLineEdit):
    """A line for further terms of a query: Return applies them, Down opens completions.

    Signals: ``entered`` (text) · ``last_chip_requested`` when Backspace is pressed in the empty line ·
    ``left`` when Escape is pressed in the empty line · ``meaning_offered`` (what the whole text means, as it
    is typed) to be counted.
    """

    entered = Signal(str)
    meaning_offered = Signal(str)
    last_chip_requested = Signal()
    left = Signal()

    def __init__(
        self,
        appearance: Appearance,
        seen: KnownValues,
        parent: QWidget,
        *,
        name: str = "events.query",
        has_dates: bool = True,
    ) -> None:
        """``seen`` contains what can be completed, and the names of users; ``name`` is the object name.

        ``has_dates``: dates and groups can be typed, which filter no new events.
        """
        super().__init__(parent, clearButtonEnabled=True)
        self.setObjectName(name)
        self._has_dates = has_dates
        self._appearance = appearance
        self._seen = seen
        self._before = ""  # the text before it is edited
        self._meaning = ""  # the first completion if it is for the whole text
        self._rows = QStandardItemModel(self)
        self._completer = QCompleter(self._rows, self, maxVisibleItems=_MOST_VISIBLE)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(self)
        self._popup = QListView(self, uniformItemSizes=True)
        self._popup.setObjectName(f"{name}.completions")
        self._completer.setPopup(self._popup)
        self._popup.setItemDelegate(SideTextDelegate(appearance, self._popup))
        self._completer.activated.connect(self._take)
        self._hint = QueryHint(appearance, self)
        self._help = QAction(icon("help", appearance), "", self)
        self._help.setObjectName(f"{name}.help")
        self.addAction(icon("search", appearance), QLineEdit.ActionPosition.LeadingPosition)
        self.addAction(self._help, QLineEdit.ActionPosition.TrailingPosition)
        self.returnPressed.connect(self._enter)
        self.textEdited.connect(self._edited)
        self.textChanged.connect(self._remember)  # follows textEdited
        self._help.triggered.connect(self._open_help)
        # On X11 they move to the end and clear the line; the actions of the page are worth more.
        leave_keys(self, "Ctrl+E", "Ctrl+U")
        self.setPlaceholderText(
            tr("Search, or filter by type: user: object: last week …")
            if self._has_dates
            else tr("Search, or filter by type: user: object: …")
        )
        self.setAccessibleName(tr("Search or filter"))
        self._help.setText(tr("What can be typed"))
        self._help.setToolTip(self._help.text())

    @property
    def completion_texts(self) -> list[str]:
        """The completions that are offered."""
        if not self._popup.isVisible():
            return []
        return [self._rows.item(row).text() for row in range(self._rows.rowCount())]

    def take_focus(self) -> None:
        """Sets the focus and selects the text."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def show_number(self, typed: str, number: int) -> None:
        """Shows how many events the first completion finds, if it is still this one."""
        if self._meaning == typed and self._rows.rowCount():
            self._rows.item(0).setData(number_text(number), BESIDE)

    def edit(self, text: str) -> None:
        """Puts a term or the beginning of one into the line, to be continued there."""
        self.setText(f"{self.text().strip()} {text}".strip())
        self.setFocus()

    def added_to(self, query: Query) -> Query | None:
        """``query`` with the typed terms; None if one cannot be used, which is selected with the reason."""
        terms = parse_query(self.text(), datetime.now(UTC), set(self._seen.object_types))
        add = with_terms if self._has_dates else with_event_terms
        try:
            return add(query, terms, self._seen)
        except TypedQueryError as error:
            self.show_error(fault_text(error), error.term.first, error.term.last)
            return None

    def show_error(self, text: str, first: int, last: int) -> None:
        """Selects the term that cannot be used and shows why."""
        self.setFocus()
        self.setSelection(first, max(1, last - first))
        self._hint.show_text(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Down opens the completions; Backspace and Escape in the empty line leave it."""
        key = event.key()
        if self._popup.isVisible() and key in _TAKE and self._popup.currentIndex().isValid():
            event.ignore()  # the completer inserts the current completion
            return
        if key == Qt.Key.Key_Down and not self._popup.isVisible():
            self._offer()
        elif key == Qt.Key.Key_Escape and not self._popup.isVisible():
            self._hint.hide()
            if self.text():
                self.clear()
            else:
                self.left.emit()
        elif key == Qt.Key.Key_Backspace and not self.text():
            self.last_chip_requested.emit()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Leaves files and links to the window, which opens them; the line would insert them as text."""
        data = event.mimeData()
        if data.hasUrls() or is_link(data.text()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self._hint.hide()

    def _open_help(self) -> None:
        QueryHelp(self._appearance, self, has_dates=self._has_dates).open_below(self)

    def _edited(self, text: str) -> None:
        self._hint.hide()
        if not is_link(text):
            self._offer()
            return
        self._popup.hide()
        # A link that is typed begins to be one with its colon; one that is pasted is opened at once.
        if not is_link(self._before) and len(text) > _BEGUN_LINK:
            self.entered.emit(text)

    def _remember(self, text: str) -> None:
        self._before = text

    def _completions(self) -> Sequence[Completion]:
        seen, text, cursor = self._seen, self.text(), self.cursorPosition()
        is_of_new = not self._has_dates
        return completions(text, cursor, seen, seen.events_of_types, language(), of_new_events=is_of_new)

    def _offer(self) -> None:
        """Shows what the word before the cursor may become."""
        found = self._completions()
        self._rows.clear()
        for completion in found:
            item = QStandardItem(completion.title)
            item.setEditable(False)
            item.setSizeHint(QSize(0, self._appearance.row))
            item.setData("" if completion.number is None else number_text(completion.number), BESIDE)
            self._rows.appendRow(item)
        is_whole = bool(found) and found[0].words == " ".join(self.text().split())
        self._meaning = found[0].text if is_whole else ""
        if not found:
            self._popup.hide()
            return
        if is_whole and found[0].number is None:
            self.meaning_offered.emit(self._meaning)
        rectangle, width = self.rect(), min(_WIDEST, self.width())
        replaced = self.text()[found[0].first : self.cursorPosition()]
        left = self.cursorRect().center().x() - self.fontMetrics().horizontalAdvance(replaced)
        rectangle.setLeft(max(0, min(left, self.width() - width)))
        rectangle.setWidth(width)
        self._completer.complete(rectangle)
        self._popup.setCurrentIndex(QModelIndex())

    def _take(self, title: str) -> None:
        completion = next((one for one in self._completions() if one.title == title), None)
        if completion is None:
            return
        last = self.cursorPosition() if completion.last is None else completion.last
        after = self.text()[last:]
        before = self.text()[: completion.first] + completion.text
        is_all = bool(completion.words) and not self.text()[: completion.first].strip() and not after.strip()
        if not completion.is_field and not after.startswith(" "):
            before += " "
        self.setText(before + after)
        self.setCursorPosition(len(before))
        if completion.is_field:
            # The popup closes after this signal.
            QTimer.singleShot(0, self, self._offer)
        elif is_all:
            self._enter()  # nothing is left to be typed

    def _enter(self) -> None:
        self._popup.hide()
        if self.text().strip():
            self.entered.emit(self.text())


class QueryHint(Label):
    """Why a term cannot be used, below the line and above everything else."""

    def __init__(self, appearance: Appearance, line: QLineEdit) -> None:
        super().__init__("", line)
        self.setWindowFlag(Qt.WindowType.ToolTip)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setObjectName("events.query.error")
        self.setMargin(GAP)
        self.setAutoFillBackground(True)
        self._appearance, self._line = appearance, line

    def show_text(self, text: str) -> None:
        """Shows a text until the line is edited or left."""
        color_text(self, self._appearance.tokens.danger)
        color_text(self, self._appearance.tokens.raised, QPalette.ColorRole.Window)
        self.setText(text)
        self.adjustSize()
        self.move(self._line.mapToGlobal(QPoint(0, self._line.height() + TIGHT)))
        self.show()


class QueryHelp(PopupFrame):
    """What can be typed: a table of examples and their meaning."""

    def __init__(self, appearance: Appearance, parent: QWidget, *, has_dates: bool = True) -> None:
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self.setObjectName("events.query.help.popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QGridLayout(self)
        layout.setContentsMargins(GROUP, GAP, GROUP, GAP)
        layout.setHorizontalSpacing(GROUP)
        layout.setVerticalSpacing(TIGHT)
        for row, (example, meaning) in enumerate(examples(has_dates=has_dates)):
            code = Label(example, self)
            code.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            layout.addWidget(code, row, 0)
            layout.addWidget(Label(meaning, self), row, 1)

    def open_below(self, line: QWidget) -> None:
        """Opens at the right end below the line, or at its left end if the line is shorter."""
        self.adjustSize()
        self.move_to(line)
        left = line.mapToGlobal(QPoint(0, 0)).x()
        if self.x() < left:
            self.move(min(left, line.screen().availableGeometry().right() - self.width()), self.y())
        self.show()


def examples(*, has_dates: bool = True) -> list[tuple[str, str]]:
    """Examples of what can be typed, with their meaning; ``has_dates`` as for `QueryLine`."""
    everywhere = [
        (tr("deleted image"), tr("all of these words, in any order and in any field")),
        ('"permission denied"', tr("exactly this text")),
        (tr("type:EXPORT_FAILED"), tr("events of a type; * for any text")),
        (tr("user:Lindqvist"), tr("events of a user; also group:") if has_dates else tr("events of a user")),
        (tr("object:work"), tr("the objects of a table; work 477 v2 for one of them")),
        ("exception=*denied*", tr("a key with a value; * for any text")),
        (tr("-type:API_CALL"), tr("excluded; a minus can precede everything except dates")),
        ("/deni(ed|al)/", tr("a regular expression")),
        (f"{tr('exact')}:Import", tr("case-sensitive")),
    ]
    if not has_dates:
        return everywhere
    dates = (tr("last week"), tr("dates: today, 2 weeks ago, since 9.11., at 10:40"))
    return [
        *everywhere[:5],
        dates,
        *everywhere[5:],
        ("19908", tr("goes to the event with this id")),
        (tr("a pasted error"), tr("finds its events")),
        (tr("a pasted link"), tr("opens the shared query or event")),
    ]
