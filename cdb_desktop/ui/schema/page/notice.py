"""The notice above the page: what happened, and actions that follow from it."""

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.checks.validation import Problem
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.ui.schema.page.state import Node, PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import ActionNotice, NoticeTone
from cdb_desktop.vocabulary.error_messages import ErrorMessage

# The text of a button, and what it does.
NoticeAction = tuple[str, Callable[[], None]]

_MOST_NAMES = 3


class SchemaNotice(ActionNotice):
    """Shows one message at a time, with buttons that hide it and do something."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName("schema.offer")
        self._problem: Problem | None = None
        self._holds: Callable[[PageState], bool] = _always

    def show_text(self, tone: NoticeTone, text: str, *actions: NoticeAction) -> None:
        """Shows a text."""
        self._problem, self._holds = None, _always
        self.show_notice(tone, "", text)
        self._show_actions(actions)

    def show_error(self, error: ErrorMessage, *actions: NoticeAction) -> None:
        """Shows an error, with its details to copy and an explanation of its code if there is one."""
        self._problem, self._holds = None, _always
        self.show_failure(error)
        self._show_actions(actions)

    def show_problem(self, text: str, problem: Problem) -> None:
        """Shows a text until ``problem`` is solved."""
        self.show_text("danger", text)
        self._problem = problem

    def show_problems(self, problems: Iterable[Problem]) -> None:
        """Hides the text about a problem that is not among ``problems``."""
        if self._problem is not None and self._problem not in problems:
            self._problem = None
            self.hide()

    def show_while(
        self, holds: Callable[[PageState], bool], tone: NoticeTone, text: str, *actions: NoticeAction
    ) -> None:
        """Shows a text as long as it is true of the page."""
        self.show_text(tone, text, *actions)
        self._holds = holds

    def show_step(self, page: PageState, text: str, *actions: NoticeAction) -> None:
        """Shows a text about the last step of ``page`` until the step is undone."""
        step = page.editing.history.position
        self.show_while(lambda page: page.editing.history.position >= step, "accent", text, *actions)

    def show_page(self, page: PageState) -> None:
        """Hides a text that is no longer true."""
        if not self._holds(page):
            self.hide()

    def hide_without_actions(self) -> None:
        """Hides a notice that has no buttons; the others stay until the user decides."""
        if not self.buttons:
            self.hide()

    def _show_actions(self, actions: tuple[NoticeAction, ...]) -> None:
        self.clear_buttons()
        for index, (text, act) in enumerate(actions):
            self.add_button(f"schema.offer.{index}", text, partial(self._run, act))

    def _run(self, act: Callable[[], None]) -> None:
        self.hide()
        act()


def _always(_page: PageState) -> bool:
    return True


class RestoredAsNewNotice(QObject):
    """Warns if undo restores an element that a save had removed: it has a new id and no values (wire §5)."""

    def __init__(self, store: PageStore, notice: SchemaNotice) -> None:
        super().__init__(notice)
        self._notice = notice
        self._known: frozenset[Node] = frozenset()
        store.changed.connect(self._update)

    def _update(self, page: PageState) -> None:
        found = page.editing.recreated
        has_more = not self._known.issuperset(found)
        self._known = frozenset(found)
        if has_more:
            names = [element_name(page.editing.document, ref) for ref in found.values()]
            text = _restored_as_new(names)
            self._notice.show_while(lambda page: bool(page.editing.recreated), "warning", text)


def _restored_as_new(elements: Iterable[str]) -> str:
    every = sorted(elements)
    names = ", ".join(every[:_MOST_NAMES])
    if len(every) > _MOST_NAMES:
        names = tr("{names} and {count} more", names=names, count=len(every) - _MOST_NAMES)
    return tr(
        "HEAD was saved without {names}, so the service has released the id: it is restored "
        "as new and empty. CURRENT keeps the values until the next commit.",
        names=names,
    )
