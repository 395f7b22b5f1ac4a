"""The dialog that merges two versions: conflicts side by side, with the result of each choice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.changes import pair_documents, with_room, with_tables_of
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.model import Arrangement, Diagram, SchemaGraph
from cdb_desktop.schema.diagram.placement import place_boxes
from cdb_desktop.schema.diagram.routing import Router
from cdb_desktop.schema.diff.compare import Change
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import table_name
from cdb_desktop.schema.merge.conflict import Choice, Choices, Conflict, ConflictId, Side
from cdb_desktop.schema.merge.merge import Merge, merge
from cdb_desktop.ui.schema.diagram.legend import LegendStrip, side_lines
from cdb_desktop.ui.schema.diagram.style import ROWS, SideMarks
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW, TIGHT
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.menus import context_menu
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTree, RowHeightDelegate

_MERGE, _DRAW = "schema.merge", "schema.merge.diagram"
_WIDTH, _LOWEST, _HIGHEST = 880, 8 * ROW, 400
_DIAGRAM, _ROOM = 180, 700  # least height of the diagram, and of a screen on which it is open at first
_FRAME = 60  # pixels for the frame of the window
_WHAT, _BASE, _MINE, _THEIRS = range(4)
_COLUMNS: dict[int, Choice] = {_BASE: "base", _MINE: "mine", _THEIRS: "theirs"}
_ID = Qt.ItemDataRole.UserRole
_CHOSEN = Qt.ItemDataRole.UserRole + 1  # of a cell that can be chosen: whether it is
_MOST_CHANGES = 500  # that are listed for each side
_Index = QModelIndex | QPersistentModelIndex


class MergeDialog(BaseDialog):
    """Lists the conflicts by tables, with the value of each side, and the changes of both sides.

    The result can be accepted when every conflict is decided. Each choice is merged again in a thread, since
    another conflict may follow from it.
    """

    def __init__(
        self,
        view: SchemaView,
        tasks: Tasks,
        title: str,
        merge: Merge,
        introduction: str = "",
    ) -> None:
        """``title`` says why there is something to merge.

        ``introduction`` says what the sides are unless they are two people's work.
        """
        super().__init__(view.appearance, "schema.merge", view)
        self._tasks = tasks
        self._title_text = title
        self._introduction = introduction
        shown = view.diagram
        self._pictures = MergePictures(shown.graph_builder.copy(), shown.diagram_scene.diagram.arrangement)
        self.merge = merge
        self._choices: dict[ConflictId, Choice] = {}
        self.conflicts = ConflictTree(view.appearance, self)
        self._result = {
            side: named(f"schema.merge.result.{side}", Label(self)) for side in ("mine", "theirs")
        }
        self._count = named("schema.merge.count", Label(self))
        self._all = {
            "mine": self._choice_button("mine", tr("All &mine")),
            "theirs": self._choice_button("theirs", tr("All &theirs")),
        }
        self.diagram = MergeDiagram(view.appearance, self)
        self.diagram.setMinimumHeight(_DIAGRAM)
        self.show_diagram = named("schema.merge.show_diagram", QPushButton(tr("&Diagram"), self))
        self.show_diagram.setCheckable(True)
        self.show_diagram.setAutoDefault(False)
        self.setMinimumWidth(_WIDTH)
        line = lay_out(QHBoxLayout(), self._count, spacing=GAP)
        line.addStretch(1)
        for button in (self.show_diagram, *self._all.values()):
            line.addWidget(button)
        self.body.addLayout(line)
        self.body.addWidget(self.conflicts, stretch=1)
        for label in self._result.values():
            label.setWordWrap(True)
            self.body.addWidget(label)
        self.body.addWidget(self.diagram, stretch=2)
        self.diagram.setVisible(False)
        self.show_diagram.toggled.connect(self._toggle_diagram)
        self.diagram.chosen.connect(self._choose)
        self.diagram.revealed.connect(self.conflicts.make_current)
        self.conflicts.chosen.connect(self._choose)
        self.conflicts.currentItemChanged.connect(self._show_result)
        self.accept_button.clicked.connect(self.accept)
        self.diagram.output_requested.connect(view.merge_output_requested)
        self.show_merge(merge)
        self.resize(_WIDTH, self.sizeHint().height())
        self.fit()
        # Where there is room for both, the diagram is open from the start.
        self.show_diagram.setChecked(
            bool(merge.conflicts) and self.screen().availableSize().height() >= _ROOM
        )
        self.conflicts.setFocus()

    def show_merge(self, merge: Merge) -> None:
        """Shows the conflicts and the changes of a merge."""
        self.merge = merge
        self.conflicts.show_merge(merge, self._choices)
        self._update_diagram()
        count = len(merge.conflicts)
        changes = self._introduction or tr(
            "They have made {theirs:1 change|{theirs} changes} since your work began, and you "
            "{mine:1 change|{mine} changes}.",
            theirs=len(merge.their_changes),
            mine=len(merge.my_changes),
        )
        text = tr("They do not touch one another and are merged.")
        if count:
            text = tr(
                "{count:1 place was|{count} places were} changed by both: choose a side for each. "
                "All other changes are merged.",
                count=count,
            )
        after = tr("The result becomes your draft, which you can edit and undo; nothing is saved yet.")
        self.set_texts(self._title_text, f"{changes} {text} {after}", tr("Merge"))
        for widget in (self._count, *self._all.values(), *self._result.values()):
            widget.setVisible(bool(count))
        problems = merge.new_problems
        fault = ""
        if problems and not self._undecided():
            fault = tr(
                "{count:One problem follows|{count} problems follow} from the merge: {problem}",
                count=len(problems),
                problem=str(problems[0].message),
            )
        self.show_fault(fault, "warning")
        self._show_count()
        self._show_result()

    async def _merge_again(self) -> None:
        found = await run_in_thread(_merge_again, self.merge, dict(self._choices))
        if isValid(self) and self.isVisible():
            self.show_merge(found)

    async def _draw(self) -> None:
        picture = await self._pictures.make(self.merge)
        if isValid(self) and self.isVisible():
            self.diagram.show_picture(picture, self._choices)
            self.diagram.reveal(self.conflicts.current_conflict)

    def _update_diagram(self) -> None:
        """Makes the picture of the merge if it is needed."""
        if self.diagram.isVisibleTo(self) and self.diagram.merge is not self.merge:
            self._tasks.start(_DRAW, self._draw())

    def _toggle_diagram(self, on: bool) -> None:
        self.diagram.setVisible(on)
        if on:
            self._update_diagram()
            self.diagram.reveal(self.conflicts.current_conflict)
        self.fit()
        highest = self.screen().availableSize().height() - _FRAME
        if self.height() > highest:
            self.resize(self.width(), highest)

    def _choice_button(self, side: Side, text: str) -> QPushButton:
        button = named(f"schema.merge.all.{side}", QPushButton(text, self, autoDefault=False))
        button.clicked.connect(lambda: self._choose_all(side))
        return button

    def _choose(self, conflict: ConflictId, side: Choice) -> None:
        self._choices[conflict] = side
        self._update()

    def _choose_all(self, side: Side) -> None:
        self._choices.update({conflict.id: side for conflict in self.merge.conflicts})
        self._update()

    def _update(self) -> None:
        self.conflicts.show_choices(self._choices)
        self.diagram.show_choices(self._choices)
        self._show_count()
        self._show_result()
        # The result does not have the last choice yet.
        self.accept_button.setEnabled(False)
        # Fails for no choice; the task shows what is wrong with the program if it does.
        self._tasks.start(_MERGE, self._merge_again())

    def _undecided(self) -> int:
        return sum(conflict.id not in self._choices for conflict in self.merge.conflicts)

    def _show_count(self) -> None:
        count, undecided = len(self.merge.conflicts), self._undecided()
        self._count.setText(tr("{done} of {count} decided", done=count - undecided, count=count))
        self.accept_button.setEnabled(not undecided and dict(self.merge.choices) == self._choices)

    def _show_result(self) -> None:
        conflict = self.conflicts.current_conflict
        if self.diagram.isVisibleTo(self):
            self.diagram.reveal(conflict)
        for side, label in self._result.items():
            is_chosen = conflict is not None and self._choices.get(conflict.id) == side
            font = QFont(label.font())
            font.setWeight(QFont.Weight.DemiBold if is_chosen else QFont.Weight.Normal)
            label.setFont(font)
            text = (
                ""
                if conflict is None
                else str(conflict.mine_result if side == "mine" else conflict.theirs_result)
            )
            title = (
                tr("With mine: {result}", result=text)
                if side == "mine"
                else tr("With theirs: {result}", result=text)
            )
            label.setText(title if text else " ")


class ConflictTree(PlainTree):
    """The conflicts by tables, then the changes of both sides.

    A click on a cell, the left and the right arrow choose; Space changes the choice.

    Signals: ``chosen`` with the id of a conflict and the side.
    """

    chosen = Signal(object, str)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        headings = [tr("Conflict"), tr("Before"), tr("Mine"), tr("Theirs")]
        super().__init__("schema.merge.conflicts", tr("Conflicts and changes"), headings, parent)
        self._conflicts: dict[ConflictId, Conflict] = {}
        self._shown: tuple[Conflict, ...] | None = None
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.setItemDelegate(_ConflictDelegate(appearance, self))
        self.itemClicked.connect(self._click)

    def sizeHint(self) -> QSize:  # noqa: N802
        groups = [self.topLevelItem(at) for at in range(self.topLevelItemCount())]
        rows = sum(1 + one.childCount() for one in groups if one is not None and one.isExpanded())
        closed = sum(one is not None and not one.isExpanded() for one in groups)
        height = (rows + closed + 2) * ROW
        return QSize(_WIDTH, min(max(height, _LOWEST), _HIGHEST))

    @property
    def current_conflict(self) -> Conflict | None:
        """The conflict of the current row, None for a row of another kind."""
        return self._conflict_of(self.currentItem())

    def show_merge(self, merge: Merge, choices: dict[ConflictId, Choice]) -> None:
        """Shows the conflicts and changes; the current row stays."""
        if merge.conflicts != self._shown:
            current = self.current_conflict
            self._shown = merge.conflicts
            self._conflicts = {conflict.id: conflict for conflict in merge.conflicts}
            self.clear()
            self._add_conflicts(merge)
            is_open = not merge.conflicts
            self._add_changes(tr("Their changes"), merge.their_changes, is_open=is_open)
            self._add_changes(tr("My changes"), merge.my_changes, is_open=False)
            self.make_current(None if current is None else current.id)
            for column in range(4):
                mode = QHeaderView.ResizeMode.Stretch if merge.conflicts or not column else None
                self.setColumnHidden(column, mode is None)
            self.setHeaderHidden(not merge.conflicts)
        self.show_choices(choices)

    def show_choices(self, choices: dict[ConflictId, Choice]) -> None:
        """Shows which side is chosen in each conflict."""
        for item in self._conflict_items():
            side = choices.get(item.data(0, _ID))
            conflict = self._conflict_of(item)
            for column, own in _COLUMNS.items():
                if own == "base" and (conflict is None or not conflict.has_base):
                    continue
                item.setData(column, _CHOSEN, side == own)
                value = item.text(column)
                chosen = tr("{value}, chosen", value=value) if side == own else value
                item.setData(column, Qt.ItemDataRole.AccessibleTextRole, chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        conflict, item = self.current_conflict, self.currentItem()
        if conflict is not None and item is not None:
            if event.key() == Qt.Key.Key_Left:
                self.chosen.emit(conflict.id, "mine")
                return
            if event.key() == Qt.Key.Key_Right:
                self.chosen.emit(conflict.id, "theirs")
                return
            if event.key() == Qt.Key.Key_Space:
                order: list[Choice] = ["mine", "theirs"]
                if conflict.has_base:
                    order.append("base")
                chosen = [own for column, own in _COLUMNS.items() if item.data(column, _CHOSEN)]
                at = order.index(chosen[0]) + 1 if chosen else 0
                self.chosen.emit(conflict.id, order[at % len(order)])
                return
        super().keyPressEvent(event)

    def _add_conflicts(self, merge: Merge) -> None:
        groups: dict[int | None, list[Conflict]] = {}
        for conflict in merge.conflicts:
            groups.setdefault(table_key_of(conflict.ref), []).append(conflict)
        for key, conflicts in groups.items():
            name = tr("The model") if key is None else _table_of(merge, key)
            group = self.add_group(f"{name} · {len(conflicts)}")
            for conflict in conflicts:
                own = conflict.element.rpartition(".")[2]
                what = str(conflict.what) if own in ("", name) else f"{own} · {conflict.what}"
                texts = [
                    what,
                    *(str(each) or "–" for each in (conflict.base, conflict.mine, conflict.theirs)),
                ]
                self.add_row(group, *texts).setData(0, _ID, conflict.id)

    def _add_changes(self, title: str, changes: Sequence[Change], *, is_open: bool) -> None:
        if not changes:
            return
        group = self.add_group(f"{title} · {len(changes)}", is_open=is_open)
        for change in changes[:_MOST_CHANGES]:
            self.add_row(group, f"{change.sign}  {change.message}")
        if len(changes) > _MOST_CHANGES:
            more = len(changes) - _MOST_CHANGES
            self.add_row(group, tr("{rest:One more change|{rest} more changes}", rest=more))

    def make_current(self, wanted: object) -> None:
        """Makes the row of a conflict the current one."""
        items = list(self._conflict_items())
        found = next((item for item in items if item.data(0, _ID) == wanted), None)
        current = found or next(iter(items), self.topLevelItem(0))
        if current is not None:
            self.setCurrentItem(current)

    def _conflict_items(self) -> list[QTreeWidgetItem]:
        groups = [self.topLevelItem(at) for at in range(self.topLevelItemCount())]
        items = [group.child(at) for group in groups if group is not None for at in range(group.childCount())]
        return [item for item in items if item is not None and self._conflict_of(item) is not None]

    def _conflict_of(self, item: QTreeWidgetItem | None) -> Conflict | None:
        id_ = None if item is None else item.data(0, _ID)
        return None if id_ is None else self._conflicts.get(id_)

    def _click(self, item: QTreeWidgetItem, column: int) -> None:
        conflict, side = self._conflict_of(item), _COLUMNS.get(column)
        if conflict is not None and side is not None and (side != "base" or conflict.has_base):
            self.chosen.emit(conflict.id, side)


class _ConflictDelegate(RowHeightDelegate):
    """Paints a radio button in front of the values that can be chosen."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        chosen = index.data(_CHOSEN)
        if index.column() == _BASE:
            palette = QPalette(option.palette)
            palette.setColor(QPalette.ColorRole.Text, QColor(self._appearance.tokens.muted))
            option.palette = palette
        if chosen is None:
            super().paint(painter, option, index)
            return
        style = QApplication.style()
        size = style.pixelMetric(QStyle.PixelMetric.PM_ExclusiveIndicatorWidth)
        whole = QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(whole, option.palette.highlight())
        button = QStyleOptionButton()
        button.rect = QRect(whole.left() + TIGHT, whole.center().y() - size // 2, size, size)
        button.palette = option.palette
        state = QStyle.StateFlag.State_On if chosen else QStyle.StateFlag.State_Off
        button.state = QStyle.StateFlag.State_Enabled | state
        style.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorRadioButton, button, painter)
        option.rect = whole.adjusted(size + TIGHT, 0, 0, 0)
        font = QFont(option.font)
        font.setWeight(QFont.Weight.DemiBold if chosen else QFont.Weight.Normal)
        option.font = font
        super().paint(painter, option, index)


def _table_of(merge: Merge, key: int) -> str:
    """The name of a table in the result, or where it still is."""
    versions = merge.versions
    documents = (merge.document, versions.mine, versions.theirs, versions.base)
    return next((table_name(each, key) for each in documents if key in each.by_key), "?")


async def open_merge_dialog(
    view: SchemaView,
    tasks: Tasks,
    title: str,
    others: tuple[Document, Document],
    draft: Callable[[], Document],
    take: Callable[[Merge, Document], None],
    introduction: str = "",
) -> None:
    """Merges the draft with ``others``, base and theirs.

    ``take`` is called with the merge that the user accepts, and the draft that is in it: what is edited
    before the dialog is open is merged, too. ``introduction`` says what the sides are unless they are two
    people's work.
    """
    while True:
        mine = draft()
        merged = await run_in_thread(_merge, *others, mine)
        if draft() is mine:
            break
    dialog = MergeDialog(view, tasks, title, merged, introduction)
    dialog.accepted.connect(lambda: take(dialog.merge, mine))
    dialog.open()


def _merge(base: Document, theirs: Document, mine: Document) -> Merge:
    # Tables of which the page has a box already need none of their own.
    return _computed(merge(with_tables_of(base, mine), with_tables_of(theirs, mine), mine))


def _merge_again(merged: Merge, choices: Choices) -> Merge:
    return _computed(merged.chosen(choices))


def _computed(merged: Merge) -> Merge:
    """The merge with all that the dialog shows, so that the window need not compute it."""
    merged.their_changes, merged.my_changes, merged.new_problems  # noqa: B018
    return merged


_DIAGRAM_WIDTH, _HEIGHT = 640, 260
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class MergeDiagram(QWidget):
    """The diagram. A click on an element with a conflict, Enter or Space opens the choices.

    Signals: ``chosen`` with the id of a conflict and the Choice · ``revealed`` with the id of the conflict
    of the element that was selected · ``output_requested`` with the view that is to be written, its
    document, and how many conflicts are decided.
    """

    chosen = Signal(object, str)
    revealed = Signal(object)
    output_requested = Signal(object, object, str)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = named("schema.merge.diagram", DiagramView(appearance, self))
        self.view.setAccessibleName(tr("Diagram of the merge"))
        self._picture: MergePicture | None = None
        self._is_selecting = False
        self._choices: Mapping[ConflictId, Choice] = {}
        self._conflicts: dict[ElementRef, list[Conflict]] = {}
        layout = lay_out(QVBoxLayout(self), self.view, spacing=TIGHT, growing=self.view)
        self.export = named("schema.merge.export", QPushButton(tr("&Export…"), self, autoDefault=False))
        self.export.setEnabled(False)
        self.export.clicked.connect(self._request_output)
        foot = lay_out(QHBoxLayout(), spacing=GAP)
        legend = LegendStrip(appearance, "schema.merge.legend", self)
        legend.show_lines(side_lines(tr("conflict: click to choose")))
        foot.addWidget(legend, stretch=1)
        foot.addWidget(self.export)
        layout.addLayout(foot)
        self.view.chosen.connect(self._select)
        self.view.menu_requested.connect(lambda ref, _edge, at: self._open_menu(ref, at))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(_DIAGRAM_WIDTH, _HEIGHT)

    @property
    def merge(self) -> Merge | None:
        """The merge that is shown, None before the first picture."""
        return None if self._picture is None else self._picture.merge

    def show_picture(self, picture: MergePicture, choices: Mapping[ConflictId, Choice]) -> None:
        """Shows the result of a merge with everything that a side has removed."""
        self._picture = picture
        self.export.setEnabled(True)
        self.view.diagram_scene.show_removed(picture.removed)
        self.view.show_diagram(picture.diagram)
        self.show_choices(choices)

    def show_choices(self, choices: Mapping[ConflictId, Choice]) -> None:
        """Shows which conflicts are decided."""
        self._choices = choices
        if self._picture is not None:
            self._mark(self._picture.merge)

    def reveal(self, conflict: Conflict | None) -> None:
        """Selects the element of a conflict."""
        ref = None if conflict is None else self._painted_ref(conflict.ref)
        # What was clicked is visible, and clicks do not scroll.
        if ref is not None and not self._is_selecting:
            self.view.choose(ref, reveal=True, readable=True)

    def _request_output(self) -> None:
        if self._picture is not None:
            conflicts = self._picture.merge.conflicts
            done = sum(conflict.id in self._choices for conflict in conflicts)
            count = len(conflicts)
            decided = tr("{done} of {count} decided", done=done, count=count) if count else ""
            self.output_requested.emit(self.view, self._picture.document, decided)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        ref = self.view.diagram_scene.diagram_style.selection
        rect = self.view.line_rect(ref)
        if event.key() in _OPENING and ref in self._conflicts and rect is not None:
            self._open_menu(ref, self.view.viewport().mapToGlobal(rect.bottomLeft().toPoint()))
        else:
            super().keyPressEvent(event)

    def _mark(self, merge: Merge) -> None:
        """Shows the signs of both sides, and which conflicts are decided."""
        mine, theirs = _signs(merge.my_changes), _signs(merge.their_changes)
        self._conflicts = {}
        for conflict in merge.conflicts:
            ref = self._painted_ref(conflict.ref)
            for place in () if ref is None else dict.fromkeys((ref, *self._tables_around(ref))):
                self._conflicts.setdefault(place, []).append(conflict)
        decided = {
            ref: all(each.id in self._choices for each in found) for ref, found in self._conflicts.items()
        }
        sides = {
            ref: SideMarks(mine.get(ref, ""), theirs.get(ref, ""), decided.get(ref))
            for ref in (*mine, *theirs, *decided)
        }
        self.view.diagram_scene.show_sides(sides, self._note)

    def _tables_around(self, ref: ElementRef) -> Iterator[ElementRef]:
        """The table of an element and those that it is nested in, where conflicts are seen from afar."""
        key, seen = table_key_of(ref), set[int]()
        while key is not None and key not in seen and self._picture is not None:
            seen.add(key)
            yield TableRef(key)
            table = self._picture.document.by_key.get(key)
            key = None if table is None else table.owner

    def _note(self, ref: ElementRef) -> str:
        merge = self.merge
        if merge is None:
            return ""
        lines = [tr("Mine: {change}", change=str(one.message)) for one in merge.my_changes if one.ref == ref]
        lines += [
            tr("Theirs: {change}", change=str(one.message)) for one in merge.their_changes if one.ref == ref
        ]
        lines += [
            tr("Conflict: {what}", what=str(conflict.what)) for conflict in self._conflicts.get(ref, ())
        ]
        return "\n".join(lines)

    def _painted_ref(self, ref: ElementRef) -> ElementRef | None:
        """The line of an element, or the head of the table that contains it."""
        if self.view.diagram_scene.line_of(ref) is not None:
            return ref
        key = table_key_of(ref)
        if key is None:
            return None
        return TableRef(key) if self.view.diagram_scene.line_of(TableRef(key)) is not None else None

    def _select(self, ref: ElementRef) -> None:
        """Selects what was clicked, and opens its choices; from afar a click on the box is enough."""
        if ref not in self._conflicts and self.view.zoom < ROWS:
            ref = next((one for one in self._tables_around(ref) if one in self._conflicts), ref)
        self.view.choose(ref, reveal=False)
        rect = self.view.line_rect(ref)
        if ref in self._conflicts and rect is not None:
            self._is_selecting = True
            self.revealed.emit(self._conflicts[ref][0].id)
            self._is_selecting = False
            if self.view.underMouse():
                self._open_menu(ref, self.view.viewport().mapToGlobal(rect.bottomLeft().toPoint()))

    def _open_menu(self, ref: ElementRef, at: QPoint) -> None:
        """Opens the choices of all conflicts of an element."""
        conflicts = self._conflicts.get(ref, ())
        if not conflicts:
            return
        menu = context_menu(self, "schema.merge.menu")
        for conflict in conflicts:
            menu.addSection(" · ".join(filter(None, (conflict.element, str(conflict.what)))))
            for choice, text in _choices(conflict):
                action = menu.addAction(text)
                action.setCheckable(True)
                action.setChecked(self._choices.get(conflict.id) == choice)
                action.triggered.connect(
                    lambda _checked=False, id_=conflict.id, choice=choice: self.chosen.emit(id_, choice)
                )
        menu.popup(at)


def _choices(conflict: Conflict) -> Iterator[tuple[Choice, str]]:
    yield "mine", tr("Mine: {change}", change=str(conflict.mine_result))
    yield "theirs", tr("Theirs: {change}", change=str(conflict.theirs_result))
    if conflict.has_base:
        yield "base", tr("As before: {change}", change=str(conflict.base_result))


def _signs(changes: Iterable[Change]) -> dict[ElementRef, str]:
    """The sign of each element that a side has changed; keys and entries count for their table."""
    found: dict[ElementRef, str] = {}
    for change in changes:
        key = table_key_of(change.ref)
        if isinstance(change.ref, TableRef | ColumnRef):
            found.setdefault(change.ref, change.sign)
        if key is not None:
            found.setdefault(TableRef(key), "~")
    return found


@dataclass(frozen=True)
class MergePicture:
    """The diagram of ``document``, the result of a merge with everything that a side has removed."""

    merge: Merge
    document: Document
    removed: frozenset[ElementRef]
    diagram: Diagram


class MergePictures:
    """Makes one picture after the other: boxes keep their places, and links their ways as far as possible."""

    def __init__(self, builder: GraphBuilder, arrangement: Arrangement) -> None:
        """``arrangement`` has the positions of the tables in the diagram of the page."""
        self._builder = builder
        self._arrangement = arrangement
        self._router = Router()
        self._routing = threading.Lock()

    async def make(self, merge: Merge) -> MergePicture:
        """The picture of a merge; all but the texts, which are measured in this thread, is done in others."""
        document, removed = await run_in_thread(_with_removed, merge)
        graph = self._builder.build(document)
        diagram = await run_in_thread(self._diagram, graph)
        return MergePicture(merge, document, removed, diagram)

    def _diagram(self, graph: SchemaGraph) -> Diagram:
        # The thread of a cancelled call runs to its end.
        with self._routing:
            positions = with_room(graph.boxes, place_boxes(graph, self._arrangement.positions))
            self._arrangement = Arrangement(positions)
            return build_diagram(graph, self._arrangement, self._router)


def _with_removed(merge: Merge) -> tuple[Document, frozenset[ElementRef]]:
    """The result with what a side has removed, and what that is."""
    versions, whole = merge.versions, merge.document
    removed: frozenset[ElementRef] = frozenset()
    for side in (versions.theirs, versions.mine, versions.base):
        pair = pair_documents(side, whole)
        whole, removed = pair.document, removed | pair.removed
    return whole, removed
