"""The panel below the rows in which everything is searched: what to look for, how it goes, what was found."""

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
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.events.saved_views import SavedSearch
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.search.hit_counts import counts_menu
from cdb_desktop.ui.events.search.hits_model import HitsModel
from cdb_desktop.ui.events.search.hits_place import HitsPlace
from cdb_desktop.ui.events.search.hits_table import HitsTable
from cdb_desktop.ui.events.search.no_hits_words import before_words
from cdb_desktop.ui.events.search.search_hint import SearchHint
from cdb_desktop.ui.events.search.search_scope import Scope
from cdb_desktop.ui.events.search.search_words import pair_offer, refusal_words, rule_words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import BAR, GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.input_handling import ignore_wheel, on_key, set_tab_order
from cdb_desktop.ui.widgets.labels import ElidedLabel
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.pattern import Pattern, PatternError, PatternKind

_WIDTH, _NARROW = 380, 120
_TEXT, _TOLD = 200, 260  # pixels for what is typed and what is told, beside the options
_BUTTONS = 5 * (28 + TIGHT) + 6 * GAP


class SearchPanel(QWidget):
    """A line to type in and the hits below.

    Signals: ``search_requested`` (Pattern, Scope) · ``stop_requested`` · ``close_requested`` ·
    ``export_requested`` · ``event_requested`` with the id of an event · ``log_requested`` when what was
    looked for in what passes the filters is to be looked for in the whole log.
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
        self._say: Callable[[], str] = str
        self._tone = "muted"
        self.model = HitsModel(self)
        self.table = HitsTable(self.model, appearance, self)
        self.place = HitsPlace(self.table, appearance, self)
        self.place.tell(before_words)
        self.text = named("events.search.text", QLineEdit(self, clearButtonEnabled=True))
        self.kind = ignore_wheel(named("events.search.kind", QComboBox(self)))
        self.scope = ignore_wheel(named("events.search.scope", QComboBox(self)))
        self.ignore_case = named("events.search.ignore_case", QCheckBox(self))
        self.ignore_case.setChecked(True)
        self.go = named("events.search.go", QPushButton(self))
        self.hint = SearchHint(appearance, self)
        self._told = named("events.search.told", ElidedLabel(self))
        self._told.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.export = named("events.search.export", IconButton(icon("export", appearance), "", self))
        self.counts = named("events.search.counts", IconButton(icon("counts", appearance), "", self))
        self._previous = IconButton(icon("previous", appearance), "", self)
        self._next = IconButton(icon("next", appearance), "", self)
        self._close = IconButton(icon("close", appearance), "", self)
        self._arrange()
        self._connect()
        self._retranslate()

    @property
    def told(self) -> str:
        """What is said about the search."""
        return self._told.text()

    def begin(self) -> None:
        """A search is under way; what another one had found is gone."""
        self.model.clear()
        self._become(running=True)

    def end(self) -> None:
        """The search has ended."""
        self._become(running=False)

    def tell(self, say: Callable[[], str], tone: str = "muted") -> None:
        """Shows what ``say`` says about the search, in another language too."""
        self._say, self._tone = say, tone
        self._told.setText(say())
        self._colour()

    def _colour(self) -> None:
        palette = QPalette(self._told.palette())
        colour = QColor(getattr(self._appearance.tokens, self._tone))
        palette.setColor(QPalette.ColorRole.PlaceholderText, colour)
        self._told.setPalette(palette)

    def step(self, by: int) -> None:
        """Goes to the next or the previous hit."""
        self.table.step(by)

    def expect(self, kind: PatternKind) -> None:
        """What will be typed is meant so."""
        self.kind.setCurrentIndex(self.kind.findData(kind))
        self.tell_rule()

    @property
    def saved(self) -> SavedSearch | None:
        """The search that is open, to be kept with a view; None if there is none."""
        if self.isHidden() or not self.text.text():
            return None
        typed = SavedSearch(
            self.text.text(), PatternKind(self.kind.currentData()), not self.ignore_case.isChecked()
        )
        searched = self._searched
        if searched is not None and replace(searched, scope="result") == typed:
            return searched
        return replace(typed, scope=Scope(self.scope.currentData()).value)

    def show_saved(self, saved: SavedSearch) -> None:
        """Shows a search that was kept; ``search_saved`` begins it."""
        self.text.setText(saved.text)
        self.text.home(False)
        self.kind.setCurrentIndex(self.kind.findData(saved.kind))
        self.ignore_case.setChecked(not saved.exact)
        self.scope.setCurrentIndex(max(0, self.scope.findData(Scope(saved.scope))))
        self.model.clear()
        self.tell(str)
        self.tell_rule()

    def search_saved(self, saved: SavedSearch) -> None:
        """Searches where it was searched."""
        self._search(Scope(saved.scope))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In a narrow window the options stand below the line to type in: nothing is cut."""
        super().resizeEvent(event)
        self._place_options()

    def _place_options(self) -> None:
        fixed = (self._options, self.go)
        needed = _TEXT + _TOLD + sum(one.sizeHint().width() for one in fixed) + _BUTTONS
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
        """Typing goes into the line."""
        self.text.setFocus()
        self.text.selectAll()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def search(self) -> None:
        """Asks for what is typed, or says why it cannot be looked for."""
        self._search(Scope(self.scope.currentData()))

    def look_for(self, text: str, kind: PatternKind) -> None:
        """Searches the whole log as if ``text`` had been typed."""
        self.text.setText(text)
        self.text.home(False)
        self.kind.setCurrentIndex(self.kind.findData(kind))
        self.scope.setCurrentIndex(0)
        self._search(Scope.LOG)
        self.hint.tell(str)

    def _search(self, scope: Scope) -> None:
        self.tell_rule()
        if not self.text.text():
            self.hint.tell(lambda: tr("Type the text to search for."))
            return
        try:
            kind = PatternKind(self.kind.currentData())
            exact = not self.ignore_case.isChecked()
            pattern = Pattern(self.text.text(), kind, exact=exact)
        except PatternError as error:
            self.hint.tell(partial(refusal_words, error), "danger")
        else:
            self._searched = SavedSearch(pattern.text, pattern.kind, pattern.exact, scope.value)
            self.search_requested.emit(pattern, scope)

    def tell_rule(self) -> None:
        """How what is typed is taken stands below it."""
        kind, text = PatternKind(self.kind.currentData()), self.text.text()
        self.hint.tell(partial(rule_words, kind, text), offer=partial(pair_offer, text, kind))

    def _take_as_pairs(self) -> None:
        """What was typed as a text is meant as a key with its value."""
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
        """From the loaded rows to the whole result, from that to the whole log."""
        if Scope(self.scope.currentData()) is Scope.LOADED:
            self.scope.setCurrentIndex(0)
            self.search()
        else:
            self.log_requested.emit()

    def _leave(self) -> None:
        """One step back: a search that runs is ended first."""
        if self._is_running:
            self.stop_requested.emit()
        else:
            self.close_requested.emit()

    def _become(self, *, running: bool) -> None:
        self._is_running = running
        self.go.setText(tr("Stop") if running else tr("Search"))

    def _connect(self) -> None:
        self.text.returnPressed.connect(self.search)
        self.text.textEdited.connect(self.tell_rule)
        self.kind.currentIndexChanged.connect(self.tell_rule)
        self.hint.taken.connect(self._take_as_pairs)
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
        self._appearance.changed.connect(self._colour)
        on_key("Escape", self, self._leave, inside=True)

    def _arrange(self) -> None:
        for kind in PatternKind:
            self.kind.addItem("", kind)
        for scope in (Scope.RESULT, Scope.LOADED):
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
        bar.add(self._told, gap=GAP, stretch=2)
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
        self._become(running=self._is_running)
        self._place_options()
        self._told.setText(self._say())
        self.hint.retranslate()
        self.model.retranslate()
        self.table.viewport().update()
