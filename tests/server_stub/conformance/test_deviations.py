"""Services that deviate from the interface are reported by plain sentences, and nothing foreign changes."""

import asyncio
import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import pytest
from sqlalchemy import func, select
from starlette.types import Send

from server_stub.conformance import context
from server_stub.conformance.client import ServiceClient
from server_stub.conformance.run import GROUPS, GROUPS_OF_GENERATION_6, check_service
from server_stub.conformance.table import Group, Report, Verdict
from server_stub.database.tables import event, session
from server_stub.http.routes import GENERATION_6
from server_stub.http.services import Services
from tests.contract.transports import Stage
from tests.server_stub.conformance.deviating_service import Answer, Call, Deviation, deviating

(
    SESSIONS,
    AUTHENTICATION,
    ACCESS,
    ERRORS,
    RETRIEVE,
    POLL,
    LIST,
    FILTERS,
    CSV,
    INSERT,
    DELETE,
    *_,
    READ,
    SAVE,
) = GROUPS


def checked(
    stage: Stage,
    *groups: Group,
    writes: bool = False,
    seconds: float = 10,
    client_id: str | None = None,
) -> Report:
    """The report of some groups of checks on the service at the stage."""
    with ServiceClient(stage.base_url, seconds=seconds, max_bytes=4 << 20) as client:
        return check_service(
            client,
            "root",
            "admin",
            writes=writes,
            show=lambda _: None,
            groups=groups,
            client_id=client_id,
        )


def differing(report: Report) -> dict[str, str]:
    """Title and sentence of the checks that differ."""
    return {each.title: each.sentence for each in report.results if each.verdict is Verdict.DIFFERS}


@dataclass(frozen=True)
class Case:
    """A deviation, the groups that must find it, and titles of checks that differ; `part` of a sentence."""

    deviation: Deviation
    groups: Sequence[Group]
    titles: Sequence[str]
    part: str = ""
    writes: bool = False


def on(name: str, change: Callable[[Call, Answer], None], method: str = "GET") -> Deviation:
    """A deviation of the successful answers of one call."""

    def after(call: Call, answer: Answer) -> None:
        if call.name == name and call.method == method and answer.status == 200:
            change(call, answer)

    return Deviation(after=after)


def asking(name: str, change: Callable[[Call], None], method: str = "GET") -> Deviation:
    """A deviation in how the requests of one call are read."""

    def before(call: Call) -> None:
        if call.name == name and call.method == method:
            change(call)

    return Deviation(before=before)


def _page(change: Callable[[dict], None]) -> Deviation:  # type: ignore[type-arg]
    def after(call: Call, answer: Answer) -> None:
        if call.params.get("format") != "csv":
            page = answer.json()
            change(page)
            answer.put(page)

    return on("event/list", after)


def _error_page(_: Call, answer: Answer) -> None:
    if answer.status >= 400:
        answer.body = b"<html><body><h1>Bad request</h1></body></html>"
        answer.headers[b"content-type"] = b"text/html"


def _open_to_everybody(call: Call, answer: Answer) -> None:
    if call.name == "event/list" and b"not_authenticated" in answer.body:
        answer.put({"count": 0, "limit": 1, "offset": 0, "objects": []}, 200)


def _first_objects(value: object) -> Callable[[dict], None]:  # type: ignore[type-arg]
    def change(page: dict) -> None:  # type: ignore[type-arg]
        page["objects"] = [value, *page["objects"]]

    return change


def _unasked(call: Call) -> None:
    known = {"limit", "offset", "pollable", "type", "base_type", "user_id", "group_id", "user_type", "pretty"}
    known |= {"date_from", "date_to", "sort", "format", "skip_count", "token"}
    call.query = [pair for pair in call.query if pair[0] in known or pair[0].startswith("csv_")]


def _any_version(call: Call) -> None:
    call.body = call.body.replace(b'"version":987654321', b'"version":4')


def _document_type(call: Call, answer: Answer) -> None:
    if call.params.get("format", "xml") == "xml":
        answer.body = b'<!DOCTYPE a [<!ENTITY a "aaaa">]><schema>&a;</schema>'


def _compressed(_: Call, answer: Answer) -> None:
    answer.body = gzip.compress(answer.body)
    answer.headers[b"content-encoding"] = b"gzip"


def _redirected(call: Call, answer: Answer) -> None:
    if call.name.startswith("event/list"):
        answer.status, answer.body = 302, b""
        answer.headers[b"location"] = b"http://127.0.0.1:9/stolen"


def _ignoring_filters(call: Call) -> None:
    call.drop("sort", "type", *(["user_id"] if "user_type" in call.params else []))


def _ignoring_unknown(call: Call) -> None:
    """Leaves out what is unknown, and lists whole records by default."""
    _unasked(call)
    if "format" not in call.params:
        call.put(format="json_full")


CASES: dict[str, Case] = {
    "order and filters are ignored, and users are not a union": Case(
        asking("event/list", _ignoring_filters),
        (FILTERS,),
        [
            "sort=type.ASC",
            "type selects the events of 1 of its values",
            "user_id=$user&user_type=CDB_NO is a union",
        ],
    ),
    "csv_delimiter is ignored": Case(
        asking("event/list", lambda call: call.drop("csv_delimiter")),
        (CSV,),
        ["cells are unchanged with csv_delimiter=%3B"],
    ),
    "errors are HTML pages": Case(
        Deviation(after=_error_page), (ERRORS,), ["GET nothing is 400 api.invalid_api"], "not JSON"
    ),
    "another version of the interface in headers": Case(
        Deviation(after=lambda _, answer: answer.headers.update({b"x-easydb-api-version": b"2"})),
        (ERRORS,),
        ["the version of the interface is the same in settings and headers"],
    ),
    "a list without a session": Case(
        Deviation(after=_open_to_everybody),
        (ACCESS,),
        ["GET event/list?limit=1 without a token is 400 user.not_authenticated"],
        "expected 400",
    ),
    "unknown parameters are ignored, and short records have info": Case(
        asking("event/list", _ignoring_unknown),
        (LIST,),
        ["GET event/list?limit=1&types=1 is 400 api.attribute_not_accepted", "the default is format=json"],
        "the answer is 200",
    ),
    "null in place of a record": Case(
        _page(_first_objects(None)), (LIST,), ["the default order is the newest first"], "not an object"
    ),
    "very deep JSON": Case(
        on("event/poll", lambda _, answer: setattr(answer, "body", b"[" * 200_000)),
        (POLL,),
        ["a poll answers a list of records whose ids ascend"],
    ),
    "not UTF-8": Case(
        on("event/list", lambda _, answer: setattr(answer, "body", b"\xff\xfe")),
        (CSV,),
        ["the columns"],
        "not UTF-8",
    ),
    "an oversized answer": Case(
        on("event/poll", lambda _, answer: setattr(answer, "body", b" " * (5 << 20))),
        (POLL,),
        ["the default cursor is current_max_event_id"],
        "more than 4 MB",
    ),
    "a compressed answer": Case(
        on("event/poll", _compressed),
        (POLL,),
        ["the default cursor is current_max_event_id"],
        "compressed",
    ),
    "a redirect": Case(
        Deviation(after=_redirected), (LIST,), ["the default order is the newest first"], "the answer is 302"
    ),
    "a poll answers what is old": Case(
        on(
            "event/poll",
            lambda _, answer: answer.put(
                [{"event": {"_id": 1, "type": "OBJECT_INSERT", "timestamp": "2025-01-01T00:00:00+00:00"}}]
            ),
        ),
        (POLL,),
        ["all ids are above current_max_event_id", "OBJECT_INSERT is polled by its own session only"],
    ),
    "any version is saved": Case(
        asking("schema/user/HEAD", _any_version, "POST"),
        (SAVE,),
        ["a document of another version is version_mismatch"],
        "the answer is 200",
    ),
    "XML with a document type": Case(
        on("schema/user/HEAD", _document_type),
        (READ,),
        ["HEAD is read as XML with the same tables"],
        "document type",
    ),
}


@pytest.fixture
def immediate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are compared at once: nothing is logged while these groups run."""
    monkeypatch.setattr(context, "_SECOND", 0.0)


@pytest.mark.usefixtures("immediate")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_deviation_is_reported(stage: Stage, services: Services, case: Case) -> None:
    """The checks of the part of the interface differ, with a sentence and without a traceback."""
    with deviating(stage, services, case.deviation) as service:
        report = checked(stage, *case.groups, writes=case.writes)
    found = differing(report)
    assert set(case.titles) <= found.keys(), found
    assert case.part in found[case.titles[0]]
    for sentence in found.values():
        assert sentence
        assert "Traceback" not in sentence
        assert not any(token in sentence for token in service.tokens)


def test_without_a_deviation_nothing_differs(stage: Stage, services: Services) -> None:
    """The service without a deviation agrees, so that the deviations are what is reported."""
    with deviating(stage, services, Deviation()):
        report = checked(stage, ERRORS, POLL, INSERT, writes=True)
    assert differing(report) == {}
    assert report.counts[Verdict.AGREES] > 50


def test_a_dripping_answer(stage: Stage, services: Services) -> None:
    """An answer that comes byte by byte ends after the time for a call, and the rest is not tried."""

    async def drip(send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(40):
            await send({"type": "http.response.body", "body": b" ", "more_body": True})
            await asyncio.sleep(0.05)

    def after(call: Call, answer: Answer) -> None:
        if call.name.startswith("event/poll"):
            answer.raw = drip

    with deviating(stage, services, Deviation(after=after)):
        report = checked(stage, POLL, seconds=1.0)
    found = differing(report)
    assert len(found) == 3
    assert all("within 1 s" in sentence for sentence in found.values())
    assert report.results[-1].sentence == "The service no longer answers."


def test_a_connection_that_is_closed(stage: Stage, services: Services) -> None:
    """An answer that ends in the middle is a difference."""

    async def close(send: Send) -> None:
        headers = [(b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})
        raise ConnectionAbortedError

    def after(call: Call, answer: Answer) -> None:
        if call.name == "session" and call.params.get("pretty") != "0":
            answer.raw = close

    with deviating(stage, services, Deviation(after=after)):
        report = checked(stage, SESSIONS)
    assert "cannot be read" in differing(report)["JSON is indented by default and compact with pretty=0"]


def test_a_session_that_ends(stage: Stage, services: Services) -> None:
    """If the session ends meanwhile, the remaining checks are not tried."""
    calls = count()

    def before(call: Call) -> None:
        if call.name.startswith("event/poll") and next(calls) > 3:
            call.put(token="ended")
        if call.name == "session" and next(calls) > 5:
            call.put(token="ended")

    with deviating(stage, services, Deviation(before=before)):
        report = checked(stage, POLL)
    assert report.results[-1].sentence == "The session of the checks has ended."
    assert report.counts[Verdict.DIFFERS] < 20


def _ids(services: Services) -> set[int]:
    with services.database.read() as connection:
        return set(connection.execute(select(event.c.id)).scalars())


def test_a_deletion_that_is_not_refused(stage: Stage, services: Services) -> None:
    """After a deletion that deleted something, no other one is sent."""
    before = _ids(services)
    deletions: list[str] = []

    def change(call: Call) -> None:
        if call.params.get("limit") == "many":
            call.query = [("token", call.params["token"]), ("limit", "1")]
        deletions.append(call.params.get("limit", ""))

    with deviating(stage, services, asking("event", change, "DELETE")):
        report = checked(stage, DELETE, writes=True)
    assert "DELETE event?limit=many is 400 api.invalid_value" in differing(report)
    assert deletions == ["0", "-1", "", "1"]
    assert len(before - _ids(services)) == 1
    assert any("has been carried out" in note for note in report.notes)


def test_bodies_of_deletions_that_do_not_arrive(stage: Stage, services: Services) -> None:
    """If something drops the bodies, no deletion by ids is sent: it would have no filter."""
    before = _ids(services)
    sent: list[Call] = []

    def change(call: Call) -> None:
        sent.append(call)
        call.body = b""

    with deviating(stage, services, asking("event", change, "DELETE")):
        report = checked(stage, INSERT, DELETE, writes=True)
    assert before <= _ids(services)
    assert all("type" in call.params for call in sent)
    assert any("still in the log" in note for note in report.notes)
    found = {each.title: each for each in report.results}
    assert found["a list of ids deletes exactly these events"].verdict is Verdict.NOT_TRIED


def test_ids_of_others_in_answers_to_insertions(stage: Stage, services: Services) -> None:
    """An event that the service only claims to have inserted is not deleted."""
    before = _ids(services)

    def claim(_: Call, answer: Answer) -> None:
        record = answer.json()
        record["event"]["_id"] = min(before)
        answer.put(record)

    with deviating(stage, services, on("event", claim, "POST")):
        report = checked(stage, INSERT, DELETE, writes=True)
    assert before <= _ids(services)
    assert differing(report)


def test_insertions_that_are_not_refused(stage: Stage, services: Services) -> None:
    """Events that must be refused are reported and deleted again."""

    def change(call: Call) -> None:
        if b"type" in call.body:
            call.body = b'{"type":"SEARCH"}'

    with deviating(stage, services, asking("event", change, "POST")):
        report = checked(stage, INSERT, writes=True)
    assert 'POST event {"type":"OBJECT_INSERT"} is 400 api.invalid_value' in differing(report)
    assert report.notes == ()
    with services.database.read() as connection:
        mine = select(func.count()).select_from(event).where(event.c.type == "SEARCH")
        recent = mine.where(event.c.objecttype.is_(None), event.c.info == "{}")
        assert connection.execute(recent).scalar_one() == 0


def test_documents_that_are_not_refused(stage: Stage, services: Services) -> None:
    """If the service saves a document that it must refuse, HEAD is saved as it was."""
    before = services.schemas.read("HEAD")["tables"]

    def change(call: Call) -> None:
        call.body = call.body.replace(b'"name":"ez_a"', b'"name":"harmless"')

    with deviating(stage, services, asking("schema/user/HEAD", change, "POST")):
        report = checked(stage, SAVE, writes=True)
    assert "HEAD with a table 'ez_a' is refused" in differing(report)
    assert services.schemas.read("HEAD")["tables"] == before


ODD_TEXT = "\x1b[31mred\x07 <script>alert(1)</script> \u202e"


def test_texts_of_the_service_are_harmless(stage: Stage, services: Services) -> None:
    """Control characters do not reach the sentences."""

    def after(_: Call, answer: Answer) -> None:
        if answer.status == 400:
            answer.put({"realm": "api", "code": ODD_TEXT, "description": ODD_TEXT})

    with deviating(stage, services, Deviation(after=after)):
        report = checked(stage, ERRORS)
    texts = [each.sentence for each in report.results]
    assert any("alert" in text for text in texts)
    assert all(text.isprintable() for text in texts)


def _vendor_spelling(call: Call, answer: Answer) -> None:
    """Spells what deployed services spell differently (wire §3, §8)."""
    if not answer.headers.get(b"content-type", b"").startswith(b"application/json"):
        return
    value = answer.json()
    if isinstance(value, dict) and "system_rights" in value:
        rights = value["system_rights"]
        value["system_rights"] = {n: v for n, v in rights.items() if not n.startswith("system.datamodel.")}
    if call.name.startswith("event/") and answer.status == 200:
        records = value if isinstance(value, list) else value.get("objects", [value])
        for record in records:
            if "user" in record:
                record["_user"] = record.pop("user")
    if value != answer.json():
        answer.put(value)


def test_the_spellings_of_deployed_services(stage: Stage, services: Services) -> None:
    """Other spellings of users and rights are understood; only the names of the rights differ."""
    with deviating(stage, services, Deviation(after=_vendor_spelling)):
        report = checked(stage, AUTHENTICATION, RETRIEVE, LIST, FILTERS, CSV, SESSIONS)
    # This spelling is not that of the interface; indentation is lost by the deviation itself.
    assert differing(report).keys() - {"JSON is indented by default and compact with pretty=0"} == {
        "rights on the data model have the names of the interface, and each level includes current"
    }


def test_a_token_in_a_record(stage: Stage, services: Services) -> None:
    """A service that shows tokens in its records is reported without the token."""
    tokens: set[str] = set()

    def after(call: Call, answer: Answer) -> None:
        tokens.add(call.params.get("token", ""))
        if call.name == "event/list" and answer.status == 200 and "objects" in answer.json():
            page = answer.json()
            for record in page["objects"]:
                record["event"]["info"] = {"leak": call.params["token"]}
            answer.put(page)

    with deviating(stage, services, Deviation(after=after)):
        report = checked(stage, LIST)
    found = differing(report)
    assert "short records have no info, full ones have info and pollable" in found
    assert "no record contains the token of the session" in found
    assert len(tokens) > 1
    for token in tokens - {""}:
        assert not any(token in sentence for sentence in found.values())


def test_insertions_accepted_without_write(stage: Stage, services: Services) -> None:
    """Without --write nothing is deleted, not even what a faulty service has stored."""
    sent: list[str] = []

    def before(call: Call) -> None:
        if call.name == "event":
            sent.append(call.method)
            if call.method == "POST" and call.body == b"{}":
                call.body = b'{"type":"SEARCH"}'

    with deviating(stage, services, Deviation(before=before)):
        report = checked(stage, INSERT)
    assert "POST event {} is 400 api.attribute_expected" in differing(report)
    assert "DELETE" not in sent
    assert any("still in the log" in note for note in report.notes)


def test_disabled_events(stage: Stage, services: Services) -> None:
    """Where the base configuration disables events, inserting them is not tried."""
    with services.database.write() as connection:
        services.configuration.change(connection, {"system.log.search": False})
    with deviating(stage, services, Deviation()):
        report = checked(stage, INSERT, writes=True)
    assert differing(report) == {}
    found = {each.title: each for each in report.results}
    assert "disables SEARCH" in found["SEARCH is inserted, answered, retrieved and listed"].sentence
    assert found["DETAIL_VIEW is inserted, answered, retrieved and listed"].verdict is Verdict.AGREES


def test_a_list_that_is_always_empty(stage: Stage, services: Services) -> None:
    """No order, form or union agrees because there was nothing to compare."""

    def empty(call: Call, answer: Answer) -> None:
        if call.name == "event/list":
            answer.put({"count": 0, "limit": 1, "offset": 0, "objects": []}, 200)

    with deviating(stage, services, Deviation(after=empty)):
        report = checked(stage, SESSIONS, FILTERS)
    agreeing = {each.title for each in report.results if each.verdict is Verdict.AGREES}
    assert not any(title.startswith("sort=") or "union" in title for title in agreeing)
    assert "counts of single types and of pollable events add up" in differing(report)


def test_tokens_are_revoked_although_an_event_cannot_be_deleted(stage: Stage, services: Services) -> None:
    """The report names the event that is still in the log, and nobody stays signed in."""

    def refuse(call: Call, answer: Answer) -> None:
        if call.method == "DELETE":
            answer.put({"code": "ServerGeneric"}, 500)

    signed_in = select(func.count()).where(session.c.user_id.is_not(None))
    with deviating(stage, services, Deviation(after=refuse), GENERATION_6):
        report = checked(stage, GROUPS_OF_GENERATION_6[-1], writes=True, client_id="web-client")
    notes = " ".join(report.notes)
    assert "Inserted events could not be deleted: " in notes
    assert "still in the log: " in notes
    with services.database.read() as connection:
        assert connection.execute(signed_in).scalar_one() == 0
