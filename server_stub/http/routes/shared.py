"""What both generations have: calls that each completes with its own handlers, and parts of their answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Connection

from server_stub.accounts import User
from server_stub.accounts.sessions import NATIVE_METHOD
from server_stub.accounts.users import EVENT_DELETE, EVENT_GET, MODEL_COMMIT, MODEL_DEVELOPMENT
from server_stub.database import Reader
from server_stub.events import CsvOptions, EventDraft, EventQuery, RecordForm
from server_stub.events.query import NEWEST_FIRST
from server_stub.http.endpoint import Access, Body, Call, Endpoint, Origin, Workload, json_of
from server_stub.http.event_texts import csv_body, info_text, page_parts, sorted_by
from server_stub.http.parameters import (
    EARLIEST,
    ENTITY_TAG,
    FLAG,
    IDEMPOTENCY_KEY,
    IF_MATCH,
    LATEST,
    STRING,
    WHOLE_NUMBER,
    WORD,
    JsonSchema,
    Parameter,
    ParameterType,
    listed,
    one_of,
    ref,
)
from server_stub.http.responses import Answer, json_answer, spooled
from server_stub.schema import entity_tag, to_png, to_svg

# Sessions

SETTINGS = partial(
    Endpoint,
    "GET",
    "/settings",
    section="9",
    access=Access.PUBLIC,
    allows_unknown=True,
    answers=json_of(ref("Settings")),
    user_errors=(),
    workload=Workload.STATE,
)
# The members of a session that are the same for everybody.
OF_ANY_SESSION: Mapping[str, object] = {
    "frontend_language": "en-US",
    "authentication_methods": [{"method": NATIVE_METHOD}],
    "config": {"base": {}, "defaults": {}, "extensions": {}},
}


def user_object(who: User) -> dict[str, Any]:
    """The user of a session."""
    names = {"displayname": who.displayname, "_generated_displayname": who.displayname}
    return {"_basetype": "user", "user": {"_id": who.id, "login": who.login, "type": who.type, **names}}


def group_objects(
    call: Call, connection: Connection, who: User, shown: Callable[[str], object] = str
) -> list[dict[str, Any]]:
    """The groups of a user; `shown` is how their names to display are written."""
    return [
        {"_basetype": "group", "group": {"_id": id_, "name": name, "displayname": shown(display_name)}}
        for id_, name, display_name in call.services.users.groups_of(connection, who.id)
    ]


# Events

LIST_EVENTS = partial(
    Endpoint,
    "GET",
    "/event/list",
    section="4.3",
    right=EVENT_GET,
    answers={"application/json": ref("EventPage"), "text/csv": STRING},
    user_errors=(),
    workload=Workload.LIST,
    workload_by_format={"csv": Workload.HEAVY},
)
READ_EVENT = partial(Endpoint, "GET", section="4.1", right=EVENT_GET, workload=Workload.LIST)
INSERT_EVENT = partial(
    Endpoint,
    "POST",
    "/event",
    section="4.4",
    body=Body(json_of(ref("EventInsert"))),
    headers=IDEMPOTENCY_KEY,
    workload=Workload.WRITE,
)
DELETE_EVENTS = partial(
    Endpoint,
    "DELETE",
    section="4.5",
    right=EVENT_DELETE,
    uses_reserve=True,
    user_errors=(),
    workload=Workload.WRITE,
)


EVENT_FILTER = (
    Parameter("pollable", FLAG, None, "Filter on pollable."),
    Parameter("type", listed(WORD), None, "Filter on type."),
    Parameter("user_id", listed(WHOLE_NUMBER), None, "Users with any of these ids."),
    Parameter("group_id", listed(WHOLE_NUMBER), None, "All users in any of these groups."),
    Parameter("user_type", listed(WORD), None, "All users with any of these types."),
    Parameter("date_from", EARLIEST, None, "Earliest creation time."),
    Parameter("date_to", LATEST, None, "Latest creation time."),
)


def sort_parameter(names: Collection[str]) -> Parameter:
    """The order of a list by some of the named fields."""
    meaning, default = "Fields, each with .ASC or .DESC.", ["_id.DESC"]
    return Parameter("sort", sorted_by(names), NEWEST_FIRST, meaning, documented_default=default)


def event_record(call: Call, event_id: int, form: RecordForm = RecordForm.FULL) -> Answer | None:
    """One event, None if there is no such."""
    log = call.services.log
    found = call.services.database.read_replicated(
        lambda reader: log.full_record(reader, event_id, call.caller, form)
    )
    return None if found is None else Answer(found.encode())


def event_page(
    call: Call, reader: Reader, query: EventQuery, form: RecordForm, members: bytes, *, pretty: bool
) -> Answer:
    """Matching events as JSON, after further members of the page."""
    found = call.services.log.records(reader, call.caller, query, form)
    return Answer(spooled(page_parts(members, found, pretty=pretty)), is_formatted=True)


def event_csv(
    call: Call, reader: Reader, query: EventQuery, options: CsvOptions, form: RecordForm = RecordForm.FULL
) -> Answer:
    """Matching events as CSV."""
    body = csv_body(reader, call.services.log.instance, query, options, form)
    return Answer(body, "text/csv; charset=utf-8", filename="events.csv")


def draft_of(call: Call, given: Mapping[str, Any], schema: str | None) -> EventDraft:
    """The event of an insertion with checked attributes."""
    return EventDraft(
        given["type"],
        call.services.now(),
        call.actor,
        pollable=given.get("pollable", False),
        base_type=given.get("basetype"),
        schema=schema,
        objecttype=given.get("objecttype"),
        object_id=given.get("object_id"),
        object_version=given.get("object_version"),
        info=info_text(given.get("info", {})),
    )


# Schema

Files = Mapping[str, tuple[Callable[[Mapping[str, object]], bytes], str]]
PICTURES: Files = {
    "svg": (to_svg, "image/svg+xml; charset=utf-8"),
    "png": (to_png, "image/png"),
}
# The largest models known have a few megabytes.
MAX_SCHEMA_BYTES = 64 << 20
VERSION = Parameter(
    "version",
    ParameterType(str, {"type": "string", "pattern": "^(HEAD|CURRENT|[1-9][0-9]*)$"}),
    meaning="A committed version, HEAD or CURRENT.",
)
HEAD = Parameter("version", one_of("HEAD"), meaning="Only HEAD can be changed.")
_DOCUMENT, _NAMES = json_of(ref("SchemaDocument")), json_of(ref("Names"))


def document_or(files: Files) -> Mapping[str, JsonSchema]:
    """The forms of a version: JSON, and those of some files."""
    return {**_DOCUMENT, **{media.partition(";")[0]: STRING for _, media in files.values()}}


def schema_version(
    call: Call, files: Files, shown: Callable[[Mapping[str, Any]], object] = lambda document: document
) -> Answer:
    """A version as document, in a generation as `shown`, or as one of some files."""
    version, form = call.path["version"], call.query["format"]
    document = call.services.schemas.read(version)
    tagged = {"etag": entity_tag(document)}
    if form not in files:
        return json_answer(shown(document), headers=tagged)
    make, media_type = files[form]
    name = None if form == "xml" else f"schema-{version}.{form}"
    return Answer(make(document), media_type, filename=name, headers=tagged)


READ_SCHEMA = partial(
    Endpoint,
    "GET",
    "/schema/user/{version}",
    section="4.6",
    refusal_status=403,
    answer_headers=ENTITY_TAG,
    workload_by_format=dict.fromkeys(PICTURES, Workload.DRAWING),
)
SAVE_SCHEMA = partial(
    Endpoint,
    "POST",
    "/schema/user/{version}",
    section="4.7",
    right=MODEL_DEVELOPMENT,
    refusal_status=403,
    path_parameters=(HEAD,),
    body=Body(_DOCUMENT, max_bytes=MAX_SCHEMA_BYTES),
    headers=IF_MATCH,
    answer_headers=ENTITY_TAG,
    answers=_DOCUMENT,
    workload=Workload.HEAVY,
)
COMMIT_SCHEMA = partial(
    Endpoint,
    "POST",
    "/schema/commit",
    section="4.8",
    right=MODEL_COMMIT,
    refusal_status=403,
    workload=Workload.HEAVY,
)


def _names(call: Call) -> Answer:
    """GET l10n/user/<version>: the localized names."""
    return json_answer(call.services.schemas.names(call.path["version"]))


def _update_names(call: Call) -> Answer:
    """POST l10n/user/HEAD: replaces all localized names; a key that is left out has none afterwards."""
    return json_answer(call.services.schemas.save_names(call.path["version"], call.request.json_object()))


READ_NAMES = Endpoint(
    "GET",
    "/l10n/user/{version}",
    _names,
    "4.6",
    refusal_status=403,
    path_parameters=(VERSION,),
    answers=_NAMES,
    origin=Origin.DEPLOYED,
)
SAVE_NAMES = replace(
    READ_NAMES,
    method="POST",
    handler=_update_names,
    section="4.7",
    path_parameters=(HEAD,),
    body=Body(_NAMES, max_bytes=MAX_SCHEMA_BYTES),
    # It waits for a commit, as other calls that change the schema do.
    workload=Workload.HEAVY,
)
