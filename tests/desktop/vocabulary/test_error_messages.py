"""Messages for errors, and their details."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import msgspec
import pytest

from cdb_desktop.client import (
    AddressProblem,
    AnswerError,
    AnswerProblem,
    CertificateError,
    CertificateProblem,
    ClientCertificateError,
    ClientError,
    MissingRightError,
    NetworkOptionsError,
    OptionField,
    OptionProblem,
    ProxyLoginError,
    ServerError,
    ServiceError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
    UnreachableKind,
)
from cdb_desktop.client.error_responses import failure
from cdb_desktop.client.request import Response
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.foundation.resources import resource
from cdb_desktop.vocabulary.error_messages import error_details, error_message, fault_message, problem_text

Speak = Callable[[Language], None]


def test_everything_that_the_service_told_is_there() -> None:
    """Code, status, description and uuid, a line each."""
    error = ServerError("server", "error.server.generic", {"n": "1"}, "It broke.", "c0ffee", 500)
    told = error_details(error)
    assert "code: error.server.generic" in told
    assert {"status: 500", "parameter n: 1", "description: It broke.", "uuid: c0ffee"} <= set(told)
    assert error_message(error).details.splitlines() == ["Internal server error", *told]


def test_faults_on_the_way_have_details_too() -> None:
    """So that they can be passed on to whoever keeps the network."""
    assert error_details(UnreachableError("tls", "expired")) == ("unreachable: tls", "reason: expired")
    assert error_details(SlowAnswerError(30.0)) == ("seconds: 30",)
    assert "status: 502" in error_details(AnswerError("web_page", status=502))


def test_no_secret_is_copied() -> None:
    """Whatever it hides in."""
    told = error_details(ValueError("https://x/?token=hush&password=hush"))
    assert "hush" not in " ".join(told)


@pytest.mark.parametrize("problem", [*get_args(AddressProblem), *get_args(AnswerProblem)])
def test_every_problem_has_words_in_both_languages(problem: AddressProblem | AnswerProblem) -> None:
    """A sentence that begins in one language ends in it."""
    english, german = problem_text(problem, "X", "en"), problem_text(problem, "X", "de")
    assert english
    assert german
    assert english != german
    assert ("X" in english) == ("X" in german)


def test_a_value_is_part_of_the_words() -> None:
    """The media type, the target of a redirection, or a number."""
    assert problem_text("not_file", "text/html", "de") == "text/html statt einer Datei"
    assert problem_text("redirect", "https://x/", "en") == "redirected to https://x/, which is not followed"


def test_no_english_is_left_in_the_sentence(speak: Speak) -> None:
    """A portal stands before the service."""
    speak("de")
    said = error_message(AnswerError("web_page_for_json", status=200))
    assert "eine Webseite statt JSON." in said.text


CODES = sorted(msgspec.json.decode(resource("errors.json").read_bytes())["errors"])


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("kind", get_args(UnreachableKind))
def test_every_way_of_not_reaching_a_service_has_words(
    kind: UnreachableKind, language: Language, speak: Speak
) -> None:
    """What happened, what it means and what to do, in both languages."""
    speak(language)
    said = error_message(UnreachableError(kind, "certificate expired"))
    assert all((said.title, said.text, said.remedy))
    assert "{" not in said.title + said.text + said.remedy


OPTIONS: dict[OptionField, tuple[OptionProblem, ...]] = {
    "proxy": ("address",),
    "certificate": ("missing", "unreadable", "not_pem", "pkcs12", "unusable"),
    "key": ("missing", "unreadable", "not_pem", "no_key", "mismatch"),
    "passphrase": ("missing", "wrong"),
    "authority": ("missing", "unreadable", "not_pem", "no_authority"),
}
OF_NETWORK = (
    *(CertificateError(problem, "why", "db.example") for problem in get_args(CertificateProblem)),
    *(ClientCertificateError("why", is_refused=is_refused) for is_refused in (False, True)),
    *(ProxyLoginError("http://proxy.example", is_refused=is_refused) for is_refused in (False, True)),
    ProxyLoginError("http://proxy.example", is_refused=False, methods=("ntlm", "negotiate")),
    *(NetworkOptionsError(one, why, "/a/b.pem") for one, problems in OPTIONS.items() for why in problems),
)


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("error", OF_NETWORK, ids=str)
def test_everything_about_the_way_has_words(error: ClientError, language: Language, speak: Speak) -> None:
    """What happened, what it means and what to do; a file is named without its folder."""
    speak(language)
    said = error_message(error)
    assert all((said.title, said.text, said.remedy, said.details))
    assert "{" not in said.title + said.text + said.remedy
    assert "/a/" not in said.text
    if isinstance(error, NetworkOptionsError) and error.file and error.option != "proxy":
        assert "b.pem" in said.text
    if isinstance(error, ProxyLoginError) and not error.is_possible:
        assert "NTLM, Negotiate" in said.text


@pytest.mark.parametrize("language", get_args(Language))
def test_every_code_of_the_catalogue_has_words(language: Language, speak: Speak) -> None:
    """No code of the contract falls through (§7)."""
    speak(language)
    told = [error_message(ServiceError("user", code)) for code in CODES]
    assert [said.code for said in told] == CODES
    assert all(said.title and said.text and said.remedy and "{" not in said.text for said in told)


def test_parameters_stand_in_their_places() -> None:
    """The missing right is named as the service named it."""
    error = MissingRightError("user", "error.user.no_system_right", {"right": "system.api.event.get"})
    assert "system.api.event.get" in error_message(error).text


def test_an_unknown_code_is_shown_as_it_is(speak: Speak) -> None:
    """A newer service may say what this program has never heard."""
    speak("de")
    said = error_message(ServiceError("user", "error.user.brand_new", {}, "Brand new."))
    assert (said.title, said.code) == ("error.user.brand_new", "error.user.brand_new")
    assert "Brand new." in said.text


def test_the_description_of_a_generic_error_is_shown(speak: Speak) -> None:
    """Nothing else names its reason."""
    error = ServiceError("api", "error.api.generic", {}, "This server is not called so.")
    assert error_message(error).text.endswith("“This server is not called so.”")
    assert "“" not in error_message(ServiceError("api", "error.api.generic")).text
    speak("de")
    assert error_message(error).text.endswith("„This server is not called so.“")


def test_an_answer_without_a_code_is_named_by_its_status() -> None:
    """Some proxies answer with nothing but a status."""
    assert error_message(ServiceError("", "", status=418)).title == "HTTP 418"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SlowAnswerError(30.0), "within 30 s"),
        (AnswerError("web_page_for_json", status=200), "a web page instead of JSON"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    ],
)
def test_faults_give_their_reason(error: Exception, expected: str) -> None:
    """What is known about the cause is part of the sentence, of mistakes of the program too."""
    assert expected in error_message(error).text


def test_a_reason_that_is_a_sentence_has_its_dot_once() -> None:
    """The catalogue puts one behind whatever a mistake of the program says."""
    said = error_message(RuntimeError("The widget is already deleted."))
    assert said.text.endswith("RuntimeError: The widget is already deleted.")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("status", [401, 403, 407, 413, 429, 500, 502, 503, 504])
def test_plain_http_has_words_of_its_own(status: int, language: Language) -> None:
    """A status without an error object says what it means, and never "code unknown" or "not an answer"."""
    page = Response(status, {"content-type": "text/html"}, b"<html>by the gateway</html>")
    said = error_message(failure(page))
    assert f"HTTP {status}" in said.title
    others = {fault_message(name).text for name in ("service", "answer")}
    assert said.text not in others
    assert said.remedy
    assert f"status {status}" in said.details or f"HTTP {status}" in said.details


def test_another_status_of_a_gateway_is_told_with_its_number() -> None:
    """Those that nobody has words for."""
    said = error_message(failure(Response(521)))
    assert "HTTP 521" in said.text


@pytest.mark.parametrize("language", ["en", "de"])
def test_an_answer_that_is_too_large_is_told_with_the_limit(language: Language, speak: Speak) -> None:
    """And with what to do."""
    speak(language)
    said = error_message(TooLargeError(64 * 2**20))
    assert "64 MB" in said.text
    assert said.remedy


def test_reasons_for_an_address_are_translated(speak: Speak) -> None:
    """The client gives only their names."""
    speak("de")
    error = UnreachableError("address", address_problem="port")
    assert "der Port muss eine Zahl von 1 bis 65535 sein" in error_message(error).text
