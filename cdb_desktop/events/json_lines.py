"""One page of whole records as JSON, one a line, cut by id as pages of CSV are. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cdb_desktop.events.record_page import RecordPage
from cdb_desktop.vocabulary.event_json import json_line


class JsonLines(RecordPage, frozen=True):
    """There is no header. What cannot be read is written as it came."""

    header: bytes = b""

    @property
    def rows(self) -> Sequence[bytes]:
        """The records as lines."""
        return [json_line(one) for one in self.records]

    @property
    def columns(self) -> tuple[str, ...]:
        """None: each record tells its own."""
        return ()

    def pieces(self, chosen: range) -> Iterable[bytes]:
        """The chosen records, secrets masked."""
        return map(json_line, self.chosen(chosen))
