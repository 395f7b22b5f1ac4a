"""Metrics of one process; those of several are tested with their workers."""

from __future__ import annotations

from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.server_stub.command import running, signal_end


def test_calls_and_database_are_measured(tmp_path: Path) -> None:
    """Only this machine can read it, under a name of its own; unknown paths are counted together."""
    arguments = ("--database", str(tmp_path / "a.sqlite"), "--demo", "--demo-events", "3", "--metrics", "0")
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
