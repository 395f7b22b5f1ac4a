"""Tests of events in a file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.live.recording import Recording


def test_each_event_is_a_line_that_can_be_read_back_at_once(tmp_path: Path) -> None:
    """Marks stand between them; the file is whole after every call."""
    file = tmp_path / "feed.jsonl"
    recording = Recording(file)
    recording.write([Event(id=1, type="SEARCH"), Event(id=2)])
    recording.mark(datetime(2026, 1, 2, tzinfo=UTC))
    recording.write([Event(id=3, user={"_id": 7})])
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line.get("event", {}).get("_id") for line in lines] == [1, 2, None, 3]
    assert lines[2] == {"mark": "2026-01-02T00:00:00Z"}
    assert recording.events == 3
    recording.close()


def test_nothing_in_the_file_signs_in(tmp_path: Path) -> None:
    """Neither the session nor an address in the info."""
    recording = Recording(tmp_path / "feed.jsonl")
    info = msgspec.Raw(b'{"url": "https://x/api/v1/event?token=abc-123"}')
    recording.write([Event(id=1, session_token="ac554a02", info=info)])
    recording.close()
    text = recording.path.read_text()
    assert "abc-123" not in text
    assert "ac554a02" not in text


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """Before anything is recorded."""
    with pytest.raises(OSError, match="nowhere"):
        Recording(tmp_path / "nowhere" / "feed.jsonl")
