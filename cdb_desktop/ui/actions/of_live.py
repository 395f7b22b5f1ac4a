"""The actions of the live feeds."""

from __future__ import annotations

from msgspec.structs import replace

from cdb_desktop.ui.actions.spec import Spec, told

_SEE_EVENTS = "system.api.event.get"


def of_live() -> tuple[Spec, ...]:
    """The feed in front: what it shows and keeps."""
    feed, pause = told("&Live"), told("&Pause live feed")
    return (
        Spec("pause", feed, pause, "Ctrl+Shift+L", "pause", True, "", "play"),
        Spec("live_filter", feed, told("&Filter live feed…"), "Ctrl+Shift+T", "filter"),
        Spec("live_clear", feed, told("&Clear live feed"), "Ctrl+Shift+K", "clear"),
        *(replace(spec, menu=feed) for spec in _of_feeds()),
    )


def _of_feeds() -> tuple[Spec, ...]:
    """What can be done with a feed beyond looking at it."""
    new, close = told("&New feed beside"), told("C&lose this feed")
    account = told("&Account of ids")
    check = told("C&heck ids against the list")
    record, keep = told("&Record to a file…"), told("Archive &dropped events…")
    notify = told("Notif&y on new events")
    bottom, right = told("Live at the &bottom"), told("Live at the ri&ght")
    return (
        Spec("live_new", "", new, "Ctrl+Shift+N", "feed-new", apart=True),
        Spec("live_close", "", close, "Ctrl+F4"),
        Spec("live_mark", "", told("&Mark this moment"), "Ctrl+Shift+M", "mark", apart=True),
        Spec("live_account", "", account, "Ctrl+Shift+U"),
        Spec("live_check", "", check, "Ctrl+R", right=_SEE_EVENTS),
        Spec("live_record", "", record, "Ctrl+Shift+E", "record", True, apart=True),
        Spec("live_keep", "", keep, "", checkable=True),
        Spec("live_notify", "", notify, "", checkable=True),
        Spec("live_bottom", "", bottom, "", checkable=True, apart=True),
        Spec("live_right", "", right, "Ctrl+Shift+J", checkable=True),
    )
