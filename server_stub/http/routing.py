"""Finds what lies at a path, part by part; knows neither calls nor HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_Found = TypeVar("_Found")


@dataclass
class _Place(Generic[_Found]):
    """Where some parts of a path lead, and the ways on from there: by a part's text, or by any, as `name`."""

    found: _Found | None = None
    by_text: dict[str, _Place[_Found]] = field(default_factory=dict)
    by_any: _Place[_Found] | None = None
    name: str = ""

    def way(self, part: str) -> _Place[_Found]:
        """The place that a declared part leads to, made where there is none."""
        if not part.startswith("{"):
            return self.by_text.setdefault(part, _Place())
        self.name = part[1:-1]
        self.by_any = self.by_any or _Place()
        return self.by_any


class Paths(Generic[_Found]):
    """Paths and what lies at each; a part in braces, as in `/event/{id}`, stands for any text but none.

    A part that is spelled out comes before one in braces: the path `/event/poll` leads to no event.
    """

    def __init__(self) -> None:
        self._root: _Place[_Found] = _Place()

    def at(self, path: str, make: Callable[[], _Found]) -> _Found:
        """What lies at a path as it is declared, made where nothing does."""
        place = self._root
        for part in path.split("/"):
            place = place.way(part)
        if place.found is None:
            place.found = make()
        return place.found

    def find(self, path: str) -> tuple[_Found | None, dict[str, str]]:
        """What a path leads to, None where that is nothing, and its parts that stand in braces by name."""
        place, texts = self._root, {}
        for part in path.split("/"):
            if part in place.by_text:
                place = place.by_text[part]
            elif part and place.by_any is not None:
                texts[place.name] = part
                place = place.by_any
            else:
                return None, {}
        return place.found, texts
