"""Every call is logged as a line of JSON without secrets."""

import json
import logging
import secrets
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import httpx
import pytest

from server_stub.foundation.masking import hide_secrets, mask_secrets
from server_stub.process.serving import JsonLines, start_logging
from tests.server_stub.command import called, running, signal_end

PASSWORD = 'pass "word" & ä+%'
CALL = "session/authenticate"


@pytest.fixture
def written() -> Iterator[StringIO]:
    """A stream that receives all records of a logger."""
    text = StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("tests.logs")
    logger.addHandler(handler)
    logger.propagate = False
    yield text
    logger.removeHandler(handler)


def _records(written: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_a_record_is_one_line(written: StringIO) -> None:
    """Line breaks, quotes and traces are escaped in the JSON."""
    log = logging.getLogger("tests.logs")
    try:
        int("two\nlines")
    except ValueError:
        log.exception('said "%s"', "a\nb", extra={"fields": {"status": 500, "path": "/ä\udc80"}})
    (record,) = _records(written)
    assert (record["level"], record["logger"], record["message"]) == ("ERROR", "tests.logs", 'said "a\nb"')
    assert (record["status"], record["path"]) == (500, "/ä?")
    assert record["exception"].startswith("Traceback (most recent call last):\n")


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "?token={}&pretty=0",
        "no session {}.",
        "{{'token': '{}'}}",
        "/api/v1/event/{}",
        "x-easydb-token: {}",
    ],
)
def test_a_token_is_known_by_its_shape(written: StringIO, form: str) -> None:
    """A token is hidden in any message; the public reference of a session is not."""
    token, reference = secrets.token_urlsafe(32), "5d1f0c9e-6f7c-4b59-9d53-0a2f4c1b7e10"
    logging.getLogger("tests.logs").warning("%s %s", form.format(token), reference)
    assert token not in written.getvalue()
    assert reference in written.getvalue()


def test_a_damaged_secret_is_hidden_too() -> None:
    """A secret with bytes that are not UTF-8 is hidden in its escaped form too."""
    damaged = b"se\xffcret".decode("utf-8", "surrogateescape")
    met = (damaged, "se%FFcret", "\udcff")
    # Formatted here, since pytest stores records of loggers for its report, which must be UTF-8.
    record = logging.LogRecord("tests.logs", logging.WARNING, __file__, 1, "met %s, %s and a %s", met, None)
    with hide_secrets(damaged):
        assert json.loads(JsonLines().format(record))["message"] == "met …, … and a ?"


@pytest.mark.parametrize("write", [str, quote, quote_plus, repr])
def test_a_password_is_hidden_while_its_call_is_handled(write: Any) -> None:
    """A password is hidden in every encoding of an address, a form or a trace."""
    text = f"tried {write('geheim + ü')} in vain"
    with hide_secrets("geheim + ü"):
        assert mask_secrets(text).replace("'", "") == "tried … in vain"
    assert mask_secrets(text) == text


@pytest.mark.parametrize(
    "text", ["password=geheim&x=1", '{"password": "geheim"}', "Password: geheim", "{'token': 'geheim'}"]
)
def test_values_of_secret_names_are_hidden(text: str) -> None:
    """Values after names such as `password` are hidden, also outside of calls."""
    assert "geheim" not in mask_secrets(text)


def test_libraries_log_no_statements() -> None:
    """SQLAlchemy and alembic log no statements at DEBUG, since they contain hashes."""
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    try:
        start_logging("DEBUG")
        for name in ("sqlalchemy.engine.Engine", "alembic.runtime.migration"):
            assert not logging.getLogger(name).isEnabledFor(logging.INFO)
    finally:
        root.setLevel(before[0])
        root.handlers[:] = before[1]


def _calls(base: str, token: str) -> Iterator[httpx.Request]:
    """Calls of every kind with secrets in all possible places."""
    given = {"login": "root", "password": PASSWORD}
    signed = {"token": token}
    for path in ("session", "event/list", "event/poll", "event/1", "settings", "schema/user/HEAD", "no/such"):
        yield httpx.Request("GET", f"{base}/{path}", params=signed)
        yield httpx.Request("GET", f"{base}/{path}", headers={"x-easydb-token": token})
    for path in ("event/list", f"event/{token}", f"schema/user/{token}", "server/error"):
        yield httpx.Request("GET", f"{base}/{path}", params=signed | {"password": PASSWORD})
    yield httpx.Request("POST", f"{base}/{CALL}", params=signed | given)
    yield httpx.Request("POST", f"{base}/{CALL}", params=signed, data=given)
    yield httpx.Request("POST", f"{base}/{CALL}", data=given | signed)
    yield httpx.Request("POST", f"{base}/{CALL}", params=signed, data=given | {"login": PASSWORD})
    yield httpx.Request("POST", f"{base}/event", params=signed, json=given)
    yield httpx.Request("POST", f"{base}/plugin/base/server/error/server", params=signed)
    yield httpx.Request("POST", f"{base}/event", params=signed, content=b"{" + token.encode())


def test_debug_log_contains_no_secret(tmp_path: Path) -> None:
    """The DEBUG log of all kinds of calls has one line for each and contains no secret."""
    file = str(tmp_path / "a.sqlite")
    arguments = ("--database", file, "--demo", "--demo-events", "10", "--log-level", "debug")
    with running(*arguments) as (child, address):
        base = f"{address}/api/v1"
        with httpx.Client(timeout=60) as client:
            token = client.get(f"{base}/session").json()["token"]
            form = {"login": "root", "password": "admin"}
            session = client.post(f"{base}/{CALL}", params={"token": token}, data=form).json()
            assert session["user"]
            sent = list(_calls(base, token))
            given = ["odd id", "a" * 129, "gateway-1", token]
            for request, name in zip(sent, given, strict=False):
                request.headers["x-request-id"] = name
            shown = [client.send(request).headers["x-request-id"] for request in sent]
            assert [name in given for name in shown[:5]] == [False, False, True, True, False]
        errors = signal_end(child)
    for secret in (token, PASSWORD, quote(PASSWORD), quote_plus(PASSWORD), json.dumps(PASSWORD)[1:-1]):
        assert secret not in errors
    lines = [json.loads(line) for line in errors.splitlines()]
    answered = [line for line in lines if line["message"] == "answered"]
    assert len(answered) == len(sent) + 2
    assert {line["status"] for line in answered} >= {200, 400, 500}
    members = {"time", "level", "logger", "message", "method", "path", "status", "ms", "session", "request"}
    assert members == set(answered[0])
    assert [line["request"] for line in answered].index("gateway-1") == 4
    assert len({line["request"] for line in answered}) == len(answered)
    assert {"method": "GET", "path": "/api/v1/event/list", "status": 200}.items() <= answered[4].items()
    assert len({line["session"] for line in answered} - {None}) == 1


def test_the_option_has_precedence_over_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--log-level has precedence over CDB_LOG_LEVEL; other levels are refused."""
    file = ("--database", str(tmp_path / "a.sqlite"), "--demo", "--demo-events", "10")
    logged = []
    for level, arguments in (("info", ()), ("info", ("--log-level", "ERROR"))):
        monkeypatch.setenv("CDB_LOG_LEVEL", level)
        with running(*file, *arguments) as (child, base):
            httpx.get(f"{base}/api/v1/settings")
            logged.append("answered" in signal_end(child))
    assert logged == [True, False]
    monkeypatch.setenv("CDB_LOG_LEVEL", "loud")
    done = called(*file)
    assert done.returncode == 2
    assert "'loud' is none of DEBUG" in done.stderr
