"""Every sentence of the schema package has a German text with the same placeholders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import msgspec
import pytest

from cdb_desktop.foundation.i18n import tr, use_language
from cdb_desktop.foundation.resources import resource
from cdb_desktop.schema.document.json_values import shown_value
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import RequireColumns
from tests.architecture.sources import python_files, tree

_SENTENCE = re.compile(r"[A-Z{].*\w[ .,:}]")
_PLACEHOLDER = re.compile(r"\{(\w+)[:}]")


def _literals() -> Iterator[str]:
    """The sentences in the sources, without docstrings and parts of f-strings."""
    for path in python_files("cdb_desktop/schema"):
        nodes = list(ast.walk(tree(path)))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if not isinstance(node, ast.Constant) or id(node) in docstrings | parts:
                continue
            if isinstance(node.value, str) and _SENTENCE.match(node.value):
                yield node.value


def _german() -> dict[str, str]:
    return msgspec.json.decode(
        resource("translations/de").joinpath("schema.json").read_bytes(), type=dict[str, str]
    )


def test_every_sentence_has_german() -> None:
    """No English in the middle of a German window."""
    assert sorted(set(_literals()) - _german().keys()) == []


def test_german_keeps_the_placeholders() -> None:
    """What is filled in stays; a form for one need not name the number."""
    wrong = {
        english
        for english, german in _german().items()
        if set(_PLACEHOLDER.findall(english)) != set(_PLACEHOLDER.findall(german))
    }
    assert wrong == set()


@pytest.mark.parametrize(("count", "text"), [(1, "1 table added"), (2, "2 tables added")])
def test_counts_have_a_form_for_one(count: int, text: str) -> None:
    """The form follows the number."""
    assert tr("{count:{count} table|{count} tables} added", count=count) == text


def test_a_single_column_is_named_as_one() -> None:
    """The title of an edit in both languages."""
    title = RequireColumns(1, (2,), on=True).title(Document({}, ()))
    assert str(title) == "Make a column of ? required"
    use_language("de", lambda value, decimals: f"{value:.{decimals}f}")
    try:
        assert str(title) == "Eine Spalte von ? zum Pflichtfeld machen"
    finally:
        use_language("en", lambda value, decimals: f"{value:,.{decimals}f}")


def test_values_are_shown_as_they_are_written() -> None:
    """Texts stand without quotes, everything else as JSON."""
    assert [shown_value(value) for value in ("a", True, None, 1.5, [1])] == [
        "a",
        "true",
        "null",
        "1.5",
        "[1]",
    ]
