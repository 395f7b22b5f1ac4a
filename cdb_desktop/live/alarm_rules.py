"""Alarms: rules for saved views, and what raises one. Times are the service's, in seconds since 1970."""

from bisect import insort
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.foundation.files import RecordFile
from cdb_desktop.queries.query import Query, QueryMatcher, needs_service

AlarmKind = Literal["any", "more", "none"]

MOST_SECONDS = 366 * 86_400
_MOST_PROFILES = 50
_ALARMS_FILE = "alarms.json"  # next to the settings


class AlarmRule(msgspec.Struct, frozen=True):
    """When a saved view, given by its name, raises an alarm. Field names are part of the file format.

    any: each event. more: more than ``number`` events within ``seconds``; after an alarm they are counted
    from zero. none: no event for ``seconds``, once until there is one again.
    """

    view: str
    kind: AlarmKind = "any"
    number: int = 10
    seconds: int = 300
    sound: bool = True
    tray: bool = True


class Alarm(msgspec.Struct, frozen=True):
    """An alarm at ``moment``; ``number`` of matching events have raised it, the last of which is ``event``.

    Without an event none has matched since ``since``.
    """

    rule: AlarmRule
    moment: float
    event: Event | None = None
    number: int = 1
    since: float | None = None


class AlarmState(msgspec.Struct):
    """What a rule remembers: when an event has matched last, and the ``times`` of those that count.

    It is stored with the position in the log, so that the same events raise the same alarms after a restart.
    """

    last: float
    times: list[float] = []
    is_silent: bool = False  # whether there was an alarm since the last match


class ProfileAlarms(msgspec.Struct, frozen=True):
    """The rules of a profile, and up to which event they have been evaluated; None before the first time."""

    rules: tuple[AlarmRule, ...] = ()
    last_id: int | None = None
    states: dict[str, AlarmState] = {}


def alarms_file(folder: Path) -> RecordFile[ProfileAlarms]:
    """The rules by profile; ``folder`` is that of the settings."""
    return RecordFile(
        folder / _ALARMS_FILE,
        lambda record: msgspec.json.decode(record, type=ProfileAlarms),
        msgspec.json.encode,
        most=_MOST_PROFILES,
    )


def with_rule(rules: Sequence[AlarmRule], rule: AlarmRule) -> tuple[AlarmRule, ...]:
    """The rules with ``rule`` in place of that of the same view."""
    return (*without_rule(rules, rule.view), rule)


def without_rule(rules: Sequence[AlarmRule], view: str) -> tuple[AlarmRule, ...]:
    """The rules without that of a view."""
    return tuple(one for one in rules if one.view != view)


class ViewAlarm:
    """Evaluates the rule of one view.

    Events count at the times in their records, so that late ones raise the alarms that they would have raised
    before. An event without a time counts at the moment when it is taken.
    """

    def __init__(self, rule: AlarmRule, query: Query, state: AlarmState) -> None:
        """Raises PatternError. ``state`` is changed; it begins as ``AlarmState(now)``."""
        self.rule, self.query, self.state = rule, query, state
        self._matcher = QueryMatcher(query)
        self._take: Callable[[Event, float], Alarm | None] = {
            "any": self._any,
            "more": self._more,
            "none": self._none,
        }[rule.kind]

    @property
    def needs_whole(self) -> bool:
        """Whether short records do not contain all that is tested."""
        return self._matcher.needs_whole

    @property
    def needs_service(self) -> bool:
        """Whether only the service can say which events the query includes."""
        return needs_service(self.query)

    def take(self, event: Event, now: float) -> Alarm | None:
        """The alarm that an event raises, or None."""
        if not self._matcher.matches(event):
            return None
        moment = now if event.timestamp is None else event.timestamp.timestamp()
        alarm = self._take(event, moment)
        self.state.last = max(self.state.last, moment)
        return alarm

    def tick(self, now: float) -> Alarm | None:
        """The alarm that no event has matched for long; all events up to ``now`` must have been taken."""
        state = self.state
        if self.rule.kind != "none" or state.is_silent or now - state.last < self.rule.seconds:
            return None
        state.is_silent = True
        return Alarm(self.rule, state.last + self.rule.seconds, number=0, since=state.last)

    def _any(self, event: Event, moment: float) -> Alarm:
        return Alarm(self.rule, moment, event)

    def _more(self, event: Event, moment: float) -> Alarm | None:
        times = self.state.times
        insort(times, moment)
        first = times[-1] - self.rule.seconds
        while times[0] < first:
            del times[0]
        if len(times) <= self.rule.number:
            return None
        alarm = Alarm(self.rule, moment, event, len(times), times[0])
        times.clear()
        return alarm

    def _none(self, _event: Event, moment: float) -> Alarm | None:
        alarm = self.tick(moment)
        self.state.is_silent = False
        return alarm


def usable_rule(rule: AlarmRule) -> AlarmRule:
    """The rule with numbers in the possible range."""
    return replace(
        rule, number=max(1, min(rule.number, 10**6)), seconds=max(1, min(rule.seconds, MOST_SECONDS))
    )
