"""The use of a table in words, for tooltips, the form and the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from cdb_desktop.events.table_use import READS, WRITES, TableUse, Use, UseScan
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.vocabulary.times import day_and_time


@dataclass(frozen=True, slots=True)
class KnownUse:
    """What is known of a table.

    ``use`` is None if events may not be read, ``rows`` is None if they cannot be counted.
    """

    use: TableUse | None = None
    scan: UseScan | None = None
    rows: int | None = None

    def number(self, use: Use) -> int | None:
        """How often the table was used in a way; None if that is unknown."""
        if self.use is None or self.scan is None or not self.scan.is_known(use):
            return None
        return self.use.counts[use]

    @property
    def reads(self) -> int | None:
        """The number of views and searches, as far as it is known."""
        known = [number for use in READS if (number := self.number(use)) is not None]
        return sum(known) if known else None

    @property
    def knows_writes(self) -> bool:
        """Whether events say when the table was written."""
        return self.scan is not None and all(self.scan.is_known(use) for use in WRITES)


def use_text(known: KnownUse, now: datetime) -> str:
    """The use of a table in a few lines."""
    return "\n".join(_lines(known, now))


def _lines(known: KnownUse, now: datetime) -> Iterator[str]:
    yield (
        tr("Number of rows unknown")
        if known.rows is None
        else tr("{count:1 row|{count} rows}", count=known.rows)
    )
    use, scan = known.use, known.scan
    if use is None or scan is None:
        yield tr("Use unknown: no events were read.")
        return
    period = period_text(scan, now)
    if use.last is None and known.knows_writes and known.reads is not None:
        yield tr("No event has touched this table {period}.", period=period)
        return
    if not known.knows_writes:
        yield tr("Last write unknown: the events do not name their tables.")
    elif use.last_write is None:
        yield tr("Not written {period}.", period=period)
    else:
        yield tr("Last written on {time}", time=day_and_time(use.last_write))
    numbers = [
        tr("{count:1 insert|{count} inserts}", count=use.counts[Use.INSERT]),
        tr("{count:1 update|{count} updates}", count=use.counts[Use.UPDATE]),
        tr("{count:1 deletion|{count} deletions}", count=use.counts[Use.DELETE]),
    ]
    if known.knows_writes and use.writes:
        yield ", ".join(numbers)
    views, searches = known.number(Use.VIEW), known.number(Use.SEARCH)
    yield tr("Views: unknown") if views is None else tr("{count:1 view|{count} views}", count=views)
    yield (
        tr("Searches: unknown")
        if searches is None
        else tr("{count:1 search|{count} searches}", count=searches)
    )
    if use.last_read is not None:
        yield tr("Last read on {time}", time=day_and_time(use.last_read))


def period_text(scan: UseScan, now: datetime) -> str:
    """The time that a scan has covered: ``for 90 days``, ``since`` a time, or ``in the whole log``."""
    begin = scan.begin
    if begin is None:
        return tr("in the whole log") if scan.is_complete else tr("in what was read so far")
    if scan.is_complete:
        return tr("for {count:1 day|{count} days}", count=(now - begin).days)
    return tr("since {time}, earlier events were not read", time=day_and_time(begin))


def scan_text(scan: UseScan, now: datetime) -> str:
    """What a scan that has ended has covered, and when."""
    text = tr("{count:1 event|{count} events}", count=scan.read)
    end = "" if scan.ended is None else tr("as of {time}", time=day_and_time(scan.ended))
    return " · ".join(filter(None, (text, period_text(scan, now), end)))
