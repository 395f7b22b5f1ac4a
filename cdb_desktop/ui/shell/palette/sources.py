"""What the command palette finds: sources of rows, and the source of all actions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Protocol

import msgspec
from PySide6.QtCore import QSettings
from PySide6.QtGui import QIcon

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import folded, tr
from cdb_desktop.ui.actions import Actions, key_of, plain


@dataclass(frozen=True, slots=True)
class PaletteRow:
    """One line of the palette.

    ``kind`` is what it is or where it is from, such as the title of a menu. ``obstacle`` is the reason why it
    is not available, empty if it is. ``rank`` orders rows that match equally well, ``fit`` says how well.
    """

    name: str
    title: str
    kind: str
    run: Callable[[], object]
    key: str = ""
    obstacle: str = ""
    icon: QIcon = field(default_factory=QIcon)
    fit: int = 0
    rank: tuple[int, int] = (0, 0)

    @property
    def spoken(self) -> str:
        """The row for screen readers."""
        return ", ".join(filter(None, (self.title, self.kind, self.key, self.obstacle)))


class PaletteSource(Protocol):
    """A kind of things that the palette finds."""

    def rows(self, typed: str) -> Iterable[PaletteRow]:
        """The rows that match what is typed, in any order."""


@cache
def synonyms(kind: str) -> Mapping[str, str]:
    """What people call things of a kind, in all languages: words by names of actions or settings."""
    content = resource("synonyms.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, str]])[kind]


class ActionSource:
    """All actions except the one that opens the palette; those that were run last are first."""

    def __init__(self, actions: Actions, settings: QSettings) -> None:
        self._actions = actions
        self._ranking = ActionRanking(actions, settings)

    def rows(self, typed: str) -> Iterable[PaletteRow]:
        """Actions by name, synonym, menu or id."""
        order = self._ranking.order()
        for name in self._actions:
            action, spec = self._actions[name], self._actions.spec(name)
            title, menu = plain(spec.text), plain(spec.menu)
            fit = match_distance(typed, title, synonyms("actions").get(name, ""), f"{menu} {name}")
            # Without a text only what can be chosen here is listed.
            if name == "palette" or fit is None or (spec.native and not typed.strip()):
                continue
            key = key_of(action)
            obstacle = self._actions.obstacle(name)
            if spec.native:
                # What it applies to has no focus while the palette is open.
                obstacle = tr("Press {key} where it is to apply.", key=key)
            yield PaletteRow(
                name, title, menu, partial(self._run, name), key, obstacle, action.icon(), fit, order[name]
            )

    def _run(self, name: str) -> None:
        self._ranking.note(name)
        self._actions.run(name)


_PREFIX, _WORD_PREFIX, _WITHIN, _SYNONYM, _SCATTERED, _ELSEWHERE = range(6)


def match_distance(typed: str, name: str, synonyms: str = "", others: str = "") -> int | None:
    """How far ``typed`` is from a name, 0 for the best match and None for no match.

    Every word typed has to occur in ``name``, possibly with letters left out, to begin one of the
    ``synonyms``, or to occur in ``others``. Case and accents are ignored.
    """
    name, synonyms, others = folded(name), f" {folded(synonyms)}", folded(others)
    found = [_of_word(word, name, synonyms, others) for word in folded(typed).split()]
    return None if None in found else sum(one for one in found if one is not None)


def _of_word(word: str, name: str, synonyms: str, others: str) -> int | None:
    if name.startswith(word):
        return _PREFIX
    if f" {word}" in name:
        return _WORD_PREFIX
    if word in name:
        return _WITHIN
    if f" {word}" in synonyms:
        return _SYNONYM
    if _is_scattered(word, name):
        return _SCATTERED
    return _ELSEWHERE if word in others else None


def _is_scattered(word: str, name: str) -> bool:
    """Whether ``name`` has the letters of ``word`` in order, the first at the beginning of a word."""
    starts = [place for place in range(len(name)) if place == 0 or name[place - 1] == " "]
    return any(name[start] == word[0] and _follow(word, name[start:]) for start in starts)


def _follow(word: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in word)


_KEY = "palette/recent"
_MOST = 8
_USED, _OF_PAGE, _EVERYWHERE, _OF_OTHER_PAGES, _LATE = range(5)
# Opening and closing connections: ranked high without a connection, and last with one.
_CONNECTION_ACTIONS = frozenset(
    {"demo", "demo_new", "connect", "model_open", "log_open", "model_close", "sign_in", "disconnect", "quit"}
)


class ActionRanking:
    """The order of actions; those that were run from the palette last are stored in the settings."""

    def __init__(self, actions: Actions, settings: QSettings) -> None:
        self._actions = actions
        self._settings = settings

    @property
    def recent(self) -> list[str]:
        """The names of the actions run last, newest first."""
        kept = self._settings.value(_KEY) or []
        names = [kept] if isinstance(kept, str) else kept
        return [name for name in names if name in set(self._actions)] if isinstance(names, list) else []

    def note(self, name: str) -> None:
        """Records that an action has been run."""
        others = [one for one in self.recent if one != name]
        self._settings.setValue(_KEY, [name, *others][:_MOST])

    def order(self) -> dict[str, tuple[int, int]]:
        """The rank of each action: used last, of this page, of no page, of other pages, of the connection."""
        recent = self.recent
        return {
            name: (_USED, recent.index(name)) if name in recent else (self._group(name), place)
            for place, name in enumerate(self._actions)
        }

    def _group(self, name: str) -> int:
        if name in _CONNECTION_ACTIONS:
            return _LATE if self._actions.is_connected else _OF_PAGE
        page = self._actions.spec(name).page
        if page:
            return _OF_PAGE if page == self._actions.page else _OF_OTHER_PAGES
        return _EVERYWHERE
