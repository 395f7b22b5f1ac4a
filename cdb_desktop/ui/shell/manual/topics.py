"""The topics as plain text, that of an action or of the focus, and the source of the palette."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.foundation.i18n import Language, language, tr
from cdb_desktop.ui.shell.manual.markup import MarkerNames
from cdb_desktop.ui.shell.palette.sources import PaletteRow, match_distance
from cdb_desktop.ui.widgets.help import names_around, open_help
from cdb_desktop.vocabulary.manual import MARKER, SHOW, Page, pages, topic_of, written_topics

_ACTION = "action."  # the beginning of the object names of actions
_MANY = 5  # a link that starts an action says more about a topic than its name in the text


@cache
def topic_pages(_language: Language) -> dict[str, Page]:
    """All topics in the language in use."""
    return pages(language(), MarkerNames().text)


def topic_of_action(name: str) -> str:
    """The topic that explains an action, or else the one that mentions it most often; empty if none does."""
    return topic_of([f"{_ACTION}{name}"]) or _mentions(language()).get(name, "")


@cache
def _mentions(chosen: Language) -> dict[str, str]:
    """The topic that mentions an action most often, by actions."""
    best: dict[str, tuple[int, str]] = {}
    for topic, text in written_topics(chosen).items():
        markers = [value for kind, value in MARKER.findall(text) if kind in ("action", "menu", "key")]
        for name in set(markers):
            count = markers.count(name) + _MANY * text.count(f"({SHOW}{name})")
            if count > best.get(name, (0, ""))[0]:
                best[name] = count, topic
    return {name: topic for name, (_count, topic) in best.items()}


def topic_of_focus(page: str) -> str:
    """The topic of the highlighted entry of a menu, of the widget with the focus, or of the page."""
    popup = QApplication.activePopupWidget()
    if isinstance(popup, QMenu):
        action = _highlighted(popup)
        found = topic_of_action(action.objectName().removeprefix(_ACTION)) if action is not None else ""
        if found:
            return found
    focus = QApplication.focusWidget() or popup or QApplication.activeWindow()
    return topic_of((*names_around(focus), page)) or topic_of_action(page)


def _highlighted(menu: QMenu) -> QAction | None:
    """The highlighted action, or the first one of a highlighted submenu."""
    action: QAction | None = menu.activeAction()
    submenu = action.menu() if action is not None else None
    if isinstance(submenu, QMenu):
        return next(iter(submenu.actions()), None)
    return action


class ManualSource:
    """Topics of the manual by title, and their sections by heading."""

    def __init__(self, picture: QIcon) -> None:
        self._icon = picture

    def rows(self, typed: str) -> Iterator[PaletteRow]:
        """The headings that match, and none for an empty text."""
        if not typed.strip():
            return
        kind = tr("Manual")
        for page in topic_pages(language()).values():
            for number, section in enumerate(page.sections):
                fit = match_distance(typed, section.heading, others=kind)
                if fit is not None:
                    place = f"{page.topic}#s{number}"
                    run, where = partial(open_help, place), f"{kind} › {page.title}" if number else kind
                    yield PaletteRow(f"manual.{place}", section.heading, where, run, icon=self._icon, fit=fit)
