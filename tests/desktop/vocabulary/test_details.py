"""Tests of what can be copied of a failure."""

from __future__ import annotations

from cdb_desktop.client import AnswerError, ServerError, SlowAnswerError, UnreachableError
from cdb_desktop.vocabulary.details import details_of
from cdb_desktop.vocabulary.sentences import sentence


def test_everything_that_the_service_told_is_there() -> None:
    """Code, status, description and uuid, a line each."""
    error = ServerError("server", "error.server.generic", {"n": "1"}, "It broke.", "c0ffee", 500)
    told = details_of(error)
    assert "code: error.server.generic" in told
    assert {"status: 500", "parameter n: 1", "description: It broke.", "uuid: c0ffee"} <= set(told)
    assert sentence(error).details.splitlines() == ["Internal server error", *told]


def test_faults_on_the_way_have_details_too() -> None:
    """So that they can be passed on to whoever keeps the network."""
    assert details_of(UnreachableError("tls", "expired")) == ("unreachable: tls", "reason: expired")
    assert details_of(SlowAnswerError(30.0)) == ("seconds: 30",)
    assert "status: 502" in details_of(AnswerError("a web page", status=502))


def test_no_secret_is_copied() -> None:
    """Whatever it hides in."""
    told = details_of(ValueError("https://x/?token=hush&password=hush"))
    assert "hush" not in " ".join(told)
