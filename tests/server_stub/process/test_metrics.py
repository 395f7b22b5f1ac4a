"""Metrics of one process; those of several are tested with their workers."""

from argparse import Namespace
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from server_stub.process.composition import CannotServeError
from server_stub.process.metrics import served
from tests.server_stub.command import called, running, signal_end


def test_calls_and_database_are_measured(tmp_path: Path) -> None:
    """Only this machine can read it, under a name of its own; unknown paths are counted together."""
    arguments = ("--database", str(tmp_path / "a.sqlite"), "--demo", "--demo-events", "10", "--metrics", "0")
    with running(*arguments) as (child, base), httpx.Client() as client:
        assert child.stderr is not None
        metrics = child.stderr.readline().removeprefix("Metrics on ").strip()
        assert metrics.startswith("http://127.0.0.1:")
        for path in ("settings", "settings", "event/1", "event/2", "no/such", f"nor/{'x' * 40}"):
            client.get(f"{base}/api/v1/{path}")
        found = {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(client.get(metrics).text)
            for sample in family.samples
        }
        named = {key[1:]: value for key, value in found.items() if key[0] == "cdb_call_seconds_count"}
        assert named == {
            ("GET", "/api/v1/settings", "200"): 2,
            ("GET", "/api/v1/event/{id}", "400"): 2,
            ("none", "none", "400"): 2,
        }
        assert found["cdb_database_up",] == 1
        assert found["cdb_newest_event_id",] >= 3
        assert found["cdb_disk_free_bytes",] > 0
        foreign = client.get(metrics, headers={"host": "page.example"})
        assert (foreign.status_code, "cdb_" in foreign.text) == (403, False)
        assert signal_end(child) == ""


def test_other_machines_need_the_token(tmp_path: Path) -> None:
    """It is asked for at every address where there is one, in place of a local name."""
    for address in ("0.0.0.0:0", "[::]:0", "example.org:0"):
        done = called("--metrics", address)
        assert (done.returncode, "needs --metrics-token-file" in done.stderr) == (2, True)
    file = tmp_path / "token"
    options = Namespace(metrics=("127.0.0.1", 0), metrics_token_file=file, workers=1)
    services = Mock(database=Mock(disk_space=None, answers=Mock(return_value=False)))
    for content, reason in ((None, "cannot be read"), (" \n", "is empty")):
        if content is not None:
            file.write_text(content)
        with pytest.raises(CannotServeError, match=reason), served(services, options):
            pass
    file.write_text("s3cret\n")
    with served(services, options) as address, httpx.Client(headers={"host": "metrics.example"}) as client:
        for given, status in ((None, 401), ("Bearer s3cre", 401), ("s3cret", 401), ("Bearer s3cret", 200)):
            answer = client.get(address, headers={} if given is None else {"authorization": given})
            assert (answer.status_code, "cdb_database_up" in answer.text) == (status, status == 200)
