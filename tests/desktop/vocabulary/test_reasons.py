"""Tests that what the client says of an answer is said in German too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdb_desktop.client import AnswerError
from cdb_desktop.vocabulary.reasons import reason_in
from cdb_desktop.vocabulary.sentences import sentence

CLIENT = Path(__file__).parents[3] / "cdb_desktop" / "client"
RAISED_BY = {"answer_error": 1, "AnswerError": 0}  # which argument is the reason

WORKED_OUT = (
    "a web page instead of an error object",
    "a failure without an error object",
    "redirected to https://example.com/, which is not followed",
    "there is no such call",
    "the same records again, wherever the page is to begin",
)


def reasons() -> Iterator[str]:
    """All that stand in the sources of the client, with a word where a value comes in."""
    for file in CLIENT.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = RAISED_BY.get(node.func.id)
                if place is not None and len(node.args) > place:
                    yield from texts(node.args[place])


def texts(node: ast.expr) -> Iterator[str]:
    """The texts that an expression may give."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)


@pytest.mark.parametrize("reason", sorted({*reasons(), *WORKED_OUT}))
def test_every_reason_has_german_words(reason: str) -> None:
    """A sentence that begins in one language ends in it."""
    assert reason_in("de", reason) != reason
    assert reason_in("en", reason) == reason


def test_values_stand_in_the_german_words() -> None:
    """What nobody has put into words stays as it is."""
    assert reason_in("de", "text/html instead of a file") == "text/html statt einer Datei"
    assert reason_in("de", "brand new") == "brand new"


def test_no_english_is_left_in_the_sentence() -> None:
    """A portal stands before the service."""
    said = sentence(AnswerError("a web page instead of JSON", status=200), "de")
    assert "eine Webseite statt JSON." in said.text
