"""The steps of the undo history that changed the diagram."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.diagram.routing import Routes
from cdb_desktop.schema.diagram.scope import Part, Scope, part_renumbered
from cdb_desktop.schema.working_copy import EditHistory

_REPEATED_SECONDS = 1.5  # between steps of the same kind that become one
_MOST_ROUTES = 100  # states whose routes are remembered


@dataclass(frozen=True, slots=True)
class LayoutStep:
    """The arrangements before and after a step of the undo history, by the title object of its state.

    They are of what ``scope`` shows, which was visible then. ``kind`` is that of a step that may be repeated;
    ``time`` is when it was made or repeated last, in seconds of the monotonic clock.
    """

    title: Message
    before: Arrangement
    after: Arrangement
    scope: Scope
    kind: str = ""
    time: float = 0.0

    @property
    def is_of_part(self) -> bool:
        """Whether it changed what every part has for itself: where boxes are, and which groups are boxes."""
        before, after = self.before.positions, self.after.positions
        if any(before[key] != after[key] for key in before.keys() & after.keys()):
            return True
        return {group.key for group in self.before.groups.collapsed} != {
            group.key for group in self.after.groups.collapsed
        }

    @property
    def tables(self) -> frozenset[int]:
        """The tables and boxes of groups that it concerns."""
        before, after = self.before, self.after
        known = before.positions.keys() & after.positions.keys()
        found = {key for key in known if before.positions[key] != after.positions[key]}
        for one, other in ((before.groups, after.groups), (after.groups, before.groups)):
            for group in one:
                if other.by_key.get(group.key) != group:
                    found |= group.tables
        return frozenset(found | (before.folded ^ after.folded))

    def renumbered(self, tables: Mapping[int, int]) -> LayoutStep:
        """With the ids of tables that saving assigned, by the keys before."""
        return replace(
            self,
            before=self.before.renumbered(tables),
            after=self.after.renumbered(tables),
            scope=self.scope.renumbered(tables),
        )


@dataclass(frozen=True, slots=True)
class Jump:
    """What is undone or redone at once.

    ``steps`` are those that changed the diagram, in the order in which they are undone or redone. ``last`` is
    the last one of them, None if it is followed by a step that did not change the diagram.
    """

    steps: tuple[LayoutStep, ...]
    last: LayoutStep | None
    is_back: bool

    def result(self, step: LayoutStep) -> Arrangement:
        """The arrangement that undoing or redoing a step restores."""
        return step.before if self.is_back else step.after


@dataclass(frozen=True, slots=True)
class Advance:
    """How the undo history differs from the one before."""

    is_edit: bool = False
    jump: Jump | None = None


class LayoutHistory:
    """Remembers the arrangements of steps in the undo history (`EditHistory`), which has documents only.

    And the routes of links in its states, as they were when the states were left.
    """

    def __init__(self) -> None:
        self._steps: list[LayoutStep] = []
        self._now: EditHistory | None = None
        # By the title of the state, which is kept so that no other has its id.
        self._routes: dict[tuple[int, Part], tuple[Message, Routes]] = {}

    def advance(
        self, now: EditHistory, part: Part = None, routes: Callable[[], Routes | None] | None = None
    ) -> Advance:
        """Goes on to the undo history that is shown now.

        ``routes`` returns those that are left, of what ``part`` shows; None if they are not of the state.
        """
        last, self._now = self._now, now
        if last is None or last is now:
            return Advance()
        left = None if routes is None else routes()
        if left is not None:
            self._keep_routes(last.states[last.position].title, part, left)
        is_jump = last.states is now.states and last.position != now.position
        return Advance(is_edit=True, jump=self._jump(last, now) if is_jump else None)

    def _jump(self, last: EditHistory, now: EditHistory) -> Jump:
        low, high = sorted((last.position, now.position))
        titles = [state.title for state in now.states[low + 1 : high + 1]]
        crossed = {id(title) for title in titles}
        steps = [step for step in self._steps if id(step.title) in crossed]
        is_back = now.position < last.position
        if is_back:
            steps.reverse()
            titles.reverse()
        final = steps[-1] if steps and steps[-1].title is titles[-1] else None
        return Jump(tuple(steps), final, is_back)

    def routes(self, now: EditHistory, part: Part) -> Routes | None:
        """The routes in the state of the undo history, if they are known."""
        return self._routes.get((id(now.states[now.position].title), part), (None, None))[1]

    def _keep_routes(self, title: Message, part: Part, routes: Routes) -> None:
        self._routes.pop((id(title), part), None)
        self._routes[id(title), part] = title, routes
        while len(self._routes) > _MOST_ROUTES:
            del self._routes[next(iter(self._routes))]

    def record(
        self,
        now: EditHistory,
        before: Arrangement,
        after: Arrangement,
        scope: Scope,
        kind: str = "",
        routes: Routes | None = None,
    ) -> None:
        """Adds the arrangements of the step that the undo history is at, and forgets those of lost steps.

        ``routes`` are those before the step.
        """
        if routes is not None and now.position:
            self._keep_routes(now.states[now.position - 1].title, scope.part, routes)
        self._now = now
        titles = {id(state.title) for state in now.states}
        self._steps = [step for step in self._steps if id(step.title) in titles]
        title = now.states[now.position].title
        self._steps.append(LayoutStep(title, before, after, scope, kind, monotonic()))

    def extend(self, now: EditHistory, after: Arrangement, part: Part, kind: str) -> bool:
        """Makes a change of the last step. Returns whether that was possible.

        It is if the undo history is at that step, and the step was made in the same part of the schema, is of
        the same kind, and was made or repeated a moment ago.
        """
        last = self._steps[-1] if self._steps else None
        if last is None or last.title is not now.states[now.position].title or last.scope.part != part:
            return False
        moment = monotonic()
        if last.kind != kind or moment - last.time >= _REPEATED_SECONDS:
            return False
        self._steps[-1] = replace(last, after=after, time=moment)
        return True

    def renumber(self, tables: Mapping[int, int], columns: Mapping[int, int]) -> None:
        """Replaces keys of tables and columns by the ids that saving has assigned."""
        self._steps = [step.renumbered(tables) for step in self._steps]
        self._routes = {
            (number, part_renumbered(part, tables)): (title, routes.renumbered(tables, columns))
            for (number, part), (title, routes) in self._routes.items()
        }
