"""The panel below the diagram: tabs with the problems, the changes and the document as JSON."""

from dataclasses import dataclass
from functools import partial

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QCursor,
    QFont,
    QFontDatabase,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.checks.fixes import Fix
from cdb_desktop.schema.checks.lint import (
    MISSING_TRANSLATION,
    NO_COLUMNS,
    NO_REVERSE,
    SIMILAR_NAMES,
    UNREACHABLE,
    LintHint,
)
from cdb_desktop.schema.checks.validation import Problem, Severity
from cdb_desktop.schema.diff.compare import Change, Risk, risk_text
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef
from cdb_desktop.schema.document.json_format import write_document, write_table
from cdb_desktop.schema.working_copy import EditHistory
from cdb_desktop.ui.schema.page.findings import Findings, sign_color
from cdb_desktop.ui.schema.page.state import UNREAD, PageState
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ROW, STRIP, TIGHT
from cdb_desktop.ui.widgets.labels import ElidedLabel, caption, color_text
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.menus import context_menu, on_context_menu
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import RowHeightDelegate
from cdb_desktop.ui.widgets.toolbar import Toolbar

Index = QModelIndex | QPersistentModelIndex

_PROBLEMS, _CHANGES, _JSON, _HINTS, _HISTORY = range(5)
_TAB_NAMES = ("problems", "changes", "json", "hints", "history")
_ORDER = (_PROBLEMS, _HINTS, _CHANGES, _HISTORY, _JSON)  # from the left
_MAXIMUM_HEIGHT = 16_777_215  # Qt's default
_MINIMUM_TAB_HEIGHT = 2 * ROW
_MAXIMUM_JSON = 400_000  # characters; laying out more takes long
_TAB = """
QPushButton { border: none; padding: 4px 10px; min-height: 16px; color: palette(placeholder-text); }
QPushButton:checked { color: palette(text); border-bottom: 2px solid palette(accent); }
QPushButton:focus { color: palette(link); }
"""
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ROOT = QModelIndex()
_SIGN_WIDTH = 28
_ELIDE = Qt.TextElideMode.ElideRight
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class BottomPanel(QWidget):
    """Tabs, of which at most one is open; a click on the open tab closes it.

    Signals: ``chosen`` with the ElementRef of a problem or change · ``folded`` with the index of the open
    tab, -1 for none · ``fix_requested`` with a Fix · ``silence_requested`` with what silences hints, or an
    empty text to show all again · ``json_entered`` with the key of a table (None: the document)
    and its edited JSON.
    """

    chosen = Signal(object)
    folded = Signal(int)
    fix_requested = Signal(object)
    silence_requested = Signal(str)
    json_entered = Signal(object, str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.problems = FindingsList(appearance, self)
        self.changes = FindingsList(appearance, self)
        self.hints = FindingsList(appearance, self)
        self.history = HistoryList(self)
        self.json = JsonEditor(appearance, self)
        self._stack = QStackedWidget(self)
        self._tabs = [QPushButton(self) for _ in _TAB_NAMES]
        self._json_title = caption(self)
        self._page = UNREAD
        self._findings = Findings()
        self._arrange()
        self.close_tabs()

    @property
    def titles(self) -> tuple[str, ...]:
        """The texts of the tabs."""
        return tuple(tab.text() for tab in self._tabs)

    def show_page(self, page: PageState) -> None:
        """Updates the JSON and the history if their tab is open."""
        self._page = page
        self._show_json()
        self._show_history()

    def show_findings(self, findings: Findings) -> None:
        """Shows the problems and changes, and their numbers in the tabs."""
        self._findings = findings
        fixes = (*findings.fixes, *[()] * (len(findings.problems) - len(findings.fixes)))
        problems = tuple(
            _problem_line(problem, found) for problem, found in zip(findings.problems, fixes, strict=True)
        )
        self.problems.show_findings(problems, tr("No problems."))
        changes = tuple(_change_line(change) for change in findings.changes)
        self.changes.show_findings(changes, tr("Nothing changed."))
        hints = [_hint_line(hint) for hint in findings.hints]
        if findings.silenced:
            count = len(findings.silenced)
            text = tr("{count:One rule or hint is|{count} rules or hints are} silenced.", count=count)
            hints.append(Finding(DOCUMENT, "·", "muted", text, action=tr("Show again")))
        self.hints.show_findings(tuple(hints), tr("No hints."))
        self._show_titles()

    @property
    def open_tab(self) -> int:
        """The index of the open tab, -1 for none."""
        return -1 if self._stack.isHidden() else self._stack.currentIndex()

    @property
    def has_focus(self) -> bool:
        """Whether the content of the open tab has the focus."""
        is_open = not self._stack.isHidden()
        lists = (self.problems, self.changes, self.json, self.hints, self.history)
        return is_open and any(widget.hasFocus() for widget in lists)

    def leave(self) -> None:
        """Closes the open tab and gives its button the focus."""
        self._tabs[self._stack.currentIndex()].setFocus()
        self.close_tabs()

    def open_problems(self) -> None:
        """Opens the tab of the problems."""
        self.open(_PROBLEMS)

    def open(self, tab: int) -> None:
        """Opens a tab."""
        self._tabs[tab].setChecked(True)
        self._stack.setCurrentIndex(tab)
        self._stack.setVisible(True)
        self.setMaximumHeight(_MAXIMUM_HEIGHT)
        self.folded.emit(tab)
        self._show_json()
        self._show_history()

    def close_tabs(self) -> None:
        """Closes the open tab."""
        self._stack.setVisible(False)
        self.setMaximumHeight(STRIP)
        self.folded.emit(-1)
        self._group.setExclusive(False)
        for tab in self._tabs:
            tab.setChecked(False)
        self._group.setExclusive(True)

    def _toggle(self, tab: int) -> None:
        if not self._stack.isHidden() and self._stack.currentIndex() == tab:
            self.close_tabs()
        else:
            self.open(tab)

    def _show_titles(self) -> None:
        problems, changes = len(self._findings.problems), len(self._findings.changes)
        self._tabs[_PROBLEMS].setText(f"{tr('Problems')} {problems}")
        self._tabs[_CHANGES].setText(f"{tr('Changes')} {changes}")
        self._tabs[_JSON].setText(tr("JSON"))
        self._tabs[_HISTORY].setText(tr("Steps"))
        self._tabs[_HINTS].setText(f"{tr('Hints')} {len(self._findings.hints)}")

    def _show_history(self) -> None:
        if self.open_tab == _HISTORY:
            self.history.show_history(self._page.editing.history, editable=self._page.is_editable)

    def _show_json(self) -> None:
        page = self._page
        if self.open_tab != _JSON or not page.is_read:
            self._json_title.clear()
            return
        if self.json.is_edited:
            # What is being edited stays until it is applied or discarded.
            return
        table = page.document.by_key.get(page.selected_table or 0)
        content = write_document(page.document) if table is None else write_table(table)
        text = msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
        is_whole = len(text) <= _MAXIMUM_JSON
        text = text if is_whole else f"{text[:_MAXIMUM_JSON]}\n…"
        self.json.show_text(
            None if table is None else table.key, text, editable=page.is_editable and is_whole
        )
        whole = tr("the whole document; select a table to see only that")
        self._json_title.setText(whole if table is None else table.name)

    def _fix(self, row: int) -> None:
        fixes = self._fixes_of(row)
        if fixes:
            self.fix_requested.emit(fixes[0])

    def _fixes_of(self, row: int) -> tuple[Fix, ...]:
        """The remedies for a problem, none while it is not the document that is shown."""
        is_possible = self._findings.document is self._page.document and self._page.is_editable
        return self._findings.fixes[row] if is_possible and row < len(self._findings.fixes) else ()

    def _open_fixes(self, row: int, at: QPoint) -> None:
        menu = context_menu(self, "schema.findings.menu")
        for fix in self._fixes_of(row):
            menu.addAction(str(fix.title)).triggered.connect(partial(self.fix_requested.emit, fix))
        if menu.isEmpty():
            menu.addAction(tr("No remedy is known")).setEnabled(False)
        menu.popup(at)

    def _act_on_hint(self, row: int) -> None:
        if row >= len(self._findings.hints):
            self.silence_requested.emit("")
        else:
            self.silence_requested.emit(self._findings.hints[row].silencer)

    def _open_silencers(self, row: int, at: QPoint) -> None:
        menu = context_menu(self, "schema.findings.menu")
        if row < len(self._findings.hints):
            hint = self._findings.hints[row]
            rule = rule_name(hint.rule)
            for text, silencer in (
                (tr("Silence this hint"), hint.silencer),
                (tr("Silence all of “{rule}”", rule=rule), hint.rule),
            ):
                menu.addAction(text).triggered.connect(partial(self.silence_requested.emit, silencer))
        if self._findings.silenced:
            menu.addAction(tr("Show silenced hints again")).triggered.connect(
                partial(self.silence_requested.emit, "")
            )
        menu.popup(at)

    def _arrange(self) -> None:
        self.setObjectName("schema.bottom")
        self._group = QButtonGroup(self)
        bar = Toolbar(self, STRIP)
        for index, (name, tab) in enumerate(zip(_TAB_NAMES, self._tabs, strict=True)):
            tab.setObjectName(f"schema.bottom.{name}")
            tab.setCheckable(True)
            tab.setStyleSheet(_TAB)
            self._group.addButton(tab)
            tab.clicked.connect(partial(self._toggle, index))
        for index in _ORDER:
            bar.add(self._tabs[index])
        bar.push()
        bar.add(self._json_title)
        for widget in (self.problems, self.changes, self.json, self.hints, self.history):
            widget.setMinimumHeight(_MINIMUM_TAB_HEIGHT)
            self._stack.addWidget(widget)
        self.json.entered.connect(self.json_entered)
        self.json.discarded.connect(self._show_json)
        self.problems.setObjectName("schema.problems")
        self.changes.setObjectName("schema.changes")
        self.json.setObjectName("schema.json")
        self.hints.setObjectName("schema.hints")
        for findings in (self.problems, self.changes, self.hints):
            findings.chosen.connect(self.chosen)
        self.problems.acted.connect(self._fix)
        self.problems.menu_requested.connect(self._open_fixes)
        self.hints.acted.connect(self._act_on_hint)
        self.hints.menu_requested.connect(self._open_silencers)
        lay_out(QVBoxLayout(self), bar, self._stack)
        self.show_findings(self._findings)
        self.problems.setAccessibleName(tr("Problems"))
        self.changes.setAccessibleName(tr("Changes"))
        self.hints.setAccessibleName(tr("Hints"))
        self.history.setAccessibleName(tr("Steps"))


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a list; ``color`` names the color of the theme for the sign and for ``note``.

    ``action`` is the text of a link at the right, empty for none.
    """

    ref: ElementRef
    sign: str
    color: str
    text: str
    note: str = ""
    action: str = ""


class FindingsList(QListView):
    """A list of problems, hints or changes.

    Signals: ``chosen`` with the ElementRef of a line that is clicked or activated · ``acted`` with the row of
    a line whose action is clicked, or triggered with Ctrl+. · ``menu_requested`` with a row and a position.
    """

    chosen = Signal(object)
    acted = Signal(int)
    menu_requested = Signal(int, QPoint)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = _FindingsModel(self)
        self.setModel(self._lines)
        self.setItemDelegate(_FindingsDelegate(appearance, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self._nothing = ""
        self.setMouseTracking(True)
        self.clicked.connect(self._click)
        on_context_menu(self, self._request_menu)
        self.activated.connect(self._choose)

    @property
    def nothing(self) -> str:
        """The text that is shown instead of lines, empty if there are lines."""
        return "" if self._lines.findings else self._nothing

    def show_findings(self, findings: tuple[Finding, ...], nothing: str) -> None:
        """Replaces the lines; ``nothing`` is shown if the list is empty."""
        self._nothing = nothing
        self._lines.show_findings(findings)
        self.setAccessibleDescription(self.nothing)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(QRect(GROUP, 0, self.viewport().width() - 2 * GROUP, ROW), _LEFT, self.nothing)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Ctrl+. triggers the action of the current line."""
        is_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        index = self.currentIndex()
        if is_control and event.key() == Qt.Key.Key_Period and index.isValid():
            self._act(index.row())
        else:
            super().keyPressEvent(event)

    def _click(self, index: QModelIndex) -> None:
        at = self.viewport().mapFromGlobal(QCursor.pos())
        finding = self._lines.findings[index.row()]
        if finding.action and action_rect(self, self.visualRect(index), finding).contains(at):
            self._act(index.row())
        else:
            self._choose(index)

    def _act(self, row: int) -> None:
        if self._lines.findings[row].action:
            self.acted.emit(row)

    def _request_menu(self, index: QModelIndex, at: QPoint) -> None:
        if index.isValid():
            self.menu_requested.emit(index.row(), at)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._lines.findings[index.row()].ref)


class _FindingsModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.findings: tuple[Finding, ...] = ()

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        if findings != self.findings:
            self.beginResetModel()
            self.findings = findings
            self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.findings)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        finding = self.findings[index.row()]
        if role == _TOOLTIP and finding.action:
            return f"{finding.text} · {finding.action} (Ctrl+.)"
        if role in (_DISPLAY, _TOOLTIP):
            return f"{finding.text} · {finding.note}" if finding.note else finding.text
        return None


class _FindingsDelegate(QStyledItemDelegate):
    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802
        return QSize(0, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, _FindingsModel):
            return
        tokens, finding, rect = self._appearance.tokens, model.findings[index.row()], QRect(option.rect)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, QColor(tokens.selected))
        color = QColor(getattr(tokens, finding.color))
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(sign_color(finding.sign, tokens) if finding.sign != "!" else color)
        painter.drawText(
            QRect(rect.left(), rect.top(), _SIGN_WIDTH, rect.height()),
            Qt.AlignmentFlag.AlignCenter,
            finding.sign,
        )
        painter.setFont(option.font)
        painter.setPen(QColor(tokens.text))
        rect.adjust(_SIGN_WIDTH, 0, -GAP, 0)
        if finding.action:
            place = action_rect(option.widget, QRect(option.rect), finding)
            painter.setPen(QColor(tokens.accent))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, finding.action)
            painter.setPen(QColor(tokens.text))
            rect.setRight(place.left() - GAP)
        text = painter.fontMetrics().elidedText(finding.text, _ELIDE, rect.width())
        painter.drawText(rect, _LEFT, text)
        rect.adjust(painter.fontMetrics().horizontalAdvance(text) + 2 * GAP, 0, 0, 0)
        painter.setPen(color)
        painter.drawText(rect, _LEFT, painter.fontMetrics().elidedText(finding.note, _ELIDE, rect.width()))


def action_rect(view: QWidget, row: QRect, finding: Finding) -> QRect:
    """The place of a line's action."""
    width = view.fontMetrics().horizontalAdvance(finding.action) + 2 * GAP
    return QRect(row.right() - width - GAP, row.top(), width, row.height())


def rule_name(rule: str) -> str:
    """The name of a rule for hints."""
    return {
        NO_COLUMNS: tr("no columns"),
        UNREACHABLE: tr("unreachable"),
        SIMILAR_NAMES: tr("similar names"),
        MISSING_TRANSLATION: tr("missing translation"),
        NO_REVERSE: tr("link without reverse"),
    }[rule]


def _problem_line(problem: Problem, fixes: tuple[Fix, ...]) -> Finding:
    color = "danger" if problem.severity is Severity.ERROR else "warning"
    action = str(fixes[0].title) if fixes else ""
    return Finding(problem.ref, "!", color, str(problem.message), action=action)


def _hint_line(hint: LintHint) -> Finding:
    return Finding(hint.ref, "·", "muted", str(hint.message), rule_name(hint.rule), tr("Silence"))


def _change_line(change: Change) -> Finding:
    color = {Risk.SAFE: "muted", Risk.NARROWING: "warning", Risk.DESTROYING: "danger"}[change.risk]
    return Finding(change.ref, change.sign, color, str(change.message), risk_text(change.risk))


class HistoryList(QListWidget):
    """All steps, the first at the top; steps that were undone are muted.

    Signals: ``jump_requested`` with the position of a state in the history.
    """

    jump_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.history")
        self._history: EditHistory | None = None
        self._is_editable = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setItemDelegate(RowHeightDelegate(self))
        self.setViewportMargins(GROUP, 0, 0, 0)
        self.clicked.connect(self._jump)
        self.activated.connect(self._jump)

    def show_history(self, history: EditHistory, *, editable: bool) -> None:
        """Shows the steps, and scrolls to the current one if it has changed."""
        self._is_editable = editable
        if history is self._history:
            return
        self._history = history
        self.clear()
        for row, state in enumerate(history.states):
            text = str(state.title) or tr("Beginning")
            item = QListWidgetItem(f"{text} · {tr('saved')}" if row == history.saved else text, self)
            if row > history.position:
                item.setForeground(self.palette().placeholderText())
        current = self.item(history.position)
        font = QFont(self.font())
        font.setBold(True)
        current.setFont(font)
        self.setCurrentItem(current)
        self.scrollToItem(current)

    def _jump(self, index: QModelIndex) -> None:
        history = self._history
        if self._is_editable and history is not None and index.row() != history.position:
            self.jump_requested.emit(index.row())


_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class JsonEditor(QWidget):
    """The text, and below it buttons to apply or discard what was changed.

    Signals: ``entered`` with the key of the table (None: the document) and the text · ``discarded``.
    """

    entered = Signal(object, str)
    discarded = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._table: int | None = None
        self.text = _Text(self)
        self._bar = QWidget(self)
        self._error = named("schema.json.error", ElidedLabel(self))
        self.apply_button = named("schema.json.apply", QPushButton(tr("Apply"), self))
        self.discard_button = named("schema.json.discard", QPushButton(tr("Discard"), self))
        self._arrange()
        self.text.modificationChanged.connect(self._bar.setVisible)
        self.text.textChanged.connect(self._clear_error)
        self.text.apply_requested.connect(self._apply)
        self.apply_button.clicked.connect(self._apply)
        self.discard_button.clicked.connect(self.discard)
        self.text.setAccessibleName(tr("JSON"))
        self.apply_button.setToolTip(tr("Apply (Ctrl+Enter)"))

    @property
    def is_edited(self) -> bool:
        """Whether the text has been changed and not yet applied."""
        return self.text.document().isModified()

    @property
    def error(self) -> str:
        """The error that is shown, empty for none."""
        return self._error.text()

    def hasFocus(self) -> bool:  # noqa: N802
        """Whether text or buttons have the focus."""
        return any(each.hasFocus() for each in (self.text, self.apply_button, self.discard_button))

    def toPlainText(self) -> str:  # noqa: N802
        """The text."""
        return self.text.toPlainText()

    def show_text(self, table: int | None, text: str, *, editable: bool) -> None:
        """Shows the JSON of a table, or of the document."""
        self._table = table
        self.text.setReadOnly(not editable)
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        self.text.document().setModified(False)

    def show_error(self, line: int, reason: str) -> None:
        """Shows an error at its line, which becomes the current one."""
        self._error.setText(tr("Line {line}: {reason}", line=str(line), reason=reason))
        cursor = QTextCursor(self.text.document().findBlockByNumber(line - 1))
        self.text.setTextCursor(cursor)
        self.text.ensureCursorVisible()
        mark = QTextEdit.ExtraSelection()
        mark.cursor = cursor
        color = QColor(self._appearance.tokens.danger)
        color.setAlpha(60)
        mark.format.setBackground(color)
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.text.setExtraSelections([mark])
        self.text.setFocus()

    def accept(self) -> None:
        """The text has been applied."""
        self.text.document().setModified(False)
        self._clear_error()

    def discard(self) -> None:
        """Discards the changes of the text."""
        self.accept()
        self.discarded.emit()
        self.text.setFocus()

    def _apply(self) -> None:
        if self.is_edited:
            self.entered.emit(self._table, self.text.toPlainText())

    def _clear_error(self) -> None:
        if self._error.text():
            self._error.setText("")
            self.text.setExtraSelections([])

    def _arrange(self) -> None:
        color_text(self._error, self._appearance.tokens.danger)
        lay_out(
            QHBoxLayout(self._bar),
            self._error,
            self.discard_button,
            self.apply_button,
            margins=(GAP, TIGHT, GAP, TIGHT),
            spacing=GAP,
            growing=self._error,
        )
        self._bar.hide()
        lay_out(QVBoxLayout(self), self.text, self._bar, growing=self.text)


class _Text(QPlainTextEdit):
    """The text.

    Signals: ``apply_requested`` on Ctrl+Enter.
    """

    apply_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setFrameShape(QFrame.Shape.NoFrame)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Ctrl+Enter applies the text."""
        is_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if is_control and event.key() in _ENTER_KEYS:
            self.apply_requested.emit()
        else:
            super().keyPressEvent(event)
