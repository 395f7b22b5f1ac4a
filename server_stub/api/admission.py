"""Who may make a call: the token, then the right (wire §1: order of checks); knows no parameter."""

from __future__ import annotations

from server_stub.accounts import Session, allows
from server_stub.api.call import Incoming, Rooms
from server_stub.api.route import Access, Route
from server_stub.errors import UserError


def session_of(rooms: Rooms, route: Route, incoming: Incoming) -> Session | None:
    """The session of the token, None where there is no token and none is needed.

    Raises UserError not_authenticated, session_not_found or session_invalid.
    """
    if incoming.token is None:
        if route.access is Access.ANYBODY:
            return None
        raise UserError("not_authenticated", status=route.refusal)
    try:
        with rooms.database.reading() as reader:
            return rooms.sessions.find(reader, incoming.token)
    except UserError as error:
        error.status = route.refusal
        raise


def admit(rooms: Rooms, route: Route, found: Session | None) -> None:
    """Lets a session make a call, which prolongs its life; UserError not_authenticated or no_system_right."""
    if found is None:
        return
    if route.access is Access.SIGNED_IN and found.user is None:
        raise UserError("not_authenticated", status=route.refusal)
    if route.right is not None and (found.user is None or not allows(found.user.rights, route.right)):
        raise UserError("no_system_right", status=route.refusal, right=route.right)
    if not route.path.startswith("/event/poll"):
        rooms.sessions.touch(found)  # polling does not keep a session alive (wire §2)
