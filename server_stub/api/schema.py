"""The schema calls (§4.6 to §4.8) and the localised names of a schema (wire §6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from server_stub.accounts.rights import MODEL_COMMIT, MODEL_DEVELOPMENT
from server_stub.api.bodies import json_body, json_object
from server_stub.api.call import Answer, Call, json_answer
from server_stub.api.kinds import TRUTH, Kind, one_of
from server_stub.api.parameters import Parameter
from server_stub.api.route import Body, Origin, Route, json_of
from server_stub.api.shapes import TEXT, ref
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
    return json_answer(call.rooms.schemas.save_head(json_body(call.incoming)))


def plan(call: Call) -> Answer:
    """Our addition: the steps of a commit of HEAD, with what rows have at stake; changes nothing."""
    return json_answer(call.rooms.schemas.plan())


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
    return json_answer(call.rooms.schemas.save_names(call.path["version"], json_object(call.incoming)))


_FORMAT = Parameter("format", one_of("xml", "json", "svg", "png"), "xml", "Form of the answer.")
_REINDEX = Parameter("reindex_generate_events", TRUTH, False, "Reindex jobs generate OBJECT_INDEX events.")

_POINTER = Kind(str, {"type": "string", "pattern": "^(HEAD|CURRENT|[1-9][0-9]*)$"})
_VERSION = Parameter("version", _POINTER, meaning="A committed version, HEAD or CURRENT.")
_HEAD = Parameter("version", one_of("HEAD"), meaning="Only HEAD can be changed.")
_PLANNED = Parameter("version", one_of("HEAD"), meaning="Only HEAD can be committed.")
# The largest models known have a few megabytes.
_MOST_BYTES = 64 << 20
_DOCUMENT = json_of(ref("SchemaDocument"))
_NAMES = json_of(ref("Names"))

ROUTES = (
    Route(
        "GET",
        "/schema/user/{version}",
        retrieve,
        "4.6",
        refusal=403,
        parameters=(_FORMAT,),
        places=(_VERSION,),
        answers={**_DOCUMENT, **{media.partition(";")[0]: TEXT for _, media in _FILES.values()}},
        drawn=frozenset({"svg", "png"}),
    ),
    Route(
        "POST",
        "/schema/user/{version}",
        update,
        "4.7",
        right=MODEL_DEVELOPMENT,
        refusal=403,
        places=(_HEAD,),
        body=Body(_DOCUMENT, most_bytes=_MOST_BYTES),
        answers=_DOCUMENT,
    ),
    Route(
        "GET",
        "/schema/user/{version}/plan",
        plan,
        "4.8",
        right=MODEL_DEVELOPMENT,
        refusal=403,
        places=(_PLANNED,),
        answers=json_of(ref("CommitPlan")),
        origin=Origin.OURS,
    ),
    Route(
        "POST",
        "/schema/commit",
        commit,
        "4.8",
        right=MODEL_COMMIT,
        refusal=403,
        parameters=(_REINDEX,),
        answers=json_of(ref("Commit")),
    ),
    Route(
        "GET",
        "/l10n/user/{version}",
        names,
        "4.6",
        refusal=403,
        places=(_VERSION,),
        answers=_NAMES,
        origin=Origin.DEPLOYED,
    ),
    Route(
        "POST",
        "/l10n/user/{version}",
        update_names,
        "4.7",
        right=MODEL_DEVELOPMENT,
        refusal=403,
        places=(_HEAD,),
        body=Body(_NAMES, most_bytes=_MOST_BYTES),
        answers=_NAMES,
        origin=Origin.DEPLOYED,
    ),
)
