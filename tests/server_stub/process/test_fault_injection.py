"""The option --chaos: seeds, files, and where it is refused."""

import json
from pathlib import Path

import httpx
import pytest

from tests.server_stub.command import called, running, signal_end


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])  # noqa: S104
def test_only_loopback(tmp_path: Path, host: str) -> None:
    """Faults are refused where other machines can call, in one sentence."""
    done = called("--database", str(tmp_path / "x.sqlite"), "--chaos", "1", "--host", host)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "cdb-server: --chaos injects faults, so the server must listen on this machine only, "
        f"not on {host}. Leave out --host.\n"
    )


def test_only_one_worker(tmp_path: Path) -> None:
    """Several workers would each count on their own."""
    done = called("--database", str(tmp_path / "x.sqlite"), "--chaos", "off", "--workers", "2")
    assert done.returncode == 2
    assert "Leave out --workers" in done.stderr


def test_a_wrong_file(tmp_path: Path) -> None:
    """The message names the file, the place in it, and the remedy; no database is created."""
    file, database = tmp_path / "rules.json", tmp_path / "x.sqlite"
    done = called("--database", str(database), "--chaos", str(file))
    assert done.returncode == 2
    assert f"the file {file} cannot be read" in done.stderr
    file.write_text('{"rules": [{"fault": "unavailable", "probability": 3}]}')
    done = called("--database", str(database), "--chaos", str(file))
    assert done.returncode == 2
    assert f"{file}: rules[0].probability: Expected float <= 1.0" in done.stderr
    assert not database.exists()


def _statuses(url: str, count: int) -> list[int]:
    with httpx.Client(base_url=f"{url}/api/v1", trust_env=False) as client:
        return [client.get("/settings").status_code for _ in range(count)]


def test_a_file_of_rules(tmp_path: Path) -> None:
    """The rules of the file are in force from the start; each fault is logged."""
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": [{"fault": "bad-gateway", "call": "GET /settings", "every": 3}]}))
    options = ("--database", str(tmp_path / "x.sqlite"), "--chaos", str(file), "--log-level", "INFO")
    with running(*options) as (child, url):
        assert _statuses(url, 6) == [502, 200, 200, 502, 200, 200]
        written = signal_end(child)
    assert "Warning: this server injects faults on purpose (--chaos)." in written
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    injected = [line for line in lines if line["message"] == "fault injected"]
    assert [(line["level"], line["fault"], line["path"]) for line in injected] == [
        ("INFO", "bad-gateway", "/api/v1/settings")
    ] * 2


def test_without_the_option_there_is_no_such_call(tmp_path: Path) -> None:
    """The calls exist only in a server that was started with --chaos."""
    with running("--database", str(tmp_path / "x.sqlite")) as (child, url):
        answer = httpx.get(f"{url}/api/v1/chaos", trust_env=False)
        assert answer.json()["code"] == "error.api.invalid_api"
        assert "/chaos" not in httpx.get(f"{url}/api/v1/openapi.json", trust_env=False).json()["paths"]
        signal_end(child)
