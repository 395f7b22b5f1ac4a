"""Which feeds stood side by side at which service, as a text that can be kept. No Qt, no I/O."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cdb_desktop.live.choice import Choice

_MOST = 50  # services


class Kept(msgspec.Struct, frozen=True):
    """A feed: what it shows, whether it is to tell of it, and the pixels that it had."""

    choice: Choice
    notifies: bool = False
    width: int = 0


Layout = tuple[Kept, ...]


def decoded(text: str) -> dict[str, Layout]:
    """The layouts by service, newest last; what cannot be read is none."""
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Layout])
    except msgspec.MsgspecError:
        return {}


def encoded(layouts: Mapping[str, Layout], service: str, layout: Layout) -> str:
    """The text of ``layouts`` with another one of a service, which is the newest then."""
    others = {name: kept for name, kept in layouts.items() if name != service}
    newest = list((others | {service: layout}).items())[-_MOST:]
    return msgspec.json.encode(dict(newest)).decode()
