"""Tests of failures as sentences."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from cdb_desktop.client import (
    AnswerError,
    MissingRightError,
    ServiceError,
    SlowAnswerError,
    UnreachableError,
    UnreachableKind,
)
from cdb_desktop.resources import resource
from cdb_desktop.vocabulary.sentences import Language, sentence

CODES = sorted(msgspec.json.decode(resource("errors.json").read_bytes())["errors"])


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("kind", get_args(UnreachableKind))
def test_every_way_of_not_reaching_a_service_has_words(kind: UnreachableKind, language: Language) -> None:
    """What happened, what it means and what to do, in both languages."""
    said = sentence(UnreachableError(kind, "certificate expired"), language)
    assert all((said.title, said.text, said.remedy))
    assert "{" not in said.title + said.text + said.remedy


@pytest.mark.parametrize("language", get_args(Language))
def test_every_code_of_the_catalogue_has_words(language: Language) -> None:
    """No code of the contract falls through (§7)."""
    told = [sentence(ServiceError("user", code), language) for code in CODES]
    assert [said.code for said in told] == CODES
    assert all(said.title and said.text and said.remedy and "{" not in said.text for said in told)


def test_parameters_stand_in_their_places() -> None:
    """The missing right is named as the service named it."""
    error = MissingRightError("user", "error.user.no_system_right", {"right": "system.api.event.get"})
    assert "system.api.event.get" in sentence(error).text


def test_an_unknown_code_is_shown_as_it_is() -> None:
    """A newer service may say what this program has never heard."""
    said = sentence(ServiceError("user", "error.user.brand_new", {}, "Brand new."), "de")
    assert (said.title, said.code) == ("error.user.brand_new", "error.user.brand_new")
    assert "Brand new." in said.text


def test_an_answer_without_a_code_is_named_by_its_status() -> None:
    """Some proxies answer with nothing but a status."""
    assert sentence(ServiceError("", "", status=418)).title == "HTTP 418"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SlowAnswerError(30.0), "within 30 s"),
        (AnswerError("a web page instead of JSON", status=200), "a web page instead of JSON"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    ],
)
def test_faults_give_their_reason(error: Exception, expected: str) -> None:
    """What is known about the cause is part of the sentence, of mistakes of the program too."""
    assert expected in sentence(error).text


def test_a_reason_that_is_a_sentence_has_its_dot_once() -> None:
    """The catalogue puts one behind whatever a mistake of the program says."""
    said = sentence(RuntimeError("The widget is already deleted."))
    assert said.text.endswith("RuntimeError: The widget is already deleted.")
