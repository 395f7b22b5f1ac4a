"""How well an action matches what is typed in the palette, and the order of equal matches."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import QSettings

from cdb_desktop.ui.actions import Actions

_PREFIX, _WORD_PREFIX, _WITHIN, _SYNONYM, _SCATTERED, _ELSEWHERE = range(6)


def match_distance(typed: str, name: str, synonyms: str = "", others: str = "") -> int | None:
    """How far ``typed`` is from a name, 0 for the best match and None for no match.

    Every word typed has to occur in ``name``, possibly with letters left out, to begin one of the
    ``synonyms``, or to occur in ``others``. Case and accents are ignored.
    """
    name, synonyms, others = _bare(name), f" {_bare(synonyms)}", _bare(others)
    found = [_of_word(word, name, synonyms, others) for word in _bare(typed).split()]
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


def _bare(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


_KEY = "palette/recent"
_MOST = 8
_USED, _OF_PAGE, _EVERYWHERE, _OF_OTHER_PAGES, _LATE = range(5)
# Opening and closing connections: ranked high without a connection, and last with one.
_CONNECTION_ACTIONS = frozenset(
    {"demo", "connect", "model_open", "log_open", "model_close", "sign_in", "disconnect", "quit"}
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
