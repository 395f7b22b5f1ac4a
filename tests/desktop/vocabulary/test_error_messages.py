"""Tests of error messages and their details."""

import json
from collections.abc import Callable, Mapping
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
    Event,
    MissingRightError,
    NetworkOptionsError,
    NotReadyError,
    OptionField,
    OptionProblem,
    ProxyLoginError,
    ServerError,
    ServiceError,
    SignInError,
    SignInProblem,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
    UnreachableKind,
)
from cdb_desktop.client.request import Response
from cdb_desktop.client.responses import failure
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.vocabulary.error_messages import (
    catalogue,
    error_details,
    error_message,
    explained_error,
    fault_message,
    find_entry,
    parameter_texts,
    parse_pasted_error,
    problem_text,
    search_entries,
)

SetLanguage = Callable[[Language], None]


def test_details_have_everything_that_the_service_sent() -> None:
    """Code, status, description, uuid and the id of the request have a line each."""
    error = ServerError("server", "error.server.generic", {"n": "1"}, "It broke.", "c0ffee", 500)
    error.request_id = "r-1"
    details = error_details(error)
    assert "code: error.server.generic" in details
    assert {
        "status: 500",
        "parameter n: 1",
        "description: It broke.",
        "uuid: c0ffee",
        "request id: r-1",
    } <= set(details)
    assert error_message(error).details.splitlines() == ["Internal server error", *details]


def test_network_errors_have_details_too() -> None:
    """Users can send them to a network administrator."""
    assert error_details(UnreachableError("tls", "expired")) == ("unreachable: tls", "reason: expired")
    assert error_details(SlowAnswerError(30.0)) == ("seconds: 30",)
    assert "status: 502" in error_details(AnswerError("web_page", status=502))


def test_a_database_that_is_busy_or_switches_is_no_defect() -> None:
    """With status 503 nothing was changed, whatever the generation calls the error; its uuid is kept."""
    for code in ("error.server.database", "ServerGeneric"):
        message = error_message(ServerError("server", code, {}, "Away.", "c0ffee", 503))
        assert message.title == "Database is busy or switching"
        assert "uuid: c0ffee" in message.details


def test_no_secret_is_copied() -> None:
    """This holds wherever the secret is."""
    details = error_details(ValueError("https://x/?token=hush&password=hush"))
    assert "hush" not in " ".join(details)


@pytest.mark.parametrize("problem", [*get_args(AddressProblem), *get_args(AnswerProblem)])
def test_every_problem_has_a_message_in_both_languages(problem: AddressProblem | AnswerProblem) -> None:
    """A sentence is in one language."""
    english, german = problem_text(problem, "X", "en"), problem_text(problem, "X", "de")
    assert english
    assert german
    assert english != german
    assert ("X" in english) == ("X" in german)


def test_a_value_is_part_of_the_message() -> None:
    """It is the media type, the target of a redirect, or a number."""
    assert problem_text("not_file", "text/html", "de") == "text/html statt einer Datei"
    assert problem_text("redirect", "https://x/", "en") == "redirected to https://x/, which is not followed"


CODES = sorted(catalogue())


OPTIONS: dict[OptionField, tuple[OptionProblem, ...]] = {
    "proxy": ("address",),
    "certificate": ("missing", "unreadable", "not_pem", "pkcs12", "unusable"),
    "key": ("missing", "unreadable", "not_pem", "no_key", "mismatch"),
    "passphrase": ("missing", "wrong"),
    "authority": ("missing", "unreadable", "not_pem", "no_authority"),
}
OF_NETWORK = (
    *(UnreachableError(kind, "certificate expired") for kind in get_args(UnreachableKind)),
    TooLargeError(64 * 2**20),
    *(CertificateError(problem, "why", "db.example") for problem in get_args(CertificateProblem)),
    *(ClientCertificateError("why", is_refused=is_refused) for is_refused in (False, True)),
    *(ProxyLoginError("http://proxy.example", is_refused=is_refused) for is_refused in (False, True)),
    ProxyLoginError("http://proxy.example", is_refused=False, methods=("ntlm", "negotiate")),
    *(NetworkOptionsError(one, why, "/a/b.pem") for one, problems in OPTIONS.items() for why in problems),
    *(NotReadyError(state) for state in ("startup", "busy", "purge")),
    ServerError("server", "error.server.database", {}, "It does not answer.", "c0ffee", 503),
    *(SignInError(problem, value="8400") for problem in get_args(SignInProblem)),
)


@pytest.mark.parametrize("language", get_args(Language))
def test_every_network_error_has_a_message(language: Language, set_language: SetLanguage) -> None:
    """It states what happened, what it means and what to do; a file is named without its folder."""
    set_language(language)
    for error in OF_NETWORK:
        message = error_message(error)
        assert all((message.title, message.text, message.remedy, message.details)), error
        assert "{" not in message.title + message.text + message.remedy
        assert "/a/" not in message.text
        if isinstance(error, NetworkOptionsError) and error.file and error.option != "proxy":
            assert "b.pem" in message.text
        if isinstance(error, ProxyLoginError) and not error.is_possible:
            assert "NTLM, Negotiate" in message.text


@pytest.mark.parametrize("language", get_args(Language))
def test_every_code_of_the_catalogue_has_a_message(language: Language, set_language: SetLanguage) -> None:
    """This holds for every code of the contract (§7)."""
    set_language(language)
    messages = [error_message(ServiceError("user", code)) for code in CODES]
    assert [message.code for message in messages] == CODES
    assert all(
        message.title and message.text and message.remedy and "{" not in message.text for message in messages
    )


def test_parameters_are_inserted() -> None:
    """The missing right has the service's name."""
    error = MissingRightError("user", "error.user.no_system_right", {"right": "system.api.event.get"})
    assert "system.api.event.get" in error_message(error).text


def test_an_unknown_code_is_shown_as_it_is(set_language: SetLanguage) -> None:
    """A newer service may send codes that this program does not know."""
    set_language("de")
    message = error_message(ServiceError("user", "error.user.brand_new", {}, "Brand new."))
    assert (message.title, message.code) == ("error.user.brand_new", "error.user.brand_new")
    assert "Brand new." in message.text


def test_the_description_of_a_generic_error_is_shown(set_language: SetLanguage) -> None:
    """It is the only reason that is given."""
    error = ServiceError("api", "error.api.generic", {}, "This server is not called so.")
    assert error_message(error).text.endswith("“This server is not called so.”")
    assert "“" not in error_message(ServiceError("api", "error.api.generic")).text
    set_language("de")
    assert error_message(error).text.endswith("„This server is not called so.“")


def test_an_answer_without_a_code_is_named_by_its_status() -> None:
    """Some proxies send only a status."""
    assert error_message(ServiceError("", "", status=418)).title == "HTTP 418"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SlowAnswerError(30.0), "within 30 s"),
        (TooLargeError(64 * 2**20), "64 MB"),
        (AnswerError("web_page_for_json", status=200), "a web page instead of JSON"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    ],
)
def test_messages_contain_the_reason(error: Exception, expected: str) -> None:
    """The known cause is part of the sentence, also for defects of the program."""
    assert expected in error_message(error).text


def test_a_reason_that_is_a_sentence_has_one_full_stop() -> None:
    """The message adds one to other reasons."""
    message = error_message(RuntimeError("The widget is already deleted."))
    assert message.text.endswith("RuntimeError: The widget is already deleted.")


@pytest.mark.parametrize("status", [401, 403, 407, 413, 429, 500, 502, 503, 504])
def test_plain_http_errors_have_messages(status: int) -> None:
    """The message explains a status without an error object, and is not that of unknown codes or answers."""
    page = Response(status, {"content-type": "text/html"}, b"<html>by the gateway</html>")
    message = error_message(failure(page))
    assert f"HTTP {status}" in message.title
    others = {fault_message(name).text for name in ("service", "answer")}
    assert message.text not in others
    assert message.remedy
    assert f"status {status}" in message.details or f"HTTP {status}" in message.details


def test_another_status_of_a_gateway_is_shown_with_its_number() -> None:
    """There is no specific text for it."""
    message = error_message(failure(Response(521)))
    assert "HTTP 521" in message.text


def test_reasons_for_an_address_are_translated(set_language: SetLanguage) -> None:
    """The client provides only their names."""
    set_language("de")
    error = UnreachableError("address", address_problem="port")
    assert "der Port muss eine Zahl von 1 bis 65535 sein" in error_message(error).text


FORBIDDEN = {"realm": "User", "code": "error.user.event_not_found", "statuscode": 404, "uuid": "u-1"}


def event(info: object) -> Event:
    """An event with this info."""
    return Event(id=1, type="API_CALL", info=msgspec.Raw(msgspec.json.encode(info)))


@pytest.mark.parametrize(
    "info",
    [
        FORBIDDEN,
        {"response": {"status": 404, "error": FORBIDDEN}},
        {"steps": [{"done": True}, {"error": FORBIDDEN}]},
        {"response": json.dumps(FORBIDDEN)},
        {"message": "call failed: error.user.event_not_found (404)"},
    ],
)
def test_an_error_is_found_wherever_it_is(info: object) -> None:
    """As an object, as JSON in a text, or as a code in a sentence."""
    found = explained_error(event(info))
    assert found is not None
    assert found.code == "error.user.event_not_found"
    assert found.title
    assert found.remedy


def test_events_without_a_known_code_have_no_error() -> None:
    """Their summary says why something has failed."""
    codes = ({"code": "ABC"}, {"error": "denied"}, {"message": "error.unheard.of"})
    nothing: list[object] = [{}, [], None, "error", *codes]
    for info in nothing:
        assert explained_error(event(info)) is None
    assert explained_error(Event(id=1, type="API_CALL")) is None


def test_unusual_info_is_read_as_far_as_possible() -> None:
    """Deep, long and broken info neither fails nor takes long."""
    deep = b'{"a":' * 3000 + b"1" + b"}" * 3000
    long = json.dumps([{"a": [1] * 400}] * 400).encode()
    for info in (deep, long, b"{broken", b'{"code": 7}', b'"' + b"{" * 30_000 + b'error}"'):
        assert explained_error(Event(id=1, type="API_CALL", info=msgspec.Raw(info))) is None


@pytest.mark.parametrize(
    ("spelled", "code"),
    [
        ("error.user.event_not_found", "error.user.event_not_found"),
        (" user.event_not_found ", "error.user.event_not_found"),
        ("error.server.elasticsearch", "error.server.searchengine"),
        ("systemrightrequired", "SystemRightRequired"),
        ("invalid_grant", "invalid_grant"),
    ],
)
def test_a_code_is_found_in_every_spelling(spelled: str, code: str) -> None:
    """The prefix is optional, and the spelling may be that of another service (wire §8)."""
    entry = find_entry(spelled)
    assert entry is not None
    assert entry.code == code


def test_unknown_codes_have_no_entry() -> None:
    """A newer service has more codes than this program."""
    assert find_entry("error.user.brand_new") is None


def test_a_search_uses_the_language_of_the_window(set_language: Callable[[Language], None]) -> None:
    """Titles precede explanations, and all words are in one entry."""
    assert search_entries("system right")[0].code == "error.user.no_system_right"
    assert search_entries("systemrecht") == ()
    set_language("de")
    assert search_entries("systemrecht")[0].code == "error.user.no_system_right"


def test_a_part_of_a_code_is_found_first(set_language: Callable[[Language], None]) -> None:
    """A search for a code lists it before texts that contain the word."""
    set_language("de")
    found = [entry.code for entry in search_entries("version_mismatch")]
    assert found == ["error.user.version_mismatch"]


def test_an_empty_search_finds_everything() -> None:
    """The page starts with the whole catalogue in the contract's order."""
    assert [entry.code for entry in search_entries("  ")] == list(catalogue())


RIGHT = {"realm": "user", "code": "error.user.no_system_right", "parameters": {"right": "system.root"}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RIGHT),
        f"403 Forbidden\n{json.dumps(RIGHT, indent=2)}\n",
        json.dumps({"statuscode": 403, "error": RIGHT}),
        json.dumps({"error": RIGHT["code"], "parameters": RIGHT["parameters"]}),
    ],
)
def test_error_objects_are_parsed_in_every_form(text: str) -> None:
    """They are bare, surrounded by text, or nested (§2.3, wire §4)."""
    error = parse_pasted_error(text)
    assert error is not None
    assert (error.realm, error.code) == ("user", RIGHT["code"])
    assert error.parameters == {"right": "system.root"}


@pytest.mark.parametrize(
    ("sent", "parameters", "description"),
    [
        (
            {
                "code": "SystemRightRequired",
                "error": "Needs a right.\n\nPackage: acl\nCode: SystemRightRequired",
                "parameters": {"rights": ["system.root", "system.event"], "uuid": "u-1"},
                "realm": "api",
                "statuscode": 403,
            },
            {"rights": '["system.root","system.event"]'},
            "Needs a right.",
        ),
        ({"error": "invalid_grant", "error_description": "Unknown."}, {}, "Unknown."),
        ({"code": "BrandNew", "error": "New.", "realm": "api", "statuscode": 400}, {}, "New."),
    ],
)
def test_errors_without_a_realm_in_their_code(
    sent: Mapping[str, object], parameters: Mapping[str, str], description: str
) -> None:
    """Known or not, they are recognized with all that they say but where they come from in the program."""
    error = parse_pasted_error(json.dumps(sent))
    assert error is not None
    assert error.code == sent.get("code", sent["error"])
    assert (error.parameters, error.description) == (parameters, description)
    assert error.uuid == ("u-1" if parameters else "")


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ('["system.root","system.event"]', "system.root, system.event"),
        ('{"work":12,"place":3}', "work: 12, place: 3"),
        ('[{"a":[1]}]', '[{"a":[1]}]'),
        ("plain [text]", "plain [text]"),
        ("7", "7"),
    ],
)
def test_lists_in_parameters_are_shown_without_marks(sent: str, shown: str) -> None:
    """Rights are named, and tables with their numbers; anything else stays as it is."""
    error = MissingRightError("api", "SystemRightRequired", {"rights": sent})
    assert parameter_texts(error) == {"rights": shown}
    assert error_message(error).text.endswith(f": {shown}.")


def test_a_search_finds_codes_of_one_origin() -> None:
    """Such as those of signing in."""
    found = {entry.code for entry in search_entries("oauth")}
    assert "invalid_grant" in found
    assert not any(code.startswith("error.") for code in found)


def test_an_unknown_code_is_an_error_too() -> None:
    """It is shown unchanged."""
    error = parse_pasted_error('{"realm": "user", "code": "error.user.brand_new", "parameters": {"n": 3}}')
    assert error is not None
    assert error.parameters == {"n": "3"}


@pytest.mark.parametrize(
    "text", ["", "right", "{", '{"code": 3}', '{"count": 3}', "[1]", '{"a": ' * 100_000 + "}" * 9]
)
def test_other_texts_are_not_errors(text: str) -> None:
    """They are search terms."""
    assert parse_pasted_error(text) is None


def test_secrets_are_masked() -> None:
    """A pasted error may contain secrets that a service should not have sent."""
    text = {"code": "error.server.generic", "description": "GET /x?token=hush"}
    error = parse_pasted_error(json.dumps(text))
    assert error is not None
    assert "hush" not in error.description
