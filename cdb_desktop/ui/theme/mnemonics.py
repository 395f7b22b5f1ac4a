"""Mnemonics of menus: every entry of an open menu has one, or none has."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from shiboken6 import isValid

NO_MNEMONICS = "no_mnemonics"  # a dynamic property of menus in which letters are typed
_LAST = "\u024f"  # of the Latin letters, which can be typed on most keyboards


def with_mnemonics(texts: Sequence[str]) -> list[str]:
    """Marks a different letter in each text; without a letter for each of them, none in any.

    Letters that are marked already are kept as far as they differ.
    """
    bare = [_without_mark(text) for text in texts]
    choices = [_letters(text) for text in bare]
    users: dict[str, int] = {}  # the number of the text that has a letter
    for number, text in enumerate(texts):
        at = _mark(text)
        if at is not None:
            users.setdefault(text[at + 1].casefold(), number)
    for number in range(len(texts)):
        if number not in users.values() and not _take_letter(number, choices, users, set()):
            return bare
    places = {number: choices[number][letter] for letter, number in users.items()}
    return [f"{text[: places[number]]}&{text[places[number] :]}" for number, text in enumerate(bare)]


def _take_letter(
    number: int, choices: Sequence[Mapping[str, int]], users: dict[str, int], tried: set[str]
) -> bool:
    """Gives a text a letter, if need be one of another text that can have a different one."""
    free = [letter for letter in choices[number] if letter not in users]
    for letter in (*free, *choices[number]):
        if letter not in tried:
            tried.add(letter)
            if letter not in users or _take_letter(users[letter], choices, users, tried):
                users[letter] = number
                return True
    return False


def _mark(text: str) -> int | None:
    """The place of the character that marks a letter; a doubled one is shown."""
    at = text.find("&")
    while 0 <= at < len(text) - 1:
        if text[at + 1] != "&":
            return at
        at = text.find("&", at + 2)
    return None


def _without_mark(text: str) -> str:
    at = _mark(text)
    return text if at is None else text[:at] + text[at + 1 :]


def _letters(text: str) -> dict[str, int]:
    """The letters before the key and their places; first letters of words come first, digits last."""
    shown = text.partition("\t")[0]
    usable = [at for at, letter in enumerate(shown) if letter.isalnum() and letter <= _LAST]
    letters = [at for at in usable if not shown[at].isdecimal()]
    starts = [at for at in letters if at == 0 or not shown[at - 1].isalnum()]
    found: dict[str, int] = {}
    for at in (*starts, *letters, *usable):
        found.setdefault(text[at].casefold(), at)
    return found


class Mnemonics(QObject):
    """Marks letters in the entries of a menu while it is open.

    Actions are in several menus and get their own texts back, because each menu needs other letters.
    """

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        self._menu = menu
        self._before: list[tuple[QAction, str, str]] = []
        menu.aboutToShow.connect(self._mark)
        menu.aboutToHide.connect(self._restore)

    def _mark(self) -> None:
        self._restore()
        entries = [one for one in self._menu.actions() if one.isVisible() and not one.isSeparator()]
        texts = [one.text() for one in entries]
        if self._menu.property(NO_MNEMONICS):
            marked = [_without_mark(text) for text in texts]
        else:
            marked = with_mnemonics(texts)
        for entry, before, text in zip(entries, texts, marked, strict=True):
            if text != before:
                self._before.append((entry, before, text))
                entry.setText(text)

    def _restore(self) -> None:
        for entry, before, marked in self._before:
            if isValid(entry) and entry.text() == marked:
                entry.setText(before)
        self._before = []
