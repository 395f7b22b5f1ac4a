"""Tests that the texts of the manual are true: what they name exists, and what exists has a topic."""

import argparse
import ast
import json
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from cdb_desktop.app import options
from cdb_desktop.client import Client, Event
from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import Language, german_texts
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryMatcher
from cdb_desktop.queries.typed_query import with_terms
from cdb_desktop.ui.actions import action_specs
from cdb_desktop.ui.shell.manual.markup import MarkerNames
from cdb_desktop.ui.shell.settings import view as settings_view
from cdb_desktop.vocabulary.manual import MARKER, SHOW, contents, topic_of, topic_text
from cdb_desktop.vocabulary.query_text import parse_query
from server_stub.__main__ import _parser as server_parser
from tests.architecture.sources import nodes, python_files
from tests.server import serving

LANGUAGES: tuple[Language, ...] = ("en", "de")
TOPICS = [topic.name for topic in contents().topics]
_TARGET = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#+) ", re.MULTILINE)
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_OWN_WORDS = Path(__file__).with_name("words.txt")
_DICTIONARIES = {"en": "en_US", "de": "de_DE"}
_FEWEST, _MOST = 150, 600


@cache
def texts(language: Language) -> dict[str, str]:
    """All topics."""
    return {name: topic_text(name, language) for name in TOPICS}


def markers(language: Language, *kinds: str) -> Iterator[tuple[str, str, str]]:
    """The topic, kind and value of each marker."""
    for name, text in texts(language).items():
        for found in MARKER.finditer(text):
            if not kinds or found[1] in kinds:
                yield name, found[1], found[2]


def values(*kinds: str) -> list[str]:
    """The different values of markers in both languages."""
    return sorted({value for language in LANGUAGES for _, _, value in markers(language, *kinds)})


def prose(text: str) -> str:
    """A text without code, markers, and targets of links."""
    text = MARKER.sub(" ", BLOCK.sub(" ", text))
    return _TARGET.sub(lambda found: found[0].rpartition("](")[0], _CODE.sub(" ", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_markers_name_what_exists(language: Language) -> None:
    """Actions, keys, menus and errors; texts are those of the code, to the letter."""
    names = MarkerNames()
    wrong = []
    for topic, kind, value in markers(language):
        try:
            shown = names.text(kind, value)
        except KeyError:
            shown = ""
        # `test_translations` compares the translated texts with those in the code.
        if not shown or (kind == "text" and value not in german_texts()):
            wrong.append(f"{topic}: {kind}:{value}")
    assert not wrong
    unread = re.compile(r"\{(?:action|menu|key|text|error|query|example)\b")
    assert not [name for name, text in texts(language).items() if unread.search(MARKER.sub("", text))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_lead_somewhere(language: Language) -> None:
    """Topics, pictures, and actions that are shown on the demo."""
    actions = {spec.name for spec in action_specs()}
    wrong = []
    for name, text in texts(language).items():
        for is_picture, target in _TARGET.findall(MARKER.sub("", text)):
            if is_picture:
                is_right = re.fullmatch(r"pictures/[a-z-]+\.png", target) is not None
            elif target.startswith(SHOW):
                is_right = target.removeprefix(SHOW) in actions
            else:
                is_right = target in TOPICS and target != name
            if not is_right:
                wrong.append(f"{name}: {target}")
    assert not wrong


@pytest.mark.parametrize("topic", TOPICS)
def test_both_languages_say_the_same(topic: str) -> None:
    """As far as headings, markers, links, pictures and commands show it; no page is short or long."""
    english, german = (_structure(texts(language)[topic]) for language in LANGUAGES)
    assert english == german
    for language in LANGUAGES:
        words = len(prose(texts(language)[topic]).split())
        assert _FEWEST <= words + len(list(MARKER.finditer(texts(language)[topic]))) <= _MOST, language


def _structure(text: str) -> tuple[list[str], Any, Any, list[str]]:
    targets = Counter(_TARGET.findall(MARKER.sub("", text)))
    return _HEADING.findall(BLOCK.sub("", text)), Counter(MARKER.findall(text)), targets, _own_options(text)


_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)*")
# Numbers of steps, and those that are part of a name.
_UNCOUNTED = re.compile(r"^ *\d+\. |\b(?:easydb|[Gg]eneration(?:en)?) \d", re.MULTILINE)


def test_numbers_are_those_of_the_program() -> None:
    """Limits and defaults; each number of a topic is in numbers.toml, with a reason if it is not compared."""
    listed = tomllib.loads(_NUMBERS.read_text(encoding="utf-8"))
    for language in LANGUAGES:
        found = {name: sorted(_numbers(text)) for name, text in texts(language).items()}
        assert {name: numbers for name, numbers in found.items() if numbers} == {
            name: sorted(numbers) for name, numbers in listed.items()
        }, language
    wrong = {
        f"{name}: {number} is {value}"
        for name, numbers in listed.items()
        for number, origins in numbers.items()
        for origin in ([origins] if isinstance(origins, str) else origins)
        if (parts := _ORIGIN.fullmatch(origin))
        and (value := eval(parts[2], vars(import_module(parts[1])))) != float(number)  # noqa: S307
    }
    assert not wrong


_NUMBERS = Path(__file__).with_name("numbers.toml")
_ORIGIN = re.compile(r"((?:cdb_desktop|server_stub|tests)\.[\w.]+):(.+)")


def _numbers(text: str) -> set[str]:
    """The numbers in a text, without separators of thousands and with a decimal point in either language."""
    found = _NUMBER.findall(_UNCOUNTED.sub(" ", prose(text)))
    return {re.sub(r"[.,](\d{3})", r"\1", number).replace(",", ".") for number in found}


def _own_options(text: str) -> list[str]:
    return sorted(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def test_each_topic_is_a_file_and_each_file_a_topic() -> None:
    assert len(set(TOPICS)) == len(TOPICS)
    for language in LANGUAGES:
        assert {path.stem for path in resource(f"manual/{language}").glob("*.md")} == set(TOPICS)


def test_every_action_has_a_topic() -> None:
    named = set(values("action", "menu", "key"))
    assert not sorted({spec.name for spec in action_specs()} - named)


def test_every_setting_has_a_topic() -> None:
    texts_of_pages = {value for _, _, value in markers("en", "text")}
    titles = {title for title, _ in settings_view.general_titles().values()}
    titles |= set(settings_view.live_titles().values())
    assert not sorted(titles - texts_of_pages)


def test_every_dialog_has_a_topic() -> None:
    """Also dialogs that have no widget with an explanation of its own."""
    paths = [path for path in python_files("cdb_desktop/ui") if _DIALOG.search(path.read_text("utf-8"))]
    dialogs = {name for path in paths for name in _dialogs(path)}
    assert "connection.dialog" in dialogs
    assert len(dialogs) > 30
    assert not sorted(name for name in dialogs if not topic_of([name]))


_DIALOG = re.compile(r"^class \w+\((?:BaseDialog|QDialog)\b", re.MULTILINE)


def _dialogs(path: Path) -> Iterator[str]:
    """The object names of the dialogs in a file, with the values of constants."""
    constants = {
        target.id: node.value.value
        for node in nodes(path)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes(path):
        if not isinstance(node, ast.ClassDef):
            continue
        bases = {ast.unparse(base) for base in node.bases}
        if "BaseDialog" in bases:
            function, place = "super().__init__", 1
        elif "QDialog" in bases and node.name != "BaseDialog":
            function, place = "self.setObjectName", 0
        else:
            continue
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == function:
                name = call.args[place]
                if isinstance(name, ast.Constant):
                    yield str(name.value)
                elif isinstance(name, ast.Name) and name.id in constants:
                    yield str(constants[name.id])


def test_every_cause_of_a_fault_has_a_topic() -> None:
    causes = json.loads(resource("faults.json").read_bytes())
    assert not sorted(cause for cause in causes if not topic_of([f"fault:{cause}"]))


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _parsers(each)


def _all_parsers() -> list[argparse.ArgumentParser]:
    return [*options.parsers(), *_parsers(server_parser())]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_and_option_has_a_topic(language: Language) -> None:
    everything = "\n".join(texts(language).values())
    named = set(_own_options(everything))
    expected = {
        option
        for parser in _all_parsers()
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    }
    assert not sorted(expected - named), "options without a topic"
    commands = {parser.prog for parser in _all_parsers()}
    assert not sorted(command for command in commands if command not in everything)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with the data of the demo."""
    file = tmp_path_factory.mktemp("manual") / "cdb.sqlite"
    with serving(file, "--demo", "--demo-events", "4000") as address:
        yield address


async def test_queries_find_events(demo: str) -> None:
    """Each query of the texts, on the demo; examples are valid."""
    events: list[Event] = []
    async with Client(demo, timeout=30.0) as client:
        await client.authenticate("root", "admin")
        while page := (await client.list_events(offset=len(events), full=True)).events:
            events.extend(page)
    known, now = KnownValues(), datetime.now(UTC)
    known.add(events)

    def query(text: str) -> Query:
        return with_terms(Query(), parse_query(text, now, known.object_types), known)

    def finds(text: str) -> bool:
        asked = query(text)
        assert asked != Query()
        first, last = asked.span.bounds(now)
        matches = QueryMatcher(asked).matches
        times = ((event, event.timestamp or now) for event in events)
        return any(
            matches(event)
            for event, time in times
            if (first is None or time >= first) and (last is None or time < last)
        )

    assert len(events) > 1_900
    assert not [text for text in values("query") if not finds(text)]
    for text in values("example"):
        assert query(text) != Query()


@pytest.mark.skipif(shutil.which("hunspell") is None, reason="hunspell is not installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_spelling(language: Language) -> None:
    """No word is unknown to hunspell and missing in words.txt."""
    dictionary = _DICTIONARIES[language]
    command = ("hunspell", "-i", "utf-8", "-d", dictionary)
    if subprocess.run((*command, "-l"), input="", capture_output=True, text=True, check=False).returncode:
        pytest.skip(f"hunspell has no {dictionary}")
    own = set(_OWN_WORDS.read_text(encoding="utf-8").split())
    words = {
        word for text in texts(language).values() for word in _WORD.findall(prose(text).replace("’", "'"))
    }
    found = subprocess.run(
        (*command, "-l"), input="\n".join(sorted(words)), capture_output=True, encoding="utf-8", check=True
    ).stdout.split()
    assert not sorted(set(found) - own)


def test_no_listed_word_is_unused() -> None:
    own = _OWN_WORDS.read_text(encoding="utf-8").split()
    assert own == sorted(set(own), key=lambda word: (word.casefold(), word))
    used = {
        word
        for language in LANGUAGES
        for text in texts(language).values()
        for word in _WORD.findall(prose(text))
    }
    assert not set(own) - used
