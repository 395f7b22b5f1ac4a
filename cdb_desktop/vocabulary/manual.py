"""The manual: its contents, the texts of its topics, the topic of a widget or fault, and the search.

`resources/manual/README.md` describes the files. Names from the program are markers in the texts; what they
are shown as is asked of a function, since only the UI knows its actions and keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import Language, folded

# Returns what a marker is shown as, by its kind and value.
MarkerText = Callable[[str, str], str]

MARKER = re.compile(r"\{(action|menu|key|text|error|query|example):([^{}\n]+)\}")
SHOW = "show:"  # the beginning of links that start an action on the demo
FAULT = "fault:"  # the beginning of names of faults in `Topic.explains`

_FOLDER = "manual"


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic; ``explains`` are names of widgets and faults, or beginnings of such names with ``*``.

    ``words`` are others by which it is searched for.
    """

    name: str
    explains: tuple[str, ...] = ()
    words: Mapping[Language, str] = {}


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """Topics on one subject in the order in which they are read."""

    name: str
    titles: Mapping[Language, str]
    topics: tuple[Topic, ...]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """All chapters; ``first_steps`` are topics and actions to begin with by the action of a page."""

    chapters: tuple[Chapter, ...]
    first_steps: Mapping[str, tuple[tuple[str, str], ...]] = {}

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics of all chapters."""
        return tuple(topic for chapter in self.chapters for topic in chapter.topics)


@lru_cache(maxsize=1)
def contents() -> Contents:
    """Reads the contents. Raises OSError or ValueError if that is not possible."""
    return msgspec.json.decode(resource(f"{_FOLDER}/contents.json").read_bytes(), type=Contents)


def topic_text(topic: str, language: Language) -> str:
    """The Markdown of a topic. Raises OSError if it cannot be read."""
    return _file(topic, language).read_text(encoding="utf-8")


def topic_title(topic: str, language: Language) -> str:
    """The title of a topic. Raises OSError if it cannot be read."""
    return topic_text(topic, language).partition("\n")[0].removeprefix("# ")


def _file(topic: str, language: Language) -> Path:
    return resource(f"{_FOLDER}/{language}/{topic}.md")


def written_topics(language: Language) -> dict[str, str]:
    """The Markdown of all topics that have been written, by their names. Raises OSError."""
    names = (topic.name for topic in contents().topics)
    return {name: topic_text(name, language) for name in names if _file(name, language).exists()}


def topic_of(names: Iterable[str]) -> str:
    """The topic that explains the first of ``names`` that any topic explains; empty if there is none."""
    exact, beginnings = _explained()
    for name in names:
        if name in exact:
            return exact[name]
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            found = beginnings.get(".".join(parts[:length]))
            if found is not None:
                return found
    return ""


@lru_cache(maxsize=1)
def _explained() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Topics by the names they explain, and by the beginnings of names."""
    pairs = [(name, topic.name) for topic in contents().topics for name in topic.explains]
    exact = {name: topic for name, topic in pairs if not name.endswith(".*")}
    return exact, {name.removesuffix(".*"): topic for name, topic in pairs if name.endswith(".*")}


class Section(msgspec.Struct, frozen=True):
    """A heading and the plain text up to the next one."""

    heading: str
    text: str


class Page(msgspec.Struct, frozen=True):
    """A topic as plain text; the heading of the first section is its title. ``words`` also find it."""

    topic: str
    sections: tuple[Section, ...]
    words: str = ""

    @property
    def title(self) -> str:
        """The title of the topic."""
        return self.sections[0].heading


def pages(language: Language, marker_text: MarkerText) -> dict[str, Page]:
    """All topics by name. Raises OSError if one cannot be read."""
    words = {topic.name: topic.words.get(language, "") for topic in contents().topics}
    return {
        name: replace(parse_page(name, text, marker_text), words=words[name])
        for name, text in written_topics(language).items()
    }


_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
# Markers come first: queries contain what is a mark elsewhere.
_MARKS = re.compile(rf"{MARKER.pattern}|^```.*$|^ *(?:[-*]|\d+\.) +|^[-|]+$|[*`|]", re.MULTILINE)


def parse_page(topic: str, text: str, marker_text: MarkerText) -> Page:
    """A topic from its Markdown, without the marks of Markdown."""

    def shown(found: re.Match[str]) -> str:
        return marker_text(found[1], found[2]) if found[1] else " " if found[0] == "|" else ""

    def plain(part: str) -> str:
        return _MARKS.sub(shown, _LINK.sub(r"\1", part)).strip()

    before, *parts = _HEADING.split(text)
    headings = [plain(heading) for heading in parts[::2]] or [topic]
    texts = [plain(part) for part in parts[1::2]] or [plain(before)]
    return Page(topic, tuple(map(Section, headings, texts)))


class Hit(msgspec.Struct, frozen=True):
    """A section of a topic that was found; ``snippet`` is text around the first word."""

    topic: str
    section: int
    title: str
    heading: str
    snippet: str


_IN_TITLE, _IN_HEADING, _IN_TEXT, _LEAST = 100, 10, 1, 3


def search(searched: Iterable[Page], typed: str) -> list[Hit]:
    """The topics that contain most of the words of ``typed``, best first, each with its best section.

    Those are the topics with every word if there are any; numbers only matter for the order. Case, accents
    and punctuation are ignored. Words in titles count more than those in headings, and these more than text.
    """
    words = search_words(folded(typed))
    required = [word for word in words if not word.isdigit()] or words
    counted = [(_number_contained(page, required), page) for page in searched]
    most = max((number for number, _page in counted), default=0)
    found = [(_rank(page, words), page) for number, page in counted if number == most > 0]
    return [_hit(page, words) for _rank_, page in sorted(found, key=lambda one: -one[0])]


def search_words(typed: str) -> list[str]:
    """The words of what is typed, without the punctuation around them."""
    return [word for each in typed.split() if (word := each.strip("?!.,;:"))]


def _number_contained(page: Page, words: Sequence[str]) -> int:
    """How many of the words a topic contains."""
    sections = (f"{section.heading} {section.text}" for section in page.sections)
    text = folded(" ".join((page.words, *sections)))
    return sum(word in text for word in words)


def _rank(page: Page, words: Sequence[str]) -> int:
    title = folded(f"{page.title} {page.words}")
    headings = folded(" ".join(section.heading for section in page.sections))
    text = folded(" ".join(section.text for section in page.sections))
    return sum(
        _IN_TITLE * (word in title)
        + _IN_HEADING * (word in headings)
        + _IN_TEXT * min(text.count(word), _IN_HEADING - 1)
        for word in words
    )


def _hit(page: Page, words: Sequence[str]) -> Hit:
    def weight(number: int) -> int:
        section = page.sections[number]
        heading, text = folded(section.heading), folded(section.text)
        return sum(_LEAST * (word in heading) + (word in text) for word in words)

    best = max(range(len(page.sections)), key=weight)
    section = page.sections[best]
    heading = section.heading if best else ""
    return Hit(page.topic, best, page.title, heading, snippet(section.text, words))


_BEFORE, _LENGTH = 16, 140


def snippet(text: str, words: Sequence[str]) -> str:
    """A part of ``text`` in one line, with the first of the folded ``words`` that occurs in it."""
    line = " ".join(text.split())
    bare = folded(line)
    places = [place for place in (bare.find(word) for word in words) if place >= 0]
    start = max(0, min(places, default=0) - _BEFORE)
    if start:
        start = line.find(" ", start) + 1
    end = start + _LENGTH
    if end < len(line):
        end = line.rfind(" ", start, end)
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
