"""The calls of generation 6 as values: a request, and the function that decodes the response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from functools import partial

import msgspec

from cdb_desktop.client import decoding, lenient_json, responses
from cdb_desktop.client.dialect import LARGEST, Dialect
from cdb_desktop.client.query import EventFilter, filter_query, ranges_of
from cdb_desktop.client.records import Capabilities, CommitQuestion, Session
from cdb_desktop.client.request import Call, Query, Response, segment


class Generation6(Dialect):
    """The calls of a service whose tokens come from OAuth 2.0, and travel in a header."""

    most_deleted = 500  # they are in the address, which may have 8,000 characters at least
    bearer = True
    json_format = ()

    def capabilities(self, version: str, solution: str) -> Capabilities:
        """What a service of any version offers."""
        is_ours = solution == "reference"
        return Capabilities(
            skip_count=False,
            re2_only=is_ours,
            error_details=False,
            event_groups=True,
            sessions=False,
            filters_by_object=True,
            id_ranges=True,
            stream=True,
            commit_plan=False,
            asks_before_commit=True,
            csv_options=False,
            extended_schema=True,
        )

    def read_session(self, token: str) -> Call[Session]:
        """Who is signed in."""
        return Call(self.request("GET", "user/session"), partial(_session, token=token))

    def poll_path(self, last_max_id: int | None) -> str:
        """The id is required."""
        return f"event/poll/{last_max_id or 0:d}"

    def list_form(self, *, full: bool, skip_count: bool) -> Query:
        """Records are always whole, and their number is always there."""
        return (("format", "json"),)

    def filters(self, chosen: EventFilter) -> Query:
        """Dates have a time and an offset."""
        dates = (_moment(chosen.date_from, time.min), _moment(chosen.date_to, time.max))
        chosen = msgspec.structs.replace(chosen, date_from=dates[0], date_to=dates[1])
        return filter_query(chosen, base_type="basetype")

    def inserted(self, attributes: Mapping[str, object]) -> Mapping[str, object]:
        """The form of a record."""
        return {"event": attributes}

    def delete_events(self, ids: Sequence[int]) -> Call[int | None]:
        """Deletes exactly these events. Raises ValueError without any: no filter means all events."""
        chosen = EventFilter(ids=ranges_of(ids))
        if chosen.is_empty:
            raise ValueError("no ids of events to delete")
        return Call(self.request("DELETE", "event/list", filter_query(chosen)), responses.nothing)

    def delete_event(self, event_id: int) -> Call[None]:
        """Deletes an event."""
        return Call(self.request("DELETE", f"event/{event_id:d}"), responses.nothing)

    @staticmethod
    def questions(answer: Response) -> tuple[CommitQuestion, ...]:
        """The questions in an answer, none if the commit took place."""
        found = responses.json_mapping(answer).get("tasks")
        try:
            return msgspec.convert(_without_null(found or ()), tuple[CommitQuestion, ...], strict=False)
        except msgspec.ValidationError:
            raise responses.answer_error(answer, "not_object", "tasks") from None

    def count_all_objects(self) -> Call[dict[str, int]]:
        """The number of objects in each objecttype, which not everybody may read."""
        return Call(self.request("GET", "system/status"), _counts)

    def count_objects(self, table: int) -> Call[int | None]:
        """The number of objects in an objecttype by its id, None if the service counts only files."""
        return Call(self.request("GET", f"objecttype/{table:d}/stats"), _count)

    def config(self) -> Call[dict[str, object]]:
        """The part of the base configuration that a user may know."""
        return Call(self.request("GET", "user/session"), _config)

    def masks(self, version: int | str) -> Call[dict[str, object]]:
        """The masks of a schema version."""
        request = replace(self.request("GET", f"mask/{segment(version)}"), largest=LARGEST)
        return Call(request, responses.json_mapping)


def _moment(bound: date | None, otherwise: time) -> datetime | None:
    if bound is None:
        return None
    moment = bound if isinstance(bound, datetime) else datetime.combine(bound, otherwise)
    return moment if moment.tzinfo else moment.astimezone()


def _without_null(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _without_null(each) for name, each in value.items() if each is not None}
    return [_without_null(each) for each in value] if isinstance(value, list) else value


def _counts(answer: Response) -> dict[str, int]:
    found = lenient_json.items(responses.json_members(answer).get("objecttypes")) or ()
    types = [lenient_json.members(one) or {} for one in found]
    counts = {
        lenient_json.text(one.get("type_name")): lenient_json.amount(one.get("total_count")) for one in types
    }
    return {name: count for name, count in counts.items() if name and count is not None}


def _count(answer: Response) -> int | None:
    found = responses.json_members(answer)
    return lenient_json.amount(found.get("total_count", found.get("count")))


def _config(answer: Response) -> dict[str, object]:
    return lenient_json.mapping(responses.json_members(answer).get("config"))


def _session(answer: Response, token: str) -> Session:
    found = responses.json_members(answer)
    arguments, _ = lenient_json.fields(Session, found)
    user = decoding.user(found.get("user"))
    return Session(
        **arguments
        | {
            "token": token,
            "authenticated": user is not None,
            "method": "oauth2",
            "user": user,
            "groups": tuple(
                lenient_json.mapping(one) for one in lenient_json.items(found.get("groups")) or ()
            ),
            "system_rights": decoding.rights(found.get("system_rights") or found.get("_system_rights")),
        }
    )
