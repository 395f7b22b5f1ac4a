"""The problems and changes of the document, found after each edit, with their signs and colors."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.fixes import Fix, fixes_for
from cdb_desktop.schema.checks.lint import LintHint, find_hints, violations
from cdb_desktop.schema.checks.validation import Problem, Severity
from cdb_desktop.schema.diff.compare import Change, compare
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.page.state import Node, PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.tokens import Tokens

REMOVED = "−"
_CHANGED = "~"
_RANK = {"+": 3, "→": 2, _CHANGED: 1}
_TASK = "schema.find"
_MOST_FIXES = 500  # problems with remedies; more are shown when these are solved


@dataclass(frozen=True, slots=True)
class RemovedElement:
    """A table or column that is in ``base`` only; ``owner`` is the table that it is shown below."""

    ref: Node
    name: str
    owner: int | None


@dataclass(frozen=True)
class Findings:
    """Problems, hints and changes of ``document``; the changes are relative to ``base``.

    ``silenced`` is what silences hints that are not among ``hints``.
    """

    document: Document | None = None
    base: Document | None = None
    problems: tuple[Problem, ...] = ()
    changes: tuple[Change, ...] = ()
    hints: tuple[LintHint, ...] = ()
    fixes: tuple[tuple[Fix, ...], ...] = ()  # of the problem with the same index
    silenced: frozenset[str] = frozenset()

    @cached_property
    def signs(self) -> Mapping[ElementRef, str]:
        """The sign of each added or changed element; the tables around it count as changed."""
        found: dict[ElementRef, str] = {}
        for change in self.changes:
            if change.sign != REMOVED:
                _set_sign(found, change.ref, change.sign)
            for ref in self._tables_around(change.ref):
                _set_sign(found, ref, _CHANGED)
        return found

    @cached_property
    def painted_signs(self) -> Mapping[ElementRef, str]:
        """The signs, with those of removed elements, for a picture that shows these too."""
        gone = {change.ref: REMOVED for change in self.changes if change.sign == REMOVED}
        return {**self.signs, **gone}

    def note(self, ref: ElementRef) -> str:
        """The changes of an element in words, each in a line."""
        return "\n".join(f"{change.sign} {change.message}" for change in self.changes if change.ref == ref)

    @cached_property
    def severities(self) -> Mapping[ElementRef, Severity]:
        """The severity of the worst problem of each element, and of the tables around it."""
        found: dict[ElementRef, Severity] = {}
        for problem in self.problems:
            for ref in (problem.ref, *self._tables_around(problem.ref)):
                if found.get(ref) is not Severity.ERROR:
                    found[ref] = problem.severity
        return found

    @cached_property
    def removed(self) -> tuple[RemovedElement, ...]:
        """The removed tables and columns."""
        return tuple(
            RemovedElement(change.ref, str(change.before), self._owner(change.ref))
            for change in self.changes
            if change.sign == REMOVED and isinstance(change.ref, TableRef | ColumnRef)
        )

    def _owner(self, ref: Node) -> int | None:
        """The table that contained an element; None if that was removed too, or did not exist."""
        if isinstance(ref, ColumnRef):
            return ref.table
        was = None if self.base is None else self.base.by_key.get(ref.table)
        owner = None if was is None else was.owner
        return owner if self.document is not None and owner in self.document.by_key else None

    def _tables_around(self, ref: ElementRef) -> Iterator[ElementRef]:
        """The table that contains an element, and the tables that this one is nested in."""
        seen: set[int] = set()
        key = table_key_of(ref)
        while key is not None and key not in seen:
            seen.add(key)
            yield TableRef(key)
            # A table that was removed was in one of the base.
            documents = (one for one in (self.document, self.base) if one is not None)
            table = next((one.by_key[key] for one in documents if key in one.by_key), None)
            key = None if table is None else table.owner


def state_texts(sign: str, severity: Severity | None) -> Iterator[str]:
    """The sign of an element and its worst problem in words, for screen readers."""
    meanings = {"+": tr("added"), "~": tr("changed"), "→": tr("renamed"), "−": tr("removed")}
    if sign in meanings:
        yield meanings[sign]
    if severity is not None:
        yield tr("with an error") if severity is Severity.ERROR else tr("with a warning")


class FindingsController(QObject):
    """Computes the findings in a thread whenever the document changes, and passes them to ``show``."""

    def __init__(self, store: PageStore, tasks: Tasks, show: Callable[[Findings], None]) -> None:
        super().__init__(store)
        self._show = show
        self._tasks = tasks
        self._last: tuple[object, ...] = ()
        store.changed.connect(self._update)

    def _update(self, page: PageState) -> None:
        inputs = (page.document, page.base, page.checks, page.compared)
        if self._last and all(one is other for one, other in zip(inputs, self._last, strict=True)):
            return
        self._last = inputs
        self._tasks.start(_TASK, self._compute(page))

    async def _compute(self, page: PageState) -> None:
        self._show(await run_in_thread(_findings, page))


def _findings(page: PageState) -> Findings:
    """The findings of a page; a committed version has none, a comparison only changes."""
    if page.compared is not None:
        found = Findings(page.document, page.compared, changes=compare(page.compared, page.document))
        found.painted_signs, found.removed  # noqa: B018
        return found
    if page.past is not None:
        return Findings(page.past)
    document, checks = page.document, page.checks
    problems = page.problems
    if checks.policy is not None:
        problems = (*problems, *violations(checks.policy, document, page.base, checks.names))
    found = Findings(
        document,
        page.base,
        problems,
        page.editing.changes,
        find_hints(document, checks.silenced, checks.names),
        tuple(fixes_for(document, problem) for problem in problems[:_MOST_FIXES]),
        checks.silenced,
    )
    # Computed in this thread, so that the window does not have to.
    found.painted_signs, found.severities, found.removed  # noqa: B018
    return found


def _set_sign(found: dict[ElementRef, str], ref: ElementRef, sign: str) -> None:
    if _RANK.get(sign, 0) > _RANK.get(found.get(ref, ""), 0):
        found[ref] = sign


def sign_color(sign: str, tokens: Tokens) -> QColor:
    """The color of the sign of a change."""
    colors = {"+": tokens.good, REMOVED: tokens.danger, "→": tokens.accent}
    return QColor(colors.get(sign, tokens.warning))


def severity_color(severity: Severity, tokens: Tokens) -> QColor:
    """The color of a problem."""
    return QColor(tokens.danger if severity is Severity.ERROR else tokens.warning)
