"""An event as a sentence: who did what to which object, why it failed, when and from where.

The texts for the types of events are in ``resources/sentences.json``. In them ``about`` is the summary of the
event; to the others is appended what the summary says of info.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import redact
from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.foundation.resources import resource
from cdb_desktop.vocabulary.event_errors import explained_error
from cdb_desktop.vocabulary.event_summary import event_summary
from cdb_desktop.vocabulary.event_text import committed_version, is_commit, object_text, user_text
from cdb_desktop.vocabulary.times import clock_time, day_and_time

_OTHER = "other"  # the key of types that have no text of their own
_ABOUT, _OBJECT = "{about}", "{object}"
_LARGE = 100_000  # bytes of info; decoding more is noticeable, which the summary does not do either
_ENDS = (".", "!", "?", "…")


def event_sentences(event: Event) -> tuple[str, ...]:
    """The sentence in the language in use, and shorter ones, the last of which is the shortest.

    They say less about the details of what was done, and about when and from where; all say who did what,
    and why it failed.
    """
    is_large = event.info is not None and memoryview(event.info).nbytes > _LARGE
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
        "about": about,
    }
    details = "" if _ABOUT in text else _details(event, about)
    return _ended(text.format(**values).rstrip(": ") + details)


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
    if event.ipv4_address:
        found.append(tr("from {address}", address=event.ipv4_address))
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
