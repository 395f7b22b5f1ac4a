"""The schema calls (§4.6 to §4.8) and the localised names of a schema (wire §6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from server_stub.accounts.rights import MODEL_COMMIT, MODEL_DEVELOPMENT
from server_stub.api.bodies import json_body, json_object
from server_stub.api.call import Answer, Call, Route, json_answer
from server_stub.api.parameters import Parameter, one_of, truth
from server_stub.errors import ApiError
from server_stub.schema import to_png, to_svg, to_xml

_Render = Callable[[Mapping[str, object]], bytes]
_FILES: Mapping[str, tuple[_Render, str]] = {
    "xml": (to_xml, "application/xml; charset=utf-8"),
    "svg": (to_svg, "image/svg+xml; charset=utf-8"),
    "png": (to_png, "image/png"),
}


def retrieve(call: Call) -> Answer:
    """§4.6: a version as document or picture; XML where no format is given (wire §5)."""
    document = call.rooms.schemas.read(call.path["version"])
    form = call.query["format"]
    if form == "json":
        return json_answer(document)
    render, media_type = _FILES[form]
    name = f"schema-{call.path['version']}.{form}" if form != "xml" else None
    return Answer(render(document), media_type, filename=name)


def update(call: Call) -> Answer:
    """§4.7: makes the body the new HEAD and answers it with its ids."""
    _only_head(call)
    return json_answer(call.rooms.schemas.save_head(json_body(call.incoming)))


def commit(call: Call) -> Answer:
    """§4.8: makes HEAD current, alters the database, reindexes in the background."""
    done = call.rooms.schemas.commit(call.actor)
    generate = call.query["reindex_generate_events"]
    reindex = partial(call.rooms.schemas.reindex, done.reindex, generate_events=generate)
    return json_answer({"version": done.version}, after=reindex)


def names(call: Call) -> Answer:
    """GET l10n/user/<version>: the localised names."""
    return json_answer(call.rooms.schemas.names(call.path["version"]))


def update_names(call: Call) -> Answer:
    """POST l10n/user/HEAD: replaces the localised names."""
    _only_head(call)
    return json_answer(call.rooms.schemas.save_names(call.path["version"], json_object(call.incoming)))


def _only_head(call: Call) -> None:
    if call.path["version"] != "HEAD":
        raise ApiError("invalid_value", f"Only HEAD can be changed, not {call.path['version']!r}.")


_FORMAT = Parameter("format", one_of("xml", "json", "svg", "png"), "xml", "Form of the answer.")
_REINDEX = Parameter("reindex_generate_events", truth, False, "Reindex jobs generate OBJECT_INDEX events.")

ROUTES = (
    Route("GET", "/schema/user/{version}", retrieve, "4.6", refusal=403, parameters=(_FORMAT,)),
    Route("POST", "/schema/user/{version}", update, "4.7", right=MODEL_DEVELOPMENT, refusal=403),
    Route("POST", "/schema/commit", commit, "4.8", right=MODEL_COMMIT, refusal=403, parameters=(_REINDEX,)),
    Route("GET", "/l10n/user/{version}", names, "4.6", refusal=403),
    Route("POST", "/l10n/user/{version}", update_names, "4.7", right=MODEL_DEVELOPMENT, refusal=403),
)
