"""What an event is about, in one line, and as a sentence: who did what to which object, when and from where.

The line has rules for some types, names the keys of info of others in ``resources/event_types.json``, and
shows the most significant keys of the rest. The texts of
sentences are in ``resources/sentences.json``. In them ``about`` is the line; to the others is appended what
it says of info.

Values are shown as the service sends them, with secrets masked. Short records (wire §3) have no info: their
summary is made of their other fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from itertools import islice

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK, redact
from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import language, size_text, tr
from cdb_desktop.vocabulary.error_messages import explained_error
from cdb_desktop.vocabulary.event_json import is_secret_key
from cdb_desktop.vocabulary.event_types import (
    COMMITS,
    committed_version,
    event_types,
    is_commit,
    object_text,
    user_text,
)
from cdb_desktop.vocabulary.times import clock_time, day_and_time

SUMMARY = "summary"  # the name of the column in tables, saved views and exported files
SIZE_KEYS = ("filesize", "bytes_total", "bytes_count", "size")  # of info: sizes, which are rounded
LONGEST = 200  # characters of a summary
_LONGEST_VALUE = 150  # characters of one value in it, so that those after it are visible
_READ = 400  # characters of a value that are masked: a secret that begins in the visible part ends in them
_LARGE = 100_000  # bytes of info; decoding more for a cell is noticeable
_FEW = 3  # entries of a list that are named, keys of unknown info that are shown
_DEEPEST = 3  # nested searches, lists and objects
_MOST_KEYS = 200  # keys of unknown info among which the telling ones are looked for
_LARGEST = 2**53  # counts above are not numbers of anything
_TEXT = re.compile(rb'\s*"')

# Keys under which services say why, in the order in which they are read.
_REASONS = ("exception", "reason", "error", "message", "description", "code", "response")
_CHANGES = ("changes", "changed", "fields", "columns", "diff", "ScopedNames")
_LOCALE = re.compile("[a-z]{2}(?:[-_][A-Z]{2})?")
# Keys under which files, groups and the like have a name.
_NAMES = ("displayname", "_generated_displayname", "original_filename", "filename", "name", "title", "url")
# Keys of unknown info that are shown first. Others follow in the order of the record.
_TELLING = (
    "message", "error", "exception", "reason", "name", "displayname", "title", "subject", "text", "status",
    "state", "action", "method", "url", "type", "login", "file", "filename", "count", "total",
)  # fmt: skip
_TELLING_RANKS = {name: rank for rank, name in enumerate(_TELLING)}

Info = Mapping[str, object]


def event_summary(event: Event) -> str:
    """One line of at most `LONGEST` characters in the language in use; empty if there is nothing to say.

    Never raises, whatever info contains. Info of more than 100 kB counts as missing.
    """
    value = _info_of(event)
    info: Info = value if isinstance(value, dict) else {}
    text = _of_type(event, info)
    if not text and value not in (None, "", {}, []):
        text = _of_unknown(info) if info else _value_text(value)
        about = object_text(event)
        text = f"{about}: {text}" if about and text else text
    return _clipped(_one_line(text or object_text(event)), LONGEST)


def _info_of(event: Event) -> object:
    """The decoded info; None if it is missing, too large, or nothing that Python can decode."""
    raw = event.info
    if raw is None or memoryview(raw).nbytes > _LARGE:
        return None
    value = event.info_value
    # JSON that cannot be decoded comes as its text, in which secrets would be under their keys.
    return None if isinstance(value, str) and not _TEXT.match(raw) else value


def _of_type(event: Event, info: Info) -> str:
    rule = _RULES.get(event.type)
    if rule is not None:
        return rule(event, info)
    if "EXPORT" in event.type and isinstance(info.get("export"), dict):
        return _export_step(event, info)
    known = event_types().get(event.type)
    return "" if known is None else _with_details("", *(_said(key, info.get(key)) for key in known.info))


# Reading


def _search(_event: Event, info: Info) -> str:
    request, response = info.get("request"), info.get("response")
    if isinstance(request, dict):
        info = {**request, "count": response.get("count") if isinstance(response, dict) else None}
    what = _listed(_terms(info.get("search"), 0) or _terms(info, 0))
    places = _names(info.get("objecttypes"))
    if places:
        what = tr("{what} in {places}", what=what, places=places) if what else places
    hits = _whole_number(info.get("count"))
    if hits is not None:
        found = tr("{hits:1 hit|{hits} hits}", hits=hits)
        what = f"{what}: {found}" if what else found
    return what


def _terms(value: object, depth: int) -> list[str]:
    """The conditions of a search request, in the order in which they were sent."""
    entries = value if isinstance(value, list) else [value]
    found: list[str] = []
    for entry in islice(entries, _FEW + 1) if depth < _DEEPEST else ():
        if isinstance(entry, str):
            found.append(tr("“{text}”", text=_plain(entry)))
        elif isinstance(entry, dict):
            found += _term(entry, depth)
    return found


def _term(entry: Info, depth: int) -> list[str]:
    inner = entry.get("search")
    if inner is not None:
        return _terms(inner, depth + 1)
    field = _value_text(entry.get("field")) or _names(entry.get("fields"))
    text = next((one for key in ("string", "query", "text") if isinstance(one := entry.get(key), str)), None)
    if text is not None:
        term = tr("“{text}”", text=_plain(text))
        term = f"{field} {term}" if field else term
    elif field and ("from" in entry or "to" in entry):
        term = f"{field} {_value_text(entry.get('from'))}–{_value_text(entry.get('to'))}"
    elif field and "in" in entry:
        term = f"{field} {_names(entry['in'])}"
    else:
        return []
    return [tr("not {term}", term=term) if entry.get("bool") == "must_not" else term]


_OF_VIEW = ("objecttype", "object_id")


def _viewed(info: Info) -> str:
    return " ".join(filter(None, map(_value_text, map(info.get, _OF_VIEW))))


def _view(event: Event, info: Info) -> str:
    about = object_text(event) or _viewed(info)
    about = about or _listed([_names(info.get("objecttypes")), *_terms(info.get("search"), 0)])
    return _with_note(tr("Viewed {object}", object=about), _value_text(info.get("mask"))) if about else ""


# Objects


def _of_object(event: Event, info: Info, changed: Callable[[str], str]) -> str:
    about = object_text(event)
    about = about or _object_count(info)
    if not about:
        return ""
    batch = _value_text(info.get("batch_id"))
    text = _with_note(changed(about), tr("batch {batch}", batch=batch) if batch else "")
    return _with_details(text, _changes(info), _value_text(info.get("comment")))


def _changes(info: Info) -> str:
    """The names of what has changed, with the new values where they are simple ones."""
    for key in _CHANGES:
        value = info.get(key)
        if isinstance(value, dict) and value:
            return _pairs(value.items())
        if isinstance(value, list) and value:
            return _names(value)
    return ""


def _object_count(info: Info) -> str:
    for key in ("objects", "count", "totalCount"):
        count = _whole_number(info.get(key))
        if count is not None:
            return tr("{count:1 object|{count} objects}", count=count)
    return ""


def _missing(_event: Event, info: Info) -> str:
    about = " ".join(part for part in (_value_text(info.get("type")), _value_text(info.get("id"))) if part)
    return _with_details(about, _reason(info))


def _lacking_rights(event: Event, info: Info) -> str:
    folder = _value_text(info.get("collection_id")) or _number(event.object_id)
    owner = _value_text(info.get("owner_id"))
    if not folder:
        return ""
    text = tr("The owner of collection {folder} lacks rights", folder=folder)
    if owner:
        text = tr("Owner {owner} of collection {folder} lacks rights", owner=owner, folder=folder)
    items = info.get("items")
    if isinstance(items, list) and items:
        return _with_details(text, _listed([_item(one) for one in items[: _FEW + 1]]))
    return text


def _item(value: object) -> str:
    if not isinstance(value, dict):
        return _value_text(value)
    keys = ("objecttype", "_id", "id")
    return " ".join(part for key in keys if (part := _value_text(value.get(key))))


# Exports and files


def _export_name(event: Event, info: Info) -> str:
    export = info.get("export")
    name = _value_text(export.get("name")) if isinstance(export, dict) else ""
    name = name or _value_text(info.get("name"))
    return tr("“{text}”", text=name) if name else object_text(event)


def _export_step(event: Event, info: Info) -> str:
    """The name of the export and what has become of it."""
    name = _export_name(event, info)
    if event.type.endswith(("FAILED", "ERROR")):
        return _with_details(name, _reason(info) or _state(info))
    return _with_details(name, _state(info), _object_count(info), _value_text(info.get("version")))


def _state(info: Info) -> str:
    """The state in the language in use, where it is one that services are known to have."""
    stored = _stored_state(info)
    known = _STATES.get(stored)
    return stored if known is None else known()


def _stored_state(info: Info) -> str:
    return _value_text(info.get("state")) or _value_text(info.get("status"))


_STATES: Mapping[str, Callable[[], str]] = {
    "created": lambda: tr("created"),
    "processing": lambda: tr("processing"),
    "running": lambda: tr("running"),
    "stopped": lambda: tr("stopped"),
    "copied": lambda: tr("copied"),
    "done": lambda: tr("done"),
    "failed": lambda: tr("failed"),
}


def _download(event: Event, info: Info) -> str:
    name = _value_text(info.get("original_filename")) or _value_text(info.get("filename"))
    parts = (_value_text(info.get("version")), _size(info.get(SIZE_KEYS[0])))
    return _with_details(name or _export_name(event, info), *parts)


def _export_download(event: Event, info: Info) -> str:
    parts = (_size(info.get(SIZE_KEYS[1])), _value_text(info.get("url")))
    return _with_details(_export_name(event, info), *parts)


# Sessions and accounts


def _failed_login(_event: Event, info: Info) -> str:
    login = _value_text(info.get("login"))
    return _with_details(tr("“{text}”", text=login) if login else "", _reason(info))


def _account(event: Event, info: Info) -> str:
    about = _value_text(info.get("login")) or object_text(event)
    return tr("Created the account {login}", login=about) if about else ""


def _accepted(event: Event, info: Info) -> str:
    number = _value_text(info.get("message_id")) or _number(event.object_id)
    return tr("Accepted message {number}", number=number) if number else ""


def _mail(_event: Event, info: Info) -> str:
    subjects = map(_value_text, map(info.get, ("subject", "type", "Subject", "Template")))
    subject = next(filter(None, subjects), "")
    receivers = _names(info.get("recipients")) or _names(info.get("To"))
    text = tr("“{text}”", text=subject) if subject else ""
    if not receivers:
        return text
    return tr("{subject} to {receivers}", subject=text, receivers=receivers).strip()


# The service and other programs


def _call(_event: Event, info: Info) -> str:
    method, url = _value_text(info.get("method")), _value_text(info.get("url"))
    call = " ".join(part for part in (method, url) if part)
    payload = info.get("payload")
    details = _pairs(payload.items()) if call and isinstance(payload, dict) else ""
    return _with_details(call, _state(info), details)


def _progress(_event: Event, info: Info) -> str:
    progress = info.get("progress_info")
    steps = progress if isinstance(progress, dict) else info
    done, total = _whole_number(steps.get("done")), _whole_number(steps.get("total"))
    if done is not None and total is not None:
        return _with_details(_state(info), tr("{done} of {total}", done=done, total=total))
    return _state(info)


def _settings(_event: Event, info: Info) -> str:
    changes = _changes(info)
    return tr("Settings changed: {changes}", changes=changes) if changes else ""


def _mapping(_event: Event, info: Info) -> str:
    names = [_value_text(info.get(key)) for key in ("displayname", "mapping_file", "mapping_id")]
    return _with_details(names[0], names[1]) or names[2]


def _commit(event: Event, info: Info) -> str:
    version = committed_version(event)
    if version is None:
        return tr("Schema committed")
    return _with_details(tr("Schema version {version} committed", version=str(version)), _changes(info))


def _webhook(_event: Event, info: Info) -> str:
    hook = _called(info.get("webhook")) or _value_text(info.get("url"))
    took = _whole_number(info.get("took_ms"))
    parts = (
        " ".join(part for part in (_value_text(info.get("status")), _reason(info)) if part),
        "" if took is None else tr("{took} ms", took=took),
        _value_text(info.get("event")),
    )
    return _with_details(hook, *parts)


_Rule = Callable[[Event, Info], str]
_RULES: Mapping[str, _Rule] = {
    **dict.fromkeys(("MAPPING_DELETE", "MAPPING_INSERT", "MAPPING_UPDATE"), _mapping),
    **{
        f"EXPORT_{step}": _export_step
        for step in ("ASSET", "FAILED", "FINISH", "INSERT", "OBJECT", "START", "STOPPED", "UPDATE")
    },
    "API_CALL": _call,
    "API_PROGRESS": _progress,
    "ASSET_DOWNLOAD": _download,
    "BASE_CONFIG_UPDATE": _settings,
    "COLLECTION_OWNER_RIGHTS_ERROR": _lacking_rights,
    "DETAIL_VIEW": _view,
    "DOWNLOAD_EXPORT": _export_download,
    "EMAIL_SENT": _mail,
    "FRONTEND_ERROR": lambda _event, info: _with_note(_reason(info), _value_text(info.get("url"))),
    **dict.fromkeys(("LOGIN_FAILED", "USER_LOGIN_FAILED"), _failed_login),
    "OBJECT_DELETE": partial(_of_object, changed=lambda about: tr("Deleted {object}", object=about)),
    "OBJECT_INDEX": partial(_of_object, changed=lambda about: tr("Indexed {object}", object=about)),
    "OBJECT_INSERT": partial(_of_object, changed=lambda about: tr("Created {object}", object=about)),
    "OBJECT_PURGE": partial(_of_object, changed=lambda about: tr("Deleted for good: {object}", object=about)),
    "OBJECT_UNDELETE": partial(_of_object, changed=lambda about: tr("Restored {object}", object=about)),
    "OBJECT_UPDATE": partial(_of_object, changed=lambda about: tr("Changed {object}", object=about)),
    "RESOURCE_NOT_AVAILABLE": _missing,
    **dict.fromkeys(COMMITS, _commit),
    "SEARCH": _search,
    "SERVER_SHUTDOWN": lambda _event, info: _with_details(tr("Server stopped"), _pairs(info.items())),
    "SERVER_START": lambda _event, info: _with_details(tr("Server started"), _pairs(info.items())),
    "USER_ACCEPTED_MESSAGE": _accepted,
    "USER_CREATED": _account,
    "USER_LOGIN": lambda _event, info: _with_details(
        tr("Signed in"), _value_text(info.get("method")), _value_text(info.get("login"))
    ),
    "USER_LOGOUT": lambda _event, info: _with_details(tr("Signed out"), _reason(info)),
    **dict.fromkeys(("WEBHOOK", "WEBHOOK_ERROR", "WEBHOOK_OK"), _webhook),
}


# Texts


def _of_unknown(info: Info) -> str:
    """The most telling keys and their values; nested values only if there are no others."""
    items = list(islice(info.items(), _MOST_KEYS))
    simple = [(key, value) for key, value in items if not isinstance(value, dict | list)]
    chosen = simple or items
    return _pairs(sorted(chosen, key=lambda item: _TELLING_RANKS.get(item[0], len(_TELLING_RANKS))))


def _said(key: str, value: object) -> str:
    """A value that the data of a type names; sizes are rounded, and things are called by their names."""
    return _size(value) if key in SIZE_KEYS else _called(value)


def _called(value: object, depth: int = 0) -> str:
    """The name of a thing, in the language in use if there are several; else the value."""
    if isinstance(value, dict) and depth < _DEEPEST:
        spoken = (key for key in islice(value, _MOST_KEYS) if _LOCALE.fullmatch(key))
        for key in (*_NAMES, *(key for key in spoken if key.startswith(language()))):
            text = _called(value.get(key), depth + 1)
            if text:
                return text
    return _names(value, depth)


def _reason(info: Info, depth: int = 0) -> str:
    for key in _REASONS:
        value = info.get(key)
        if isinstance(value, dict):
            value = _reason(value, depth + 1) if depth < _DEEPEST else None
        text = _value_text(value)
        if text:
            return text
    return ""


def _size(value: object) -> str:
    size = _whole_number(value)
    return "" if size is None else size_text(size)


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _whole_number(value: object) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST
    return value if is_number and isinstance(value, int) else None


def _with_details(about: str, *details: str) -> str:
    rest = ", ".join(filter(None, details))
    return f"{about}: {rest}" if about and rest else about or rest


def _with_note(text: str, note: str) -> str:
    return f"{text} ({note})" if text and note else text or note


def _listed(texts: Iterable[str]) -> str:
    found = [text for text in texts if text]
    return ", ".join(found[:_FEW]) + (", …" if len(found) > _FEW else "")


def _names(value: object, depth: int = 0) -> str:
    """The first entries of a list, or a value that is no list."""
    if not isinstance(value, list):
        return _value_text(value, depth)
    return _listed(_value_text(one, depth + 1) for one in islice(value, _FEW + 1))


def _pairs(items: Iterable[tuple[str, object]], depth: int = 0) -> str:
    found = []
    for key, value in islice(items, _FEW + 1):
        is_secret = isinstance(value, str) and value and is_secret_key(key)
        text = MASK if is_secret else _value_text(value, depth + 1)
        found.append(f"{_plain(key)}={text}" if text else "")
    return _listed(found)


def _value_text(value: object, depth: int = 0) -> str:
    """A value verbatim on one line, secrets masked; lists and objects with their first entries."""
    if isinstance(value, str):
        return _plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{_names(value, depth) if depth < _DEEPEST else ''}]" if value else ""
    if isinstance(value, dict):
        return f"{{{_pairs(value.items(), depth) if depth < _DEEPEST else ''}}}" if value else ""
    return _clipped(str(value), _LONGEST_VALUE)


def _plain(text: str) -> str:
    return _clipped(_one_line(redact(text[:_READ])), _LONGEST_VALUE)


def _one_line(text: str) -> str:
    """Without line breaks, control characters, and those that change the direction of the text."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


_OTHER = "other"  # the key of types that have no text of their own
_ABOUT, _OBJECT = "{about}", "{object}"
_ENDS = (".", "!", "?", "…")


def event_sentences(event: Event) -> tuple[str, ...]:
    """The sentence in the language in use, and shorter ones, the last of which is the shortest.

    They say less about the details of what was done, and about when and from where; all say who did what,
    and why it failed.
    """
    is_large = event.info is not None and memoryview(event.info).nbytes > _LARGE
    info = _info_of(event)
    if event.type == "DETAIL_VIEW" and not object_text(event) and isinstance(info, dict):
        event = replace(event, objecttype=_viewed(info))  # which some services name in info only
    error = None if is_large else explained_error(event)
    reason = f"{error.title}: {error.text}" if error is not None else ""
    said = [_what(event)]
    if reason or _ABOUT not in _text(event):
        said.append(_what(replace(event, info=None)))
    cores = [f"{what} {reason}".rstrip() for what in dict.fromkeys(said)]
    around = _around(event)
    places = [_ended(", ".join(around[:count])) for count in range(len(around), 0, -1)]
    longer = [f"{core} {place}" for core in cores[:-1] for place in places[:2]]
    return (*longer, *(f"{cores[-1]} {place}" for place in places), cores[-1])


def _what(event: Event) -> str:
    text, about = _text(event), event_summary(event)
    values = {
        "user": redact(user_text(event)) or tr("The service"),
        "object": _target(event),
        "type": event.type,
        "about": _quoted(about, event),
    }
    details = "" if _ABOUT in text else _quoted(_details(event, about), event)
    return _ended(text.format(**values).rstrip(": ") + details)


def _quoted(line: str, event: Event) -> str:
    """The line with quotation marks around what the service itself says: why, and the state."""
    info = _info_of(event)
    own = {_reason(info), _stored_state(info)} if isinstance(info, dict) else set()
    for said in (one for one in own if one and one not in _STATES and not one.isdecimal()):
        # Where a status precedes the words, it belongs to them.
        place = re.compile(rf"(?:(?<=[:,] )|^)(?:\d+ )?{re.escape(said)}(?=$|[:,] | \()")
        line = place.sub(lambda found: tr("“{text}”", text=found[0]), line, count=1)
    return line


def _text(event: Event) -> str:
    texts = _texts()
    text = texts.get(event.type, texts[_OTHER])[language()]
    # Of several objects only the summary knows how many.
    return texts[_OTHER][language()] if _OBJECT in text and not _target(event) else text


def _details(event: Event, about: str) -> str:
    """What the summary says of info, with the punctuation before it."""
    bare = event_summary(replace(event, info=None))
    if bare:
        return about[len(bare) :] if about.startswith(bare) else ""
    return "".join(about.partition(": ")[1:])


def _target(event: Event) -> str:
    if not is_commit(event):
        return object_text(event)
    version = committed_version(event)
    return tr("version {version} of the schema", version=str(version)) if version else tr("the schema")


def _around(event: Event) -> list[str]:
    """When, from which address and in which session, the most important first."""
    time = day_and_time(event.timestamp)
    found = [tr("On {time}", time=time) if time else ""]
    if event.address:
        found.append(tr("from {address}", address=event.address))
    began = event.session_created
    if began is not None:
        same_day = day_and_time(began)[:10] == time[:10]
        start = clock_time(began) if same_day else day_and_time(began)
        found.append(tr("in the session since {start}", start=start))
    return [part for part in found if part]


def _ended(text: str) -> str:
    return text if not text or text.endswith(_ENDS) else f"{text}."


@lru_cache(maxsize=1)
def _texts() -> dict[str, dict[str, str]]:
    return msgspec.json.decode(resource("sentences.json").read_bytes(), type=dict[str, dict[str, str]])
