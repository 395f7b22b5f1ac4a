"""The inspector: the complete record of one event as fields, info and JSON."""

import re

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QGuiApplication,
    QPalette,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextOption,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.events.event_details import EventDetails, FieldGroup, PathStep, RecordLine
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.events.browser.row_menu import commit_action_text, object_action_text
from cdb_desktop.ui.events.inspector.history_tab import HistoryTab
from cdb_desktop.ui.events.inspector.value_tree import ValueTree, lines_of
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, STRIP, TIGHT, demi_bold
from cdb_desktop.ui.theme.style_sheets import FLAT_TABS
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.event_table.model import unreadable_text, unreadable_title
from cdb_desktop.ui.widgets.family_shapes import family_color
from cdb_desktop.ui.widgets.input_handling import on_key, set_tab_order
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label, caption, color_text
from cdb_desktop.ui.widgets.layout import LayoutBoundary, LazyText, ScrollCorner, lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.event_json import masked, records_json
from cdb_desktop.vocabulary.event_summary import event_sentences
from cdb_desktop.vocabulary.event_types import family_of, is_commit

_NARROWEST = 240
_TWO_LINES = 8.5  # minimum height in lines of text for a second line
_ALL_LINES = 14.0  # minimum height in lines of text for a wrapped note
_ONE_LINE = 360  # minimum width in pixels for type, id and buttons on one line
_FIRST_TAB = f"QTabBar::tab:first {{ margin-left: {GROUP - 10}px; }}"  # aligned with the title
_SENTENCE_LINES = 3  # at most
_SLOW = 300  # milliseconds after which the note that the record is being loaded appears
_MOST_TEXT = 200_000  # characters of JSON that are shown; all are copied


class Inspector(LayoutBoundary):
    """Shows one event, or why no event is shown.

    Signals: ``previous_requested``, ``next_requested``, ``close_requested`` · ``shown`` (EventDetails) ·
    ``menu_requested`` (RecordLine or None, global position) at fields and info · ``rows_requested`` to
    select an event that is not among the rows · ``copy_requested`` (Event) for a record
    that is not complete yet · ``history_shown`` when the user has chosen the tab with the history ·
    ``filled`` (whether there is anything to show) when that has changed ·
    ``share_requested`` (global position) for a menu of ways to share the event.
    """

    previous_requested = Signal()
    next_requested = Signal()
    close_requested = Signal()
    shown = Signal(object)
    menu_requested = Signal(object, QPoint)
    rows_requested = Signal()
    copy_requested = Signal(object)
    history_shown = Signal()
    filled = Signal(bool)
    share_requested = Signal(QPoint)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.inspector")
        self._appearance = appearance
        self._is_below = False
        self.is_empty = True  # whether no event is selected, so that there is nothing to show
        self.details: EventDetails | None = None  # the details that are shown, None if no event is shown
        self._unreadable: Unreadable | None = None
        self._is_outside = False
        self._json = ""
        self._tone = "muted"
        self._slow = QTimer(self, singleShot=True, interval=_SLOW)
        self._slow.timeout.connect(lambda: self._show_status(tr("Loading the whole record…")))
        self._title = ElidedLabel(self.content)
        self._number = caption(self.content)
        self.sentence = _Sentence(self.content)
        self._note = ElidedLabel(self.content)
        self._show_in_rows = named("events.inspector.rows", QPushButton(self.content))
        self.links = EventLinks(appearance, self.content)
        self.fields, self.info = ValueTree(), ValueTree()
        self.json = LazyText()
        self.history = HistoryTab(appearance)
        self._tabs = QTabWidget(self.content)
        self._buttons = {name: IconButton(icon(name, appearance), "") for name in _BUTTONS}
        self._arrange()
        self._connect()
        texts = {
            "previous": tr("Previous event (Alt+Up)"),
            "next": tr("Next event (Alt+Down)"),
            "copy": tr("Copy the record as JSON (Ctrl+Shift+C)"),
            "share": tr("Share this event"),
            "close": tr("Close the inspector (Esc)"),
        }
        for name, text in texts.items():
            self._buttons[name].setToolTip(text)
            self._buttons[name].setAccessibleName(text)
        for place, text in enumerate((tr("Fields"), tr("Info"), tr("JSON"), tr("History"))):
            self._tabs.setTabText(place, text)
        for widget, text in ((self.fields, tr("Fields")), (self.info, tr("Info"))):
            widget.setAccessibleName(text)
            widget.setHeaderLabels([tr("Name"), tr("Value")])
        self.json.setAccessibleName(tr("JSON"))
        self._tabs.setAccessibleName(tr("Parts of the event"))
        self._title.setText(tr("No event selected"))
        appearance.changed.connect(self._update_colors)

    @property
    def title(self) -> str:
        """The type of the event."""
        return self._title.text()

    @property
    def note(self) -> str:
        """The text above the record, empty for none."""
        return self._note.text() if self._note.isVisibleTo(self) else ""

    @property
    def outside(self) -> Event | None:
        """The event that is shown although it is not selected in the rows, or None."""
        return self.details.event if self._is_outside and self.details is not None else None

    @property
    def has_record(self) -> bool:
        """Whether there is anything to copy."""
        return bool(self._json)

    def show_nothing(self) -> None:
        """Shows no event."""
        self._clear(tr("No event selected"))
        self._set_empty(empty=True)

    def show_waiting(self) -> None:
        """Shows that the selected row is being loaded."""
        self._clear(tr("Loading…"))
        self._set_empty(empty=False)

    def show_details(self, details: EventDetails) -> None:
        """Shows an event; if it is not complete, a note appears after a moment."""
        self._forget_outside()
        same = self.details is not None and self.details.event.id == details.event.id
        self.details, self._unreadable = details, None
        self.links.show_event(details.event)
        self._title.setText(details.event.type)
        self._set_empty(empty=False)
        self._show_parts(details.groups, details.info, details.json)
        if details.is_whole and not details.info:
            self.info.show_fields((("", tr("This event has no info.")),))
        if details.is_whole or not same:
            self._show_status("")
        if not details.is_whole and not same:
            self._slow.start()
        self._enable()
        self.shown.emit(details)

    def show_outside(self, details: EventDetails, text: str, offer: str) -> None:
        """Shows an event that is not selected in the rows, the reason, and an action to select it there."""
        self.show_details(details)
        self._is_outside = True
        self._show_status(text, "warning")
        self._show_in_rows.setText(offer)
        self._show_in_rows.show()
        self._enable()

    def _forget_outside(self) -> None:
        """Removes the note about an event outside the rows."""
        if self._is_outside:
            self._is_outside = False
            self._show_in_rows.hide()
            self._show_status("")
            self._enable()

    def show_unreadable(self, record: Unreadable) -> None:
        """Shows a record that could not be read, and why."""
        self._forget_outside()
        self.details, self._unreadable = None, record
        self.links.show_event(None)
        self._title.setText(unreadable_title())
        self._show_parts((), None, records_json([record]))
        value = masked(record.value)
        self.fields.show_value(value if isinstance(value, dict | list) else {"": value})
        self.info.show_fields((("", tr("See Fields and JSON for the received data.")),))
        text = tr("The JSON as received from the service, with secrets masked.")
        self._show_status(f"{unreadable_text(record)} {text}", "warning")
        self._enable()
        self._set_empty(empty=False)

    def show_trouble(self, error: ErrorMessage) -> None:
        """Shows why the complete record could not be fetched, below the fields of the row."""
        self._show_status(f"{error.title}. {error.text} {error.remedy}", "danger")

    def show_gone(self) -> None:
        """Shows that the event has been deleted since the rows were loaded."""
        text = tr("This event was deleted after the rows were loaded. Press F5 to refresh.")
        self._show_status(text, "warning")

    def show_history(self) -> None:
        """Shows the tab with the history."""
        self._tabs.setCurrentWidget(self.history)

    def copy_json(self) -> None:
        """Copies the complete record to the clipboard as soon as it has been fetched."""
        if self.details is not None and not self.details.is_whole:
            self.copy_requested.emit(self.details.event)
        elif self._json:
            QGuiApplication.clipboard().setText(self._json)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In a narrow inspector the name of the event has its own line."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        is_narrow, height = self.width() < _ONE_LINE, self.height() / self.fontMetrics().height()
        self.sentence.setVisible(bool(self.sentence.text()) and height >= _ALL_LINES)
        self._note.setWordWrap(height >= _ALL_LINES)
        is_below = is_narrow and height >= (_ALL_LINES if self._note.text() else _TWO_LINES)
        # On one line with the buttons the type needs all the space; the id is also the first field, and the
        # menu of a field shares the event too.
        for widget in (self._number, self._buttons["share"]):
            widget.setVisible(is_below or not is_narrow)
        if is_below == self._is_below:
            return
        self._is_below = is_below
        first, second = self._strip, self._second_line
        if is_below:
            first.take(self._name)
            second.setContentsMargins(GROUP, TIGHT, GAP, 0)
            second.addWidget(self._name)
        else:
            second.removeWidget(self._name)
            second.setContentsMargins(0, 0, 0, 0)
            first.insert(0, self._name, stretch=1)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the time zone."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and self.details is not None:
            self.fields.show_groups(self.details.groups)
            self.sentence.show_texts(event_sentences(self.details.event))

    def _clear(self, title: str) -> None:
        self._forget_outside()
        self.details = self._unreadable = None
        self.links.show_event(None)
        self._title.setText(title)
        self._show_parts((), None, "")
        self._show_status("")
        self._enable()

    def _set_empty(self, *, empty: bool) -> None:
        if empty is not self.is_empty:
            self.is_empty = empty
            self.filled.emit(not empty)

    def _show_parts(self, groups: tuple[FieldGroup, ...], info: object, json: str) -> None:
        self._json = json
        self.fields.show_groups(groups)
        self.sentence.show_texts(() if self.details is None else event_sentences(self.details.event))
        self._fit()
        self.info.show_value({} if info is None else info)
        self.json.show_text(json if len(json) <= _MOST_TEXT else f"{json[:_MOST_TEXT]}\n…")
        self._update_colors()
        self._number.setText("" if self.details is None else number_text(self.details.event.id))

    def _show_status(self, text: str, tone: str = "muted") -> None:
        self._slow.stop()
        self._tone = tone
        if text != self._note.text():
            self._note.setText(text)
            self._note.setVisible(bool(text))
            self._fit()
        color_text(self._note, QColor(getattr(self._appearance.tokens, tone)))

    def _enable(self) -> None:
        self._buttons["copy"].setEnabled(bool(self._json))
        self._buttons["share"].setEnabled(self.details is not None)
        for name in ("previous", "next"):
            self._buttons[name].setEnabled(bool(self._json) and not self._is_outside)

    def _update_colors(self) -> None:
        tokens, details = self._appearance.tokens, self.details
        color = QColor(tokens.muted if self._unreadable is None else tokens.warning)
        if details is not None:
            color = family_color(family_of(details.event.type), tokens)
        color_text(self._title, color)
        color_text(self._note, QColor(getattr(tokens, self._tone)))

    def _open_menu_of_field(self, line: RecordLine | None, place: QPoint) -> None:
        if line is not None and self.details is not None:
            # The tree contains formatted texts, such as times in the current zone.
            values = dict(self.details.values)
            line = replace(line, value=values.get(line.path, line.value))
        self.menu_requested.emit(line, place)

    def _open_menu_of_info(self, line: RecordLine | None, place: QPoint) -> None:
        if line is not None:
            line = replace(line, steps=(PathStep("info"), *line.steps))
        self.menu_requested.emit(line, place)

    def _request_share(self) -> None:
        button = self._buttons["share"]
        self.share_requested.emit(button.mapToGlobal(QPoint(0, button.height())))

    def _announce_tab(self, place: int) -> None:
        if self._tabs.widget(place) is self.history:
            self.history_shown.emit()

    def _connect(self) -> None:
        self.fields.menu_requested.connect(self._open_menu_of_field)
        self.info.menu_requested.connect(self._open_menu_of_info)
        self._buttons["previous"].clicked.connect(self.previous_requested)
        self._buttons["next"].clicked.connect(self.next_requested)
        self._buttons["copy"].clicked.connect(self.copy_json)
        self._buttons["share"].clicked.connect(self._request_share)
        self._buttons["close"].clicked.connect(self.close_requested)
        self._show_in_rows.clicked.connect(self.rows_requested)
        self._tabs.tabBarClicked.connect(self._announce_tab)
        on_key("Escape", self, self.close_requested.emit, inside=True)
        on_key("Ctrl+Shift+C", self, self.copy_json, inside=True)

    def _arrange(self) -> None:
        self.setMinimumWidth(_NARROWEST)
        self.setAutoFillBackground(True)
        self._title.setFont(demi_bold(self.font()))
        self._name = QWidget(self.content)
        name = lay_out(QHBoxLayout(self._name), self._title, self._number, spacing=GAP)
        name.addStretch(1)
        self._strip = strip = Toolbar(self.content, height=STRIP)
        strip.add(self._name, stretch=1)
        strip.push(0)
        strip.add(*(self._buttons[name] for name in _BUTTONS))
        self._note.setContentsMargins(GROUP, GAP, GAP, TIGHT)
        self._note.hide()
        self.json.setFrameShape(QFrame.Shape.NoFrame)
        # Long texts have no blanks at which they could be wrapped.
        self.json.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        JsonColors(self.json, self._appearance)
        self.json.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        ScrollCorner(self.json)
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setStyleSheet(FLAT_TABS + _FIRST_TAB)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.setObjectName("events.inspector.tabs")
        self.json.document().setDocumentMargin(GROUP)
        for page in (_with_margin(self.fields), _with_margin(self.info), self.json, self.history):
            self._tabs.addTab(page, "")
        layout = lay_out(QVBoxLayout(self.content))
        offer = lay_out(QHBoxLayout(), self._show_in_rows, margins=(GROUP, 0, GAP, TIGHT))
        offer.addStretch(1)
        self._show_in_rows.setAutoDefault(False)
        self._show_in_rows.hide()
        self._second_line = QHBoxLayout()
        layout.addWidget(strip)
        layout.addLayout(self._second_line)
        layout.addWidget(self.sentence)
        layout.addWidget(self._note)
        layout.addLayout(offer)
        layout.addWidget(self.links)
        layout.addWidget(self._tabs)
        set_tab_order(strip, self._show_in_rows, self.links, self._tabs)


class _Sentence(Label):
    """The first of several texts that fits on three lines, or else the last one, elided."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("events.inspector.sentence")
        self.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        # It follows the width of the inspector, which its lines do not widen.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._texts: tuple[str, ...] = ()

    def show_texts(self, texts: tuple[str, ...]) -> None:
        """Shows one of ``texts``, which begin with the longest."""
        self._texts = texts
        self._wrap()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._wrap()

    def _wrap(self) -> None:
        whole, lines = self._texts[0] if self._texts else "", [""]
        for text in self._texts:
            lines = lines_of(text, self.font(), self.contentsRect().width(), _SENTENCE_LINES + 1)
            if len(lines) <= _SENTENCE_LINES:
                break
        else:
            last = self._texts[-1] if self._texts else ""
            lines = lines_of(last, self.font(), self.contentsRect().width(), _SENTENCE_LINES)
        self.setText("\n".join(lines))
        self.setToolTip(whole)
        self.setAccessibleName(whole)


def _with_margin(tree: ValueTree) -> QWidget:
    page = QWidget(autoFillBackground=True)
    page.setBackgroundRole(QPalette.ColorRole.Base)
    # The indentation of the tree adds the rest.
    lay_out(QVBoxLayout(page), tree, margins=(GROUP - 3, TIGHT, 0, 0))
    return page


_BUTTONS = ("previous", "next", "copy", "share", "close")


class EventLinks(QWidget):
    """Buttons that lead from an event to its schema version and its object; hidden if it has neither.

    Signals: ``schema_requested`` with the Event of a commit · ``object_requested`` with an Event whose object
    is meant.
    """

    schema_requested = Signal(object)
    object_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._event: Event | None = None
        self.schema = named("events.inspector.schema", QToolButton(self))
        self.object = named("events.inspector.object", QToolButton(self))
        self.schema.setIcon(icon("schema", appearance))
        self.object.setIcon(icon("search", appearance))
        self.schema.clicked.connect(lambda: self.schema_requested.emit(self._event))
        self.object.clicked.connect(lambda: self.object_requested.emit(self._event))
        layout = lay_out(QVBoxLayout(self), margins=(GROUP - TIGHT, TIGHT, GAP, 0))
        for button in (self.schema, self.object):
            button.setAutoRaise(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            # A long name of an object type is elided instead of widening the inspector.
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        layout.addWidget(self.schema, alignment=Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.object, alignment=Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_event(self, event: Event | None) -> None:
        """Shows the links of another event, None for no event."""
        self._event = event
        has_object = event is not None and event.object_id is not None
        links = {
            self.schema: commit_action_text(event) if event is not None and is_commit(event) else "",
            self.object: object_action_text(event) if event is not None and has_object else "",
        }
        for button, text in links.items():
            if text != button.toolTip():
                button.setText(text.replace("&", "&&"))
                button.setToolTip(text)
                button.setAccessibleName(text)
            button.setVisible(bool(text))
        self.setVisible(any(links.values()))


LONGEST = 50_000  # characters of a text that is colored, which takes some 30 ms
_PARTS = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<text>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<word>\b(?:true|false|null)\b)|(?P<number>-?\b\d[\d.eE+-]*)"
)
_TOKENS = {"key": "accent", "text": "good", "word": "session", "number": "export"}


class JsonColors(QSyntaxHighlighter):
    """Keys, texts, numbers and words have the colors of the theme, each with enough contrast to be read."""

    def __init__(self, editor: QPlainTextEdit, appearance: Appearance) -> None:
        super().__init__(editor.document())
        self._appearance = appearance
        self._formats: dict[str, QTextCharFormat] = {}
        self._follow_theme()
        appearance.changed.connect(self._follow_theme)

    def highlightBlock(self, text: str) -> None:  # noqa: N802
        if self.document().characterCount() > LONGEST:
            return
        for found in _PARTS.finditer(text):
            if found.lastgroup is not None:
                self.setFormat(found.start(), found.end() - found.start(), self._formats[found.lastgroup])

    def _follow_theme(self) -> None:
        tokens = self._appearance.tokens
        colors = {part: getattr(tokens, name) for part, name in _TOKENS.items()}
        if colors != {part: one.foreground().color().name().upper() for part, one in self._formats.items()}:
            for part, name in colors.items():
                self._formats[part] = QTextCharFormat()
                self._formats[part].setForeground(QColor(name))
            self.rehighlight()
