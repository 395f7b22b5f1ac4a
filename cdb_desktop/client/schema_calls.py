"""The calls on the user database schema (§4.6 to §4.8) as values: what to send and how to read the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from cdb_desktop.client import decode
from cdb_desktop.client.wire import API, MEGABYTE, Call, Request, post_json, segment

_SCHEMA = f"{API}schema/"
_COMMIT_PATIENCE = math.inf  # a commit rebuilds tables full of data, which takes as long as it takes
_PLAN_PATIENCE = 20.0
_LARGEST = 128 * MEGABYTE


def read(version: int | str) -> Call[dict[str, object]]:
    """The document of ``version``: a number, HEAD or CURRENT (§4.6)."""
    return Call(_read(version, "json"), decode.json_mapping)


def read_file(version: int | str, kind: str) -> Call[bytes]:
    """The file of ``version`` as xml, svg or png (§4.6)."""
    return Call(_read(version, kind), decode.file)


def update(document: Mapping[str, object]) -> Call[dict[str, object]]:
    """Saves ``document`` as HEAD and gives what the service made of it (§4.7)."""
    request = replace(post_json(f"{_SCHEMA}user/HEAD", document), largest=_LARGEST)
    return Call(request, decode.json_mapping)


def commit(*, reindex_generate_events: bool) -> Call[None]:
    """Makes HEAD the current version (§4.8)."""
    query = (("reindex_generate_events", "1"),) if reindex_generate_events else ()
    return Call(Request("POST", f"{_SCHEMA}commit", query, patience=_COMMIT_PATIENCE), decode.nothing)


def plan() -> Call[dict[str, object]]:
    """What a commit of HEAD would do to the data, step by step; not every service knows this call."""
    request = Request("GET", f"{_SCHEMA}user/HEAD/plan", patience=_PLAN_PATIENCE, largest=_LARGEST)
    return Call(request, decode.json_mapping)


def _read(version: int | str, kind: str) -> Request:
    return Request("GET", f"{_SCHEMA}user/{segment(version)}", (("format", kind),), largest=_LARGEST)
