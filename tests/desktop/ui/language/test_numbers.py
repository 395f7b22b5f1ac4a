"""Tests of numbers in texts: their separators, and that a text for one thing does not speak of several."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.language.numbers import filled, plural
from cdb_desktop.ui.language.texts import german_texts
from cdb_desktop.ui.shell.settings.language import use_locale
from tests.architecture.sources import python_files, tree
from tests.desktop.ui.language.literals import texts

_GAP = r"(?:%\d|\{count\})"
_ENGLISH = (
    r"(?:events|rows|columns|tables|cells|values|hits|records|files|lines|keys|links|entries|types|options"
    r"|changes|drafts|codes|hours|minutes|seconds|days|feeds|users|others|versions|pixels|ids)"
)
_GERMAN = (
    r"(?:Ereignisse|Ereignissen|Zeilen|Spalten|Tabellen|Zellen|Werte|Werten|Datensätze|Datensätzen|Dateien"
    r"|Verknüpfungen|Rückverknüpfungen|Einträge|Einträgen|Typen|Optionen|Änderungen|Entwürfe|Codes|Stunden"
    r"|Minuten|Sekunden|Tage|Live-Ansichten|Ansichten|Versionen|weitere)"
)
_WORDS = r"(?: [\w-]+){0,2}? "
_COUNTS = re.compile(rf"{_GAP}{_WORDS}{_ENGLISH}\b")
_COUNTS_DE = re.compile(rf"{_GAP}{_WORDS}{_GERMAN}\b")
_WRONG = {
    "en": re.compile(rf"(?<![\d.,])1{_WORDS}{_ENGLISH}\b"),
    "de": re.compile(rf"(?<![\d.,])1{_WORDS}{_GERMAN}\b"),
}
# Texts whose number is never 1: limits of the program, and widths. What follows "of 2" counts the others.
_NEVER_ONE = {
    "More than %1 rows: set filters, and delete all matching.",
    "More than %1 rows are not copied. Export them instead (Ctrl+E).",
    "More than %1 newer events · %2 to show",
    "An XLSX sheet holds %1 rows, but there are %2: set filters or use CSV.",
    "An XLSX sheet holds %1 rows, but there are more: set filters or use CSV.",
    "An XLSX sheet holds %1 columns: keep info in one column or use CSV.",
    "holds no more than %1 rows",
    "There is room for %1 feeds side by side.",
    "The newest %1 events",
    "%1: %2 pixels wide",
    # One of both is 1, or none.
    "1 row with %1 values is lost",
    "%1 rows with 1 value are lost",
    "%1 rows with %2 values are lost",
    "and %1 more",
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_numbers_follow_the_locale() -> None:
    """In thousands and decimals, in all that fills a gap."""
    use_locale("en", QLocale("en_US"))
    assert (number_text(1810), number_text(1.25, 1), filled("%1 of %2", 1810, "x")) == (
        "1,810",
        "1.3",
        "1,810 of x",
    )
    use_locale("de", QLocale("de_DE"))
    assert (number_text(1810), number_text(1.3, 1)) == ("1.810", "1,3")
    assert plural(1234, "1 row", "%1 rows") == "1.234 rows"
    assert tr("{count:{count} one|{count} other}", count=1234) == "1.234 other"


def test_a_value_that_looks_like_a_gap_stays() -> None:
    """The name of a file may hold %2."""
    assert filled("%1 in %2", "100%2", "file") == "100%2 in file"


@pytest.mark.parametrize(("count", "said"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows")])
def test_one_is_singular(count: int, said: str) -> None:
    """Only exactly one."""
    assert plural(count, "1 row", "%1 rows") == said


def test_every_text_with_a_number_has_a_form_for_one() -> None:
    """Texts that count several are asked for together with the one for 1."""
    others = {other for _one, other in _pairs()}
    counting = {text.source for text in texts() if _COUNTS.search(text.source)}
    counting |= {source for (_context, source), german in german_texts().items() if _COUNTS_DE.search(german)}
    ones = {one for one, _other in _pairs()}  # "1 of %2 values differs" counts the others in its gap
    assert len(counting) > 20
    assert sorted(counting - others - ones - _NEVER_ONE) == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_one_thing_is_not_spoken_of_as_several(language: str) -> None:
    """What is said for a count of 1, in both languages."""
    pairs = set(_pairs())
    assert len(pairs) > 20
    german: dict[str, list[str]] = {}
    for (_context, source), text in german_texts().items():
        german.setdefault(source, []).append(text)
    wrong = [
        said
        for one, _other in pairs
        for text in ([one] if language == "en" else german[one])
        # A second number is that of all of them, which may be several.
        for said in [text.replace("{count}", "1").replace("%1", "1")]
        if _WRONG[language].search(said)
    ]
    assert wrong == []


def _pairs() -> Iterator[tuple[str, str]]:
    """Both forms of each text: the arguments of ``plural`` and ``counted``, and tables of both forms."""
    for path in python_files("cdb_desktop"):
        yield from _of_module(path)


def _of_module(path: Path) -> Iterator[tuple[str, str]]:
    module = tree(path)
    for node in ast.walk(module):
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            one, other = (_literals(part, {}) for part in node.elts)
            if all(text.startswith("{count}") for text in one + other):
                yield from zip(one, other, strict=False)
        if isinstance(node, _FUNCTIONS):
            names = _assigned(node)
            for call in ast.walk(node):
                if (
                    isinstance(call, ast.Call)
                    and _called(call) in ("plural", "counted")
                    and len(call.args) > 2
                ):
                    ones, others = (_literals(part, names) for part in call.args[1:3])
                    yield from ((one, other) for one, other in zip(ones, others, strict=False))


def _assigned(function: ast.AST) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                both = list(zip(target.elts, value.elts, strict=True))
            else:
                both = [(target, value)]
            for name, text in both:
                if isinstance(name, ast.Name):
                    found.setdefault(name.id, []).extend(_literals(text, {}))
    return found


def _literals(node: ast.AST, names: dict[str, list[str]]) -> list[str]:
    """A text, a text that is translated, or those that a name stands for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.Name):
        return names.get(node.id, [])
    if isinstance(node, ast.BoolOp):
        return [text for part in node.values for text in _literals(part, names)]
    if isinstance(node, ast.Call) and _called(node) in ("tr", "translate", "_"):
        return _literals(node.args[-1], {})
    return []


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
