"""The calls of an export and a search with httpx only."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import httpx
import msgspec

from cdb_desktop.client import CsvOptions, EventFilter, Sort
from cdb_desktop.client.generation5.calls import Generation5
from cdb_desktop.client.request import Request
from cdb_desktop.events.result import PAGE_SIZE

_CALLS = Generation5()
_OVERLAP = 1  # every page begins with the last event of the previous one


class _Page(msgspec.Struct):
    objects: list[msgspec.Raw]


_pages = msgspec.json.Decoder(_Page)


class Bare:
    """One client for all calls."""

    def __init__(self, base: str, token: str) -> None:
        self._http = httpx.Client(base_url=base, trust_env=False, timeout=60)
        self._token = token

    def close(self) -> None:
        """Closes the connection."""
        self._http.close()

    def export(self, chosen: EventFilter, total: int, file: Path) -> None:
        """Writes the responses to a file, page after page."""
        with file.open("wb") as target:
            for answer in self._answers(
                total,
                lambda offset: (
                    _CALLS.list_csv(
                        chosen, CsvOptions(max_length=0), (Sort("_id"),), PAGE_SIZE, offset
                    ).request
                ),
            ):
                target.write(answer)

    def search(self, chosen: EventFilter, total: int, pattern: re.Pattern[bytes]) -> int:
        """Searches the text of every record; returns the number of hits."""
        newest_first = (Sort("_id", descending=True),)

        def ask(offset: int) -> Request:
            call = _CALLS.list_events(chosen, newest_first, PAGE_SIZE, offset, full=True, skip_count=True)
            return call.request

        hits = 0
        for number, answer in enumerate(self._answers(total, ask)):
            records = _pages.decode(answer).objects[_OVERLAP if number else 0 :]
            hits += sum(pattern.search(record) is not None for record in records)
        return hits

    def _answers(self, total: int, ask: Callable[[int], Request]) -> Iterator[bytes]:
        for offset in range(0, total, PAGE_SIZE - _OVERLAP):
            request = ask(offset)
            query = urlencode((*request.query, ("token", self._token), ("pretty", "0")))
            yield self._http.get(f"/{request.path}?{query}").raise_for_status().content
