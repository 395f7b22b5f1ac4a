"""The search panel below the rows: the input, the progress, and the hits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.events.saved_views import SavedSearch
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.search.hits_table import HitsModel, HitsTable, counts_menu
from cdb_desktop.ui.events.search.messages import (
    HitsPlaceholder,
    SearchScope,
    initial_placeholder,
    invalid_pattern_text,
    key_value_offer,
    rule_text,
)
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import BAR, GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.input_handling import ignore_wheel, on_key, set_tab_order
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.notice import WrappedBar
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.pattern import Pattern, PatternError, PatternKind

_WIDTH, _NARROW = 380, 120
_TEXT, _STATUS = 200, 260  # pixels for the text and the status, beside the options
_BUTTONS = 5 * (28 + TIGHT) + 6 * GAP


class SearchPanel(QWidget):
    """A line to type in, options, and the hits below.

    Signals: ``search_requested`` (Pattern, SearchScope) · ``stop_requested`` · ``close_requested`` ·
    ``export_requested`` · ``event_requested`` with the id of an event · ``log_requested`` to repeat a
    filtered search in the whole log.
    """

    search_requested = Signal(object, object)
    stop_requested = Signal()
    close_requested = Signal()
    export_requested = Signal()
    event_requested = Signal(object)
    log_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.search")
        self.setAutoFillBackground(True)
        self._appearance = appearance
        self._is_running = False
        self._is_below = False
        self._searched: SavedSearch | None = None
        self._get_text: Callable[[], str] = str
        self._tone = "muted"
        self.model = HitsModel(self)
        self.table = HitsTable(self.model, appearance, self)
        self.place = HitsArea(self.table, appearance, self)
        self.place.set_placeholder(initial_placeholder)
        self.text = named("events.search.text", QLineEdit(self, clearButtonEnabled=True))
        self.kind = ignore_wheel(named("events.search.kind", QComboBox(self)))
        self.scope = ignore_wheel(named("events.search.scope", QComboBox(self)))
        self.ignore_case = named("events.search.ignore_case", QCheckBox(self))
        self.ignore_case.setChecked(True)
        self.go = named("events.search.go", QPushButton(self))
        self.hint = SearchHint(appearance, self)
        self._status = named("events.search.told", ElidedLabel(self))
        self._status.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._status.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.export = named("events.search.export", IconButton(icon("export", appearance), "", self))
        self.counts = named("events.search.counts", IconButton(icon("counts", appearance), "", self))
        self._previous = IconButton(icon("previous", appearance), "", self)
        self._next = IconButton(icon("next", appearance), "", self)
        self._close = IconButton(icon("close", appearance), "", self)
        self._arrange()
        self._connect()
        self._retranslate()

    @property
    def status(self) -> str:
        """The text about progress or result."""
        return self._status.text()

    def begin(self) -> None:
        """Removes the hits: a search has started."""
        self.model.clear()
        self._set_running(running=True)

    def end(self) -> None:
        """Ends the state of a running search."""
        self._set_running(running=False)

    def show_status(self, get_text: Callable[[], str], tone: str = "muted") -> None:
        """Shows what ``get_text`` returns, also after a change of language."""
        self._get_text, self._tone = get_text, tone
        self._status.setText(get_text())
        self._update_color()

    def _update_color(self) -> None:
        palette = QPalette(self._status.palette())
        color = QColor(getattr(self._appearance.tokens, self._tone))
        palette.setColor(QPalette.ColorRole.PlaceholderText, color)
        self._status.setPalette(palette)

    def step(self, by: int) -> None:
        """Goes to the next or the previous hit."""
        self.table.step(by)

    def expect(self, kind: PatternKind) -> None:
        """Chooses how the text is interpreted."""
        self.kind.setCurrentIndex(self.kind.findData(kind))
        self.show_rule()

    @property
    def saved(self) -> SavedSearch | None:
        """The open search, to be saved with a view; None if it is closed."""
        if self.isHidden() or not self.text.text():
            return None
        typed = SavedSearch(
            self.text.text(), PatternKind(self.kind.currentData()), not self.ignore_case.isChecked()
        )
        searched = self._searched
        if searched is not None and replace(searched, scope="result") == typed:
            return searched
        return replace(typed, scope=SearchScope(self.scope.currentData()).value)

    def show_saved(self, saved: SavedSearch) -> None:
        """Shows a saved search; `search_saved` starts it."""
        self.text.setText(saved.text)
        self.text.home(False)
        self.kind.setCurrentIndex(self.kind.findData(saved.kind))
        self.ignore_case.setChecked(not saved.exact)
        self.scope.setCurrentIndex(max(0, self.scope.findData(SearchScope(saved.scope))))
        self.model.clear()
        self.show_status(str)
        self.show_rule()

    def search_saved(self, saved: SavedSearch) -> None:
        """Starts a saved search in its scope."""
        self._search(SearchScope(saved.scope))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In a narrow window the options are below the line to type in."""
        super().resizeEvent(event)
        self._place_options()

    def _place_options(self) -> None:
        fixed = (self._options, self.go)
        needed = _TEXT + _STATUS + sum(one.sizeHint().width() for one in fixed) + _BUTTONS
        is_below = self.width() < needed
        if is_below == self._is_below:
            return
        self._is_below = is_below
        self._bar.setFixedHeight(BAR - GAP if is_below else BAR)
        second = self._second_line
        if is_below:
            self._bar.take(self._options)
            second.setContentsMargins(GROUP, 0, GAP, TIGHT)
            second.insertWidget(0, self._options)
        else:
            second.removeWidget(self._options)
            second.setContentsMargins(0, 0, 0, 0)
            self._bar.insert(2, self._options)

    def take_focus(self) -> None:
        """Sets the focus to the line to type in."""
        self.text.setFocus()
        self.text.selectAll()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def search(self) -> None:
        """Starts the search for the typed text, or shows why that is not possible."""
        self._search(SearchScope(self.scope.currentData()))

    def look_for(self, text: str, kind: PatternKind) -> None:
        """Searches the whole log as if ``text`` had been typed."""
        self.text.setText(text)
        self.text.home(False)
        self.kind.setCurrentIndex(self.kind.findData(kind))
        self.scope.setCurrentIndex(0)
        self._search(SearchScope.LOG)
        self.hint.show_text(str)

    def _search(self, scope: SearchScope) -> None:
        self.show_rule()
        if not self.text.text():
            self.hint.show_text(lambda: tr("Type the text to search for."))
            return
        try:
            kind = PatternKind(self.kind.currentData())
            exact = not self.ignore_case.isChecked()
            pattern = Pattern(self.text.text(), kind, exact=exact)
        except PatternError as error:
            self.hint.show_text(partial(invalid_pattern_text, error), "danger")
        else:
            self._searched = SavedSearch(pattern.text, pattern.kind, pattern.exact, scope.value)
            self.search_requested.emit(pattern, scope)

    def show_rule(self) -> None:
        """Shows below the line how the text is interpreted."""
        kind, text = PatternKind(self.kind.currentData()), self.text.text()
        self.hint.show_text(partial(rule_text, kind, text), offer=partial(key_value_offer, text, kind))

    def _search_pairs(self) -> None:
        """Searches for the text as key=value."""
        self.kind.setCurrentIndex(self.kind.findData(PatternKind.KEY))
        self.text.setFocus()
        self.search()

    def _offer_hits(self) -> None:
        for button in (self.counts, self.export, self._previous, self._next):
            button.setEnabled(self.model.rowCount() > 0)

    def _open_counts(self) -> None:
        menu = counts_menu(self, self.table, self.model.hits)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.counts.mapToGlobal(self.counts.rect().bottomLeft()))

    def _go(self) -> None:
        if self._is_running:
            self.stop_requested.emit()
        else:
            self.search()

    def _go_further(self) -> None:
        """Searches the whole result after the loaded rows, or the whole log after the result."""
        if SearchScope(self.scope.currentData()) is SearchScope.LOADED:
            self.scope.setCurrentIndex(0)
            self.search()
        else:
            self.log_requested.emit()

    def _leave(self) -> None:
        """Stops a running search, else closes the panel."""
        if self._is_running:
            self.stop_requested.emit()
        else:
            self.close_requested.emit()

    def _set_running(self, *, running: bool) -> None:
        self._is_running = running
        self.go.setText(tr("Stop") if running else tr("Search"))

    def _connect(self) -> None:
        self.text.returnPressed.connect(self.search)
        self.text.textEdited.connect(self.show_rule)
        self.kind.currentIndexChanged.connect(self.show_rule)
        self.hint.taken.connect(self._search_pairs)
        self.go.clicked.connect(self._go)
        self.export.clicked.connect(self.export_requested)
        self.counts.clicked.connect(self._open_counts)
        for changed in (self.model.modelReset, self.model.rowsInserted, self.model.rowsRemoved):
            changed.connect(self._offer_hits)
        self._close.clicked.connect(self.close_requested)
        self._previous.clicked.connect(lambda: self.step(-1))
        self._next.clicked.connect(lambda: self.step(1))
        self.table.chosen.connect(self.event_requested)
        self.place.step_requested.connect(self._go_further)
        self._appearance.changed.connect(self._update_color)
        on_key("Escape", self, self._leave, inside=True)

    def _arrange(self) -> None:
        for kind in (PatternKind.TEXT, PatternKind.REGEX, PatternKind.KEY):
            self.kind.addItem("", kind)
        for scope in (SearchScope.RESULT, SearchScope.LOADED):
            self.scope.addItem("", scope)
        self.text.setMinimumWidth(_NARROW)
        self.text.setMaximumWidth(_WIDTH)
        for box in (self.kind, self.scope):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._options = QWidget(self)
        options = QHBoxLayout(self._options)
        options.setContentsMargins(0, 0, 0, 0)
        options.setSpacing(GAP)
        for widget in (self.kind, self.scope, self.ignore_case):
            options.addWidget(widget)
        self._bar = bar = Toolbar(self, height=BAR)
        bar.add(self.text, stretch=3)
        bar.add(self._options, self.go, gap=GAP)
        bar.add(self._status, gap=GAP, stretch=2)
        bar.add(self.counts, self.export, self._previous, self._next, self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        self._second_line = QHBoxLayout()
        self._second_line.addStretch(1)
        layout.addLayout(self._second_line)
        layout.addWidget(self.hint)
        layout.addWidget(self.place, stretch=1)
        self._offer_hits()
        set_tab_order(bar, self.hint, self.place)

    def _retranslate(self) -> None:
        names = {
            PatternKind.TEXT: tr("Text"),
            PatternKind.REGEX: tr("Regular expression"),
            PatternKind.KEY: tr("key=value"),
        }
        for place in range(self.kind.count()):
            self.kind.setItemText(place, names[PatternKind(self.kind.itemData(place))])
        for place, name in enumerate((tr("In the whole result"), tr("In loaded rows"))):
            self.scope.setItemText(place, name)
        self.kind.setAccessibleName(tr("How to interpret the text"))
        self.scope.setAccessibleName(tr("Where to search"))
        self.ignore_case.setText(tr("Ignore case"))
        self.text.setPlaceholderText(tr("Search in all fields and info"))
        self.text.setAccessibleName(self.text.placeholderText())
        self.table.setAccessibleName(tr("Hits"))
        for button, text in (
            (self.counts, tr("Count the hits by type, user and place")),
            (self.export, tr("Export the hits…")),
            (self._previous, tr("Previous hit (Shift+F3)")),
            (self._next, tr("Next hit (F3)")),
            (self._close, tr("Close the search (Esc)")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self._set_running(running=self._is_running)
        self._place_options()
        self._status.setText(self._get_text())
        self.hint.retranslate()
        self.model.retranslate()
        self.table.viewport().update()


class SearchHint(WrappedBar):
    """A line below the search text: a rule, an error or advice, with a button if something can be done.

    Signals: ``taken`` when the button is pressed.
    """

    taken = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.search.hint")
        self._appearance = appearance
        self._get_text: Callable[[], str] = str
        self._offer: Callable[[], str] = str
        self._tone = "muted"
        self._label = Label(self, wordWrap=True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = named("events.search.advice", QPushButton(self))
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self.taken)
        # In a layout: a label loses its margins when the style changes.
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        layout.addWidget(self._label, stretch=1)
        layout.addWidget(self.button)
        appearance.changed.connect(self._update_color)
        self.hide()

    @property
    def text(self) -> str:
        """The text that is shown."""
        return self._label.text()

    def show_text(
        self, get_text: Callable[[], str], tone: str = "muted", offer: Callable[[], str] = str
    ) -> None:
        """Shows what ``get_text`` returns, also after a change of language; hides the line if that is empty.

        ``offer`` returns the text of the button, empty for no button.
        """
        self._get_text, self._tone, self._offer = get_text, tone, offer
        self.retranslate()
        self._update_color()

    def retranslate(self) -> None:
        """Sets the texts in the current language."""
        self._label.setText(self._get_text())
        self.button.setText(self._offer())
        self.button.setVisible(bool(self.button.text()))
        self.setVisible(bool(self.text))
        self.fit()

    def _update_color(self) -> None:
        palette = QPalette(self._label.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(self._appearance.tokens, self._tone)))
        self._label.setPalette(palette)


class HitsArea(QStackedWidget):
    """Shows the table of hits, or a placeholder while it is empty.

    Signals: ``step_requested`` when the button of the placeholder is pressed.
    """

    step_requested = Signal()

    def __init__(self, table: HitsTable, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._table = table
        self._get_placeholder: Callable[[], HitsPlaceholder] | None = None
        self.state = EmptyState(appearance, self)
        self.state.setObjectName("events.search.picture")
        self.state.step_requested.connect(self.step_requested)
        self.addWidget(self.state)
        self.addWidget(table)
        model = table.model()
        for changed in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._settle)

    def set_placeholder(self, get_placeholder: Callable[[], HitsPlaceholder]) -> None:
        """Sets what the placeholder shows; ``get_placeholder`` is called again after a change of language."""
        self._get_placeholder = get_placeholder
        self._show()
        self._settle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show()

    def _show(self) -> None:
        if self._get_placeholder is not None:
            shown = self._get_placeholder()
            self.state.show_state(shown.kind, shown.title, shown.text, shown.step)

    def _settle(self) -> None:
        self.setCurrentWidget(self._table if self._table.model().rowCount() else self.state)
