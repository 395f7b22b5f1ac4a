"""The tab of the inspector with the history of an object: progress, timeline, and what is missing and why."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.events.object_history import (
    FieldChange,
    FieldChangeKind,
    TimelineEntry,
    VersionChanges,
    value_text,
)
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.inspector.value_tree import ROW, lines_of
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT, demi_bold, tabular
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.family_shapes import SHAPE_SIZE, family_color, paint_shape
from cdb_desktop.ui.widgets.help import FailureButtons
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label, color_text
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.progress import ProgressBar
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.event_types import EventFamily, family_of, user_text
from cdb_desktop.vocabulary.times import day_and_time


class HistoryTab(QWidget):
    """Shows a page in place of the timeline, or the timeline with its status.

    Signals: ``event_requested`` with the id of an event · ``read_requested`` to read the history of the
    object of the current event, also again · ``cancel_requested`` · ``explain_requested`` with the code of
    an error.
    """

    event_requested = Signal(object)
    read_requested = Signal()
    cancel_requested = Signal()
    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.history")
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._appearance = appearance
        self.tree = HistoryTree(appearance)
        self.page = EmptyState(appearance)
        self.status = named("events.history.status", ElidedLabel(self))
        self._progress = named("events.history.progress", ProgressBar(appearance, self))
        self.cancel = named("events.history.cancel", QPushButton(tr("Cancel"), self))
        self.only_changes = named(
            "events.history.only_changes", IconButton(icon("filter", appearance), "", self)
        )
        self.only_changes.setCheckable(True)
        self.again = named("events.history.again", IconButton(icon("refresh", appearance), "", self))
        self._note = named("events.history.note", Label(self, wordWrap=True))
        self._more = FailureButtons(appearance, self)
        self._stack = QStackedWidget(self)
        self._arrange()
        self._connect()
        self.cancel.setToolTip(tr("Stop reading; what was found stays"))
        self.only_changes.setAccessibleName(tr("Only changes"))
        self.only_changes.setToolTip(
            tr("Only changes: hide views and other events that have changed nothing")
        )
        self.again.setToolTip(tr("Read the history again"))
        self.again.setAccessibleName(tr("Read the history again"))
        self._progress.setAccessibleName(tr("Progress"))
        self.page.show_state(EmptyStateKind.EMPTY, tr("No event selected"), "")

    @property
    def note(self) -> str:
        """The text about what is missing, empty for none."""
        return self._note.text() if not self._note.isHidden() else ""

    @property
    def is_running(self) -> bool:
        """Whether progress is shown."""
        return not self.cancel.isHidden()

    def show_page(self, kind: EmptyStateKind, title: str, text: str, step: str = "") -> None:
        """Shows a page; its button requests the history."""
        self.page.show_state(kind, title, text, step)
        self._stack.setCurrentWidget(self.page)

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why there is no history, with a button to try again."""
        self.page.show_failure(message, tr("Try again"))
        self._stack.setCurrentWidget(self.page)

    def show_timeline(self) -> None:
        """Shows the timeline."""
        self._stack.setCurrentIndex(1)

    def show_progress(self, done: float | None) -> None:
        """Shows progress from 0 to 1, None for unknown, with a button to cancel."""
        self._progress.show_done(done)
        self._set_running(running=True)

    def end(self) -> None:
        """Hides the progress."""
        self._set_running(running=False)

    def show_note(self, text: str, tone: str = "warning", message: ErrorMessage | None = None) -> None:
        """Shows what is missing in the timeline; an empty text hides the note."""
        self._note.setText(text)
        self._note.setVisible(bool(text))
        self._more.show_failure(message)
        color_text(self._note, getattr(self._appearance.tokens, tone))

    def _set_running(self, *, running: bool) -> None:
        self._progress.setVisible(running)
        self.cancel.setVisible(running)
        self.again.setVisible(not running)

    def _connect(self) -> None:
        self.tree.event_requested.connect(self.event_requested)
        self.page.step_requested.connect(self.read_requested)
        self.page.explain_requested.connect(self.explain_requested)
        self._more.explain_requested.connect(self.explain_requested)
        self.again.clicked.connect(self.read_requested)
        self.cancel.clicked.connect(self.cancel_requested)
        self.only_changes.toggled.connect(lambda on: self.tree.hide_other_events(hidden=on))

    def _arrange(self) -> None:
        self.status.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.cancel.setAutoDefault(False)
        bar = lay_out(
            QHBoxLayout(), self.status, margins=(GROUP, TIGHT, GAP, TIGHT), spacing=GAP, growing=self.status
        )
        for widget in (self._progress, self.cancel, self.only_changes, self.again):
            bar.addWidget(widget)
        beside = lay_out(QHBoxLayout(), self._note, margins=(GROUP, 0, GAP, TIGHT), growing=self._note)
        beside.addWidget(self._more, alignment=Qt.AlignmentFlag.AlignTop)
        self._note.hide()
        timeline = QWidget()
        lay_out(QVBoxLayout(timeline), bar, beside, self.tree, growing=self.tree)
        self._stack.addWidget(self.page)
        self._stack.addWidget(timeline)
        lay_out(QVBoxLayout(self), self._stack)
        self._set_running(running=False)


_VERSION, _TYPE, _TIME, _USER = range(4)
_LINE_X = 22  # pixels from the left edge to the middle of the line
_INDENT = 16
_TEXT_X = 38  # pixels from the left edge to the text of a change
_SIGN = 14  # pixels for the sign of a change
_MOST_CHANGES = 300  # of a version that are shown
_LONGEST = 4_000  # characters of a change that are shown
_SLICE = 100  # entries that are added at a time
_EXPANDED = 30  # versions that are expanded at first, if there are not more
_NARROW = 430  # pixels; in a narrower tree entries have two lines
_LOW_LINE = 18  # pixels of the second line
_ENTRY, _CHANGE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_TONES = {"+": "good", "−": "danger", "~": "warning", "↕": "warning"}
_MARKED = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver
_TOP = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_Index = QModelIndex | QPersistentModelIndex


class HistoryTree(QTreeWidget):
    """The entries; those of versions have their changes as children.

    Signals: ``event_requested`` with the id of an event, by a click or Enter.
    """

    event_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.history.tree")
        self._appearance = appearance
        self.entries: tuple[TimelineEntry, ...] = ()  # the entries, also those that the filter hides
        self._items: dict[int, QTreeWidgetItem] = {}  # by version
        self._by_event: dict[int, QTreeWidgetItem] = {}
        self._was_expanded: dict[int, bool] = {}  # by version
        self._changes: dict[int, VersionChanges] = {}
        self._only_changes = False
        self._current: int | None = None
        self._added = 0
        self.is_narrow = False  # whether entries have two lines in one column
        self._filling = QTimer(self, singleShot=True, interval=0)
        self._filling.timeout.connect(self._add_slice)
        self.setColumnCount(4)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(tabular(self.font()))
        self.setIndentation(_INDENT)
        self.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.setItemDelegateForColumn(_VERSION, _ChangeDelegate(self, appearance))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._arrange_header()
        self.itemExpanded.connect(self._fill)
        self.itemClicked.connect(self._go_to)
        appearance.changed.connect(self.viewport().update)
        self.setAccessibleName(tr("History"))
        self.setHeaderLabels([tr("Version"), tr("Event"), tr("Time"), tr("User")])

    def show_entries(self, entries: Sequence[TimelineEntry]) -> None:
        """Shows other entries; what is known of the changes of versions is kept."""
        before, self.entries = self.entries, tuple(entries)
        if before and before == self.entries[: len(before)]:
            self._filling.start()
        else:
            self._rebuild()

    def show_changes(self, several: Sequence[VersionChanges]) -> None:
        """Shows what versions have changed."""
        for changes in several:
            self._changes[changes.number] = changes
            item = self._items.get(changes.number)
            if item is not None:
                self._offer_changes(item, changes)

    def forget(self) -> None:
        """Removes all entries and changes."""
        self._changes.clear()
        self.entries = ()
        self._rebuild()

    def hide_other_events(self, *, hidden: bool) -> None:
        """Hides events that have created no version, such as views."""
        self._only_changes = hidden
        for item in self._top_items():
            self._filter(item)

    def mark(self, event_id: int | None) -> None:
        """Makes the entry of an event the current one, without a request."""
        self._current = event_id
        item = self._by_event.get(-1 if event_id is None else event_id)
        if item is not None and self.currentItem() is not item:
            self.setCurrentItem(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter goes to the event, the copy key copies the selected lines."""
        item = self.currentItem()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._go_to(item)
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Copies the selected lines as text."""
        lines = ["\t".join(filter(None, (item.text(n) for n in range(4)))) for item in self.selectedItems()]
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the theme, as the colors of texts belong to the items, and the time zone."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.LanguageChange}:
            self._rebuild()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._set_narrow(narrow=event.size().width() < _NARROW)
            self.scheduleDelayedItemsLayout()

    def drawRow(  # noqa: N802
        self, painter: QPainter, options: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Draws the line of the timeline, and on it the shape of the event's family."""
        super().drawRow(painter, options, index)
        tokens, rect = self._appearance.tokens, options.rect
        top = index if not index.parent().isValid() else index.parent()
        is_first, is_last = top.row() == 0, top.row() == self.topLevelItemCount() - 1
        is_entry, middle, half = top == index, rect.top() + ROW // 2, SHAPE_SIZE // 2 + 1
        parts = [(rect.top(), rect.bottom() + 1)] if not is_last else []
        if is_entry:
            above, below = (rect.top(), middle - half), (middle + half, rect.bottom() + 1)
            parts = [part for part, is_end in ((above, is_first), (below, is_last)) if not is_end]
        painter.save()
        painter.setPen(QPen(QColor(tokens.line), 2))
        for begin, end in parts:
            painter.drawLine(QPointF(_LINE_X, begin), QPointF(_LINE_X, end))
        if is_entry:
            entry: TimelineEntry = top.data(_ENTRY)
            family = EventFamily.SYSTEM if entry.event is None else family_of(entry.event.type)
            paint_shape(painter, QPointF(_LINE_X, middle), family, family_color(family, tokens))
        painter.restore()

    def _set_narrow(self, *, narrow: bool) -> None:
        if narrow is self.is_narrow:
            return
        self.is_narrow = narrow
        self.setHeaderHidden(narrow)
        for column in (_TYPE, _TIME, _USER):
            self.setColumnHidden(column, narrow)
        mode = QHeaderView.ResizeMode.Stretch if narrow else QHeaderView.ResizeMode.Fixed
        self.header().setSectionResizeMode(_VERSION, mode)
        if not narrow:
            self.setColumnWidth(_VERSION, self._version_width)

    def _arrange_header(self) -> None:
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        for column, mode in (
            (_VERSION, QHeaderView.ResizeMode.Fixed),
            (_TYPE, QHeaderView.ResizeMode.Stretch),
            (_TIME, QHeaderView.ResizeMode.Fixed),
            (_USER, QHeaderView.ResizeMode.Interactive),
        ):
            header.setSectionResizeMode(column, mode)
        metrics = self.fontMetrics()
        self._version_width = _TEXT_X + metrics.horizontalAdvance("v1000") + TIGHT
        self.setColumnWidth(_VERSION, self._version_width)
        self.setColumnWidth(_TIME, metrics.horizontalAdvance("2026-12-30 23:58:58") + 2 * GAP)
        self.setColumnWidth(_USER, metrics.horizontalAdvance("Konstantin M"))

    def _rebuild(self) -> None:
        """Adds all entries again, a part of them at once."""
        self._was_expanded = {
            number: item.isExpanded() for number, item in self._items.items() if number in self._changes
        }
        self.clear()
        self._items.clear()
        self._by_event.clear()
        self._added = 0
        self._add_slice()

    def _add_slice(self) -> None:
        some = self.entries[self._added : self._added + _SLICE]
        items = [self._item(entry) for entry in some]
        self.addTopLevelItems(items)
        self._added += len(some)
        for entry, item in zip(some, items, strict=True):
            self._filter(item)
            if entry.version is not None and entry.version in self._changes:
                self._offer_changes(item, self._changes[entry.version])
        if self._added < len(self.entries):
            self._filling.start()
        else:
            self.mark(self._current)

    def _top_items(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(place) for place in range(self.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _item(self, entry: TimelineEntry) -> QTreeWidgetItem:
        event = entry.event
        version = entry.version if event is None else event.object_version
        number = "" if version is None else f"v{version}"
        if event is None:
            changes = self._changes.get(entry.version or 0)
            time = None if changes is None else changes.modified
            texts = [number, tr("no event in the log"), day_and_time(time), ""]
        else:
            texts = [number, event.type, day_and_time(event.timestamp), user_text(event)]
        item = QTreeWidgetItem(texts)
        item.setData(_VERSION, _ENTRY, entry)
        whole = " · ".join(filter(None, texts))
        # In a narrow tree the other columns are hidden.
        item.setData(_VERSION, Qt.ItemDataRole.AccessibleTextRole, whole)
        for column in range(len(texts)):
            item.setToolTip(column, whole)
        muted = self.palette().brush(QPalette.ColorRole.PlaceholderText)
        if entry.version is None:
            item.setForeground(_VERSION, muted)
        if entry.event is None:
            item.setForeground(_TYPE, muted)
        item.setForeground(_TIME, muted)
        if entry.version is not None:
            item.setFont(_VERSION, demi_bold(self.font()))
        if entry.version is not None:
            self._items[entry.version] = item
        if event is not None:
            self._by_event[event.id] = item
        return item

    def _filter(self, item: QTreeWidgetItem) -> None:
        item.setHidden(self._only_changes and not _is_change(_entry(item)))

    def _offer_changes(self, item: QTreeWidgetItem, changes: VersionChanges) -> None:
        """Lets the user expand a version; the lines are added then."""
        item.takeChildren()
        item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        if _entry(item).event is None and changes.modified is not None:
            item.setText(_TIME, day_and_time(changes.modified))
        expands = changes.number > 1 and len(self._items) <= _EXPANDED
        if self._was_expanded.get(changes.number, expands):
            item.setExpanded(True)
            self._fill(item)

    def _fill(self, item: QTreeWidgetItem) -> None:
        number = _entry(item).version
        changes = None if number is None else self._changes.get(number)
        if changes is None or item.childCount():
            return
        lines: list[tuple[str, str]] = [(one.sign, _change_text(one)) for one in changes.changes]
        if not lines:
            lines = [("", _nothing_text(changes))]
        elif len(lines) > _MOST_CHANGES:
            rest = len(lines) - _MOST_CHANGES
            lines = [
                *lines[:_MOST_CHANGES],
                ("", tr("{rest:One more change|{rest} more changes}", rest=rest)),
            ]
        children = [self._line(sign, text) for sign, text in lines]
        item.addChildren(children)
        for child in children:
            child.setFirstColumnSpanned(True)

    def _line(self, sign: str, text: str) -> QTreeWidgetItem:
        child = QTreeWidgetItem([f"{sign} {text}".strip()[:_LONGEST]])
        child.setData(_VERSION, _CHANGE, (sign, text[:_LONGEST]))
        child.setToolTip(_VERSION, text[:_LONGEST])
        return child

    def _go_to(self, item: QTreeWidgetItem) -> None:
        event = None if item.parent() is not None else _entry(item).event
        if event is not None:
            self._current = event.id
            self.event_requested.emit(event.id)


class _ChangeDelegate(QStyledItemDelegate):
    """Wraps the text of a change over the whole width, with its sign before it.

    In a narrow tree it also paints the entries: version and type, below them time and user.
    """

    def __init__(self, tree: HistoryTree, appearance: Appearance) -> None:
        super().__init__(tree)
        self._tree = tree
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:  # noqa: N802
        change = index.data(_CHANGE)
        if change is None:
            has_two_lines = self._tree.is_narrow and bool(_second_line(index))
            height = ROW + _LOW_LINE if has_two_lines else ROW
            return QSize(super().sizeHint(option, index).width(), height)
        lines = self._lines(change[1], option.font)
        height = ROW + (len(lines) - 1) * option.fontMetrics.lineSpacing()
        return QSize(self._tree.viewport().width(), height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        change = index.data(_CHANGE)
        if change is None and not self._tree.is_narrow:
            option = QStyleOptionViewItem(option)
            option.rect = option.rect.adjusted(_TEXT_X - option.rect.left(), 0, 0, 0)
            super().paint(painter, option, index)
            return
        if option.state & _MARKED:
            marked = QStyleOptionViewItem(option)
            self.initStyleOption(marked, index)
            marked.text = ""
            style = self._tree.style()
            style.drawControl(QStyle.ControlElement.CE_ItemViewItem, marked, painter, self._tree)
        if change is None:
            self._paint_entry(painter, option, index)
        else:
            self._paint_change(painter, option, change)

    def _paint_entry(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry: TimelineEntry = index.data(_ENTRY)
        version, kind = (str(index.sibling(index.row(), n).data() or "") for n in (_VERSION, _TYPE))
        tokens, left = self._appearance.tokens, _TEXT_X
        rect = option.rect
        width = self._tree.viewport().width() - _TEXT_X - TIGHT
        painter.save()
        bold = QFont(option.font)
        if entry.version is not None:
            bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        if version:
            painter.setPen(QColor(tokens.text if entry.version is not None else tokens.muted))
            painter.drawText(QRect(left, rect.top(), width, ROW), _MIDDLE, version)
            left += painter.fontMetrics().horizontalAdvance(version) + GAP
        painter.setFont(option.font)
        metrics, right = option.fontMetrics, _TEXT_X + width
        painter.setPen(QColor(tokens.text if entry.event is not None else tokens.muted))
        kind = metrics.elidedText(kind, Qt.TextElideMode.ElideRight, right - left)
        painter.drawText(QRect(left, rect.top(), right - left, ROW), _MIDDLE, kind)
        painter.setPen(QColor(tokens.muted))
        below = QRect(_TEXT_X, rect.top() + ROW - TIGHT, width, _LOW_LINE)
        low = metrics.elidedText(_second_line(index), Qt.TextElideMode.ElideRight, width)
        painter.drawText(below, _MIDDLE, low)
        painter.restore()

    def _paint_change(self, painter: QPainter, option: QStyleOptionViewItem, change: tuple[str, str]) -> None:
        sign, text = change
        tokens = self._appearance.tokens
        top = option.rect.top() + (ROW - option.fontMetrics.lineSpacing()) // 2
        lines = self._lines(text, option.font)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(QColor(getattr(tokens, _TONES.get(sign, "muted"))))
        painter.drawText(QRect(_TEXT_X, top, _SIGN, ROW), _TOP, sign)
        painter.setPen(QColor(tokens.text if sign else tokens.muted))
        left = _TEXT_X + (_SIGN if sign else 0)
        width = self._tree.viewport().width() - left
        painter.drawText(QRect(left, top, width, option.rect.height()), _TOP, "\n".join(lines))
        painter.restore()

    def _lines(self, text: str, font: QFont) -> list[str]:
        width = self._tree.viewport().width() - _TEXT_X - _SIGN - GAP
        return [line for part in text.split("\n")[:2] for line in lines_of(part, font, width)]


def _entry(item: QTreeWidgetItem) -> TimelineEntry:
    found: TimelineEntry = item.data(_VERSION, _ENTRY)
    return found


def _second_line(index: _Index) -> str:
    """Time and user of an entry, as far as they are known."""
    texts = (str(index.sibling(index.row(), column).data() or "") for column in (_TIME, _USER))
    return " · ".join(filter(None, texts))


def _is_change(entry: TimelineEntry) -> bool:
    if entry.event is None or entry.version is not None:
        return True
    return family_of(entry.event.type) in (EventFamily.WRITING, EventFamily.DELETING)


def _change_text(change: FieldChange) -> str:
    """``title de-DE: old → new``; values of several lines are on one."""
    path = change.path_text
    before, after = (" ".join(value_text(value).split()) for value in (change.before, change.after))
    if change.kind is FieldChangeKind.REORDERED:
        return tr("{path}: in another order", path=path)
    if change.sign == "+":
        return f"{path}: {after}"
    if change.sign == "−":
        return f"{path}: {before}"
    return f"{path}: {before} → {after}"


def _nothing_text(changes: VersionChanges) -> str:
    if not changes.is_kept:
        return tr("The service does not keep this version.")
    if not changes.is_comparable:
        return tr("The service does not keep the version before.")
    return tr("No field differs from the version before.")
