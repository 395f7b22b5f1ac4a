"""How well what somebody types fits the name of an action; knows no Qt."""

from __future__ import annotations

import unicodedata

_BEGINS, _WORD_BEGINS, _WITHIN, _SCATTERED, _ELSEWHERE = range(5)


def distance(typed: str, name: str, others: str = "") -> int | None:
    """The smaller the better, None where it does not fit.

    Every word that is typed has to stand in ``name``, with letters left out at worst, or in ``others``.
    Case and accents do not count.
    """
    name, others = _bare(name), _bare(others)
    found = [_of_word(word, name, others) for word in _bare(typed).split()]
    return None if None in found else sum(one for one in found if one is not None)


def _of_word(word: str, name: str, others: str) -> int | None:
    if name.startswith(word):
        return _BEGINS
    if f" {word}" in name:
        return _WORD_BEGINS
    if word in name:
        return _WITHIN
    if _is_scattered(word, name):
        return _SCATTERED
    return _ELSEWHERE if word in others else None


def _is_scattered(word: str, name: str) -> bool:
    """Whether the letters of ``word`` come one after the other, the first at the beginning of a word."""
    starts = [place for place in range(len(name)) if place == 0 or name[place - 1] == " "]
    return any(name[start] == word[0] and _follow(word, name[start:]) for start in starts)


def _follow(word: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in word)


def _bare(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))
