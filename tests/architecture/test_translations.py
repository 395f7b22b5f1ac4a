"""Tests that every text of the program has a German text, and that no German text is unused."""

import ast
import re
import runpy
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
import polib

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import german_texts
from cdb_desktop.schema.checks.validation import PROBLEM_TEXTS
from cdb_desktop.ui.actions import action_specs
from tests.architecture.sources import nodes, python_files, shown

_FUNCTIONS = {"tr", "message", "mark"}
_WORDS = r"(?: [\w-]+){0,2}? "
_PLURALS = {
    "en": r"(?:events|rows|columns|tables|cells|values|hits|records|files|lines|keys|links|entries|types"
    r"|options|changes|drafts|codes|hours|minutes|seconds|days|feeds|users|others|versions|pixels|ids)\b",
    "de": r"(?:Ereignisse|Ereignissen|Zeilen|Spalten|Tabellen|Zellen|Werte|Werten|Datensätze|Datensätzen"
    r"|Dateien|Verknüpfungen|Rückverknüpfungen|Einträge|Einträgen|Typen|Optionen|Änderungen|Entwürfe|Codes"
    r"|Stunden|Minuten|Sekunden|Tage|Live-Ansichten|Ansichten|Versionen|weitere)\b",
}
# Values that are not numbers, or limits of the program.
_NO_NUMBERS = {"column", "table", "most"}
# Texts whose number is never 1.
_NEVER_ONE = {
    "{column}: {width} pixels wide",
    "{width} × {height} pixels, {memory} MB in memory",
    "Graphviz took more than {seconds} seconds.",
    "More than {number} newer events · {key}",
    "{first} to {last}: {missing} ids not in this log",
    "Move {count} columns of {table}",
    "Align {count} tables",
    "Duplicate {count} tables",
    "Move {count} tables in the diagram",
    "Paste {count} tables",
    "Space {count} tables evenly",
    "The text has {count} rows; at most {most} columns can be pasted at once.",
    "{count} tables are too many to be pasted at once.",
    "{count} values are too many.",
    "The newest {events} events",
    "There is room for {count} feeds side by side.",
    "and {number} more",
}
_ENDING = re.compile(r"[….:!?](?=}?$)")


@dataclass(frozen=True)
class _Call:
    """A call that has a text as argument: ``texts`` is empty if it is not a literal."""

    place: str
    texts: tuple[str, ...]
    context: str
    values: frozenset[str] | None
    is_composed: bool


@cache
def _calls() -> tuple[_Call, ...]:
    of_code = (
        _call(node, f"{shown(path)}:{node.lineno}")
        for path in python_files("cdb_desktop")
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
    )
    of_actions = (
        _Call(f"action {spec.name}", (spec.menu, spec.text, *filter(None, [spec.group])), "", None, False)
        for spec in action_specs()
    )
    of_rules = (_Call(f"rule {code}", (text,), "", None, False) for code, text in PROBLEM_TEXTS.items())
    return (*of_code, *of_actions, *of_rules)


def _call(node: ast.Call, place: str) -> _Call:
    keywords = {each.arg: each.value for each in node.keywords}
    context = keywords.pop("context", None)
    is_known = None not in keywords and isinstance(node.func, ast.Name) and node.func.id != "mark"
    values = frozenset(str(name) for name in keywords) if is_known else None
    text = node.args[0]
    is_composed = isinstance(text, ast.JoinedStr | ast.BinOp)
    return _Call(place, tuple(_literals(text)), "".join(_literals(context)), values, is_composed)


def _literals(node: ast.expr | None) -> Iterator[str]:
    """The text of a literal, or those of both branches of a conditional."""
    if isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _placeholders(text: str) -> set[str]:
    found = set()
    for _, name, form, _ in string.Formatter().parse(text):
        if name is not None:
            found |= {name} | _placeholders(form or "")
    return found


def _german() -> Iterator[tuple[str, str, str]]:
    for source, found in german_texts().items():
        for context, german in {"": found}.items() if isinstance(found, str) else found.items():
            yield source, context, german


def test_every_text_has_a_translation() -> None:
    """No English sentence is shown in a German window."""
    existing = {(source, context) for source, context, german in _german() if german}
    missing = {
        f"{call.place}: {text!r} {call.context!r}"
        for call in _calls()
        for text in call.texts
        if (text, call.context) not in existing
    }
    assert not missing, "\n" + "\n".join(sorted(missing))


def test_texts_are_not_concatenated() -> None:
    """A text that is composed at run time has no translation."""
    assert [call.place for call in _calls() if call.is_composed] == []


def test_no_german_text_is_unused() -> None:
    """Unused texts are misleading."""
    used = {(text, call.context) for call in _calls() for text in call.texts}
    assert [(source, context) for source, context, _ in _german() if (source, context) not in used] == []


def test_values_fill_the_placeholders() -> None:
    """The arguments of a call are exactly the placeholders of its text."""
    wrong = [
        f"{call.place}: {text!r}"
        for call in _calls()
        if call.values is not None and call.texts
        for text in call.texts
        if not _placeholders(text) <= call.values
    ]
    assert wrong == []


def test_german_keeps_placeholders_endings_and_mnemonics() -> None:
    """The German text has the same placeholders, and a question stays one."""
    wrong = [
        (source, german)
        for source, _, german in _german()
        if _placeholders(source) != _placeholders(german)
        or _ENDING.findall(source) != _ENDING.findall(german)
        or source.count("&") != german.count("&")
    ]
    assert wrong == []


def test_every_text_with_a_number_has_a_singular() -> None:
    """“1 events” is never shown."""
    found = [
        text
        for source, _, german in _german()
        if source not in _NEVER_ONE
        for language, text in (("en", source), ("de", german))
        if _is_wrong_for_one(text, language)
    ]
    assert found == []


def _is_wrong_for_one(text: str, language: str) -> bool:
    """Whether ``text`` shows a number before a plural without a form for 1, or "1" before a plural."""
    nouns = _PLURALS[language]
    plain, ones = "", []
    for literal, name, form, _ in string.Formatter().parse(text):
        plain += literal
        if name is not None:
            one, bar, _ = (form or "").partition("|")
            plain += "#" if not bar and name not in _NO_NUMBERS else ""
            ones += [one] if bar else []
    wrong = re.compile(rf"(?<![\w.,])1{_WORDS}{nouns}")
    return bool(
        re.search(rf"#{_WORDS}{nouns}", plain)
        or wrong.search(plain)
        or any(wrong.search(re.sub(r"{\w+}", "#", one)) for one in ones)
    )


def test_each_text_is_in_one_file() -> None:
    """A text that several areas use is in ``common.json``."""
    files = sorted(resource("translations/de").glob("*.json"))
    found = Counter(
        text for file in files for text in msgspec.json.decode(file.read_bytes(), type=dict[str, object])
    )
    assert [text for text, count in found.items() if count > 1] == []


def test_german_uses_its_own_quotation_marks() -> None:
    """The marks are „ and “, never the typewriter's."""
    assert [german for _, _, german in _german() if '"' in german or "'" in german] == []


def test_translators_can_use_po_files(tmp_path: Path) -> None:
    """The exported file has all texts with their contexts, and its import writes the same files."""
    translations = runpy.run_path("packaging/translations.py")
    folder = resource("translations/de")
    po = translations["exported"](folder)
    assert {(entry.msgid, entry.msgctxt or "", entry.msgstr) for entry in po} == set(_german())
    po.save(str(tmp_path / "de.po"))
    translations["write"](polib.pofile(str(tmp_path / "de.po")), tmp_path)
    written = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.glob("*.json")}
    assert written == {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.json")}
