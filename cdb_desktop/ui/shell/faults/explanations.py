"""Names and explanations of the faults that the demo service can simulate."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import Fault
from cdb_desktop.foundation.i18n import Message, message


class FaultText(msgspec.Struct, frozen=True):
    """Title and explanation of a fault, translated when they are shown."""

    title: Message
    text: Message


def fault_text(fault: Fault) -> tuple[str, str]:
    """Title and explanation in the language in use; the service's own words for a fault without them."""
    found = FAULT_TEXTS.get(fault.name)
    return (fault.name, fault.meaning) if found is None else (str(found.title), str(found.text))


FAULT_TEXTS = {
    "server-error": FaultText(
        message("Error of the service"),
        message("The service answers with an internal error and a reference number."),
    ),
    "database-error": FaultText(
        message("Error of the database"),
        message("The service answers that its database has failed."),
    ),
    "unknown-error": FaultText(
        message("Unknown error code"),
        message("The service answers with an error code that this program does not know."),
    ),
    "unavailable": FaultText(
        message("Service unavailable"),
        message("The service answers that it is not available at the moment."),
    ),
    "unavailable-retry-after": FaultText(
        message("Service unavailable for a while"),
        message("The service is not available, and says when to try again."),
    ),
    "too-many-requests": FaultText(
        message("Too many requests"),
        message("The service refuses the request because there were too many, and says when to try again."),
    ),
    "bad-gateway": FaultText(
        message("Proxy reports a bad answer"),
        message("A proxy in between shows its own web page: the service answered wrongly."),
    ),
    "gateway-timeout": FaultText(
        message("Proxy reports no answer"),
        message("A proxy in between shows its own web page: the service did not answer in time."),
    ),
    "web-page": FaultText(
        message("Sign-in page of a network"),
        message("A web page arrives instead of data, as in a network of a hotel."),
    ),
    "reset-connection": FaultText(
        message("Connection reset"),
        message("The connection is cut off before the request is handled."),
    ),
    "session-invalid": FaultText(
        message("Session expired"),
        message("The request is refused as if the session had expired."),
    ),
    "session-not-found": FaultText(
        message("Session forgotten"),
        message("The request is refused as if the service had been restarted and had forgotten the session."),
    ),
    "not-authenticated": FaultText(
        message("Sign-in forgotten"),
        message("The request is refused as if nobody was signed in."),
    ),
    "session-ended": FaultText(
        message("Signed out by somebody else"),
        message("The session is really ended, as by an administrator."),
    ),
    "right-refused": FaultText(
        message("Right refused"),
        message("The request is refused because a right is missing, although the session lists it."),
    ),
    "rights-removed": FaultText(
        message("Rights removed"),
        message("A new session has no rights."),
    ),
    "slow-database": FaultText(
        message("Slow database"),
        message("The service waits before it handles the request."),
    ),
    "database-locked": FaultText(
        message("Locked database"),
        message("Somebody else locks the database for a moment; everybody who writes waits."),
    ),
    "slow-answer": FaultText(
        message("Slow answer"),
        message("The answer arrives in small pieces over some seconds."),
    ),
    "truncated-answer": FaultText(
        message("Half an answer"),
        message("The connection ends in the middle of the answer."),
    ),
    "oversized-answer": FaultText(
        message("Huge answer"),
        message("The answer is much larger than any useful one."),
    ),
    "no-answer": FaultText(
        message("No answer"),
        message("The request is handled, but the answer does not come for a long time."),
    ),
    "lost-answer": FaultText(
        message("Lost answer"),
        message("The request is handled, but its answer is lost."),
    ),
    "lost-commit-answer": FaultText(
        message("Lost answer of a commit"),
        message("The schema is committed, but the answer is lost."),
    ),
    "lost-save-answer": FaultText(
        message("Lost answer of saving HEAD"),
        message("HEAD is saved, but the answer is lost."),
    ),
    "lost-insert-answer": FaultText(
        message("Lost answer of a new event"),
        message("The event is stored, but the answer is lost."),
    ),
    "lost-delete-answer": FaultText(
        message("Lost answer of a deletion"),
        message("The events are deleted, but the answer is lost."),
    ),
    "head-moved": FaultText(
        message("HEAD changed by somebody else"),
        message("Right after HEAD was read or saved, somebody else saves it. The change stays in the demo."),
    ),
    "head-committed": FaultText(
        message("HEAD committed by somebody else"),
        message("Right before HEAD is saved, somebody else commits it. The commit stays in the demo."),
    ),
    "wrong-content-type": FaultText(
        message("Wrong content type"),
        message("The data is announced as plain text."),
    ),
    "invalid-json": FaultText(
        message("Damaged data"),
        message("The data lacks its end and cannot be read."),
    ),
    "clock-skew": FaultText(
        message("Wrong clock"),
        message("All times of the answer are a day ahead."),
    ),
    "poll-duplicates": FaultText(
        message("Events twice in the live feed"),
        message("The live feed receives events twice."),
    ),
    "poll-gap": FaultText(
        message("Late event in the live feed"),
        message("The live feed receives an event only after a later one."),
    ),
    "poll-reversed": FaultText(
        message("Wrong order in the live feed"),
        message("The live feed receives events in the wrong order."),
    ),
    "list-reversed": FaultText(
        message("Wrong order of a page"),
        message("The events of a page have the opposite order."),
    ),
    "list-empty": FaultText(
        message("Empty page"),
        message("A page of events is empty, although there are events."),
    ),
    "other-schema-version": FaultText(
        message("Schema committed by somebody else"),
        message("The answer announces a newer version of the schema."),
    ),
    "other-api-version": FaultText(
        message("Other version of the interface"),
        message("The answer announces another version of the interface."),
    ),
    "no-version-headers": FaultText(
        message("No versions"),
        message("The answer does not say which versions it belongs to."),
    ),
}
