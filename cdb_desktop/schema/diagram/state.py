"""What a diagram shows of a schema, where its boxes are, and how undo restores that: one frozen value.

The methods of `DiagramState` return the state after something happened. Nothing here draws or knows Qt.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Protocol

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.diagram.group_layout import brought_to_group
from cdb_desktop.schema.diagram.groups import Groups, group_of_box
from cdb_desktop.schema.diagram.model import Arrangement, Point, SchemaGraph
from cdb_desktop.schema.diagram.placement import without_covered
from cdb_desktop.schema.diagram.routing import Routes
from cdb_desktop.schema.diagram.scope import GroupTables, Part, Scope, ViewTables, part_renumbered
from cdb_desktop.schema.diagram.views import DraftPlace, Viewport, with_draft_places

_REPEATED_SECONDS = 1.5  # between steps of the same kind that become one
_MOST_ROUTES = 100  # states whose routes are remembered
_MOST_BACK = 50
_MOST_BROUGHT = 12  # new tables that come to their groups; more are placed below the others

Place = tuple[float, int, int]  # of a view: its zoom and the position of its corner


class _Titled(Protocol):
    @property
    def title(self) -> Message: ...


class UndoHistory(Protocol):
    """What matters here of the page's undo history (`EditHistory`), which has documents only."""

    @property
    def states(self) -> Sequence[_Titled]:
        """All states; a jump keeps this object."""

    @property
    def position(self) -> int:
        """The position among them."""


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

    ``results`` are the steps that changed the diagram, in the order in which they are undone or redone, with
    what that restores. ``last`` is the last step, None if it is followed by one that did not change it.
    """

    results: tuple[tuple[LayoutStep, Arrangement], ...]
    last: LayoutStep | None


@dataclass(frozen=True, slots=True)
class LayoutHistory:
    """The steps of the undo history that changed the diagram, and where that history is ``now``.

    ``routes`` are those in its states, as they were when the states were left: by the title of the state,
    which is kept so that no other has its id, and the part of the schema.
    """

    steps: tuple[LayoutStep, ...] = ()
    now: UndoHistory | None = None
    routes: Mapping[tuple[int, Part], tuple[Message, Routes]] = field(default_factory=dict)

    def is_left_for(self, now: UndoHistory) -> bool:
        """Whether the undo history is another one than before: something was edited, undone or redone."""
        return self.now is not None and self.now is not now

    def advanced(
        self, now: UndoHistory, part: Part = None, routes: Routes | None = None
    ) -> tuple[LayoutHistory, Jump | None]:
        """At the undo history that is shown now, and what has been undone or redone.

        ``routes`` are those that are left, of what ``part`` shows; None if they are not of the state.
        """
        last, found = self.now, replace(self, now=now)
        if last is None or last is now:
            return found, None
        if routes is not None:
            found = found.with_routes(last.states[last.position].title, part, routes)
        is_jump = last.states is now.states and last.position != now.position
        return found, self._jump(last, now) if is_jump else None

    def _jump(self, last: UndoHistory, now: UndoHistory) -> Jump:
        low, high = sorted((last.position, now.position))
        titles = [state.title for state in now.states[low + 1 : high + 1]]
        crossed = {id(title) for title in titles}
        steps = [step for step in self.steps if id(step.title) in crossed]
        is_back = now.position < last.position
        if is_back:
            steps.reverse()
            titles.reverse()
        final = steps[-1] if steps and steps[-1].title is titles[-1] else None
        return Jump(tuple((step, step.before if is_back else step.after) for step in steps), final)

    def with_routes(self, title: Message, part: Part, routes: Routes) -> LayoutHistory:
        """With the routes of a state; those of many others are forgotten."""
        others = [each for each in self.routes.items() if each[0] != (id(title), part)]
        return replace(self, routes=dict([*others[1 - _MOST_ROUTES :], ((id(title), part), (title, routes))]))

    def routes_of(self, part: Part) -> Routes | None:
        """The routes in the state of the undo history, if they are known."""
        if self.now is None:
            return None
        return self.routes.get((id(self.now.states[self.now.position].title), part), (None, None))[1]

    def recorded(self, now: UndoHistory, step: LayoutStep, routes: Routes | None = None) -> LayoutHistory:
        """With the step that the undo history is at, and without lost ones; ``routes`` are those before."""
        found = self
        if routes is not None and now.position:
            found = found.with_routes(now.states[now.position - 1].title, step.scope.part, routes)
        titles = {id(state.title) for state in now.states}
        kept = (each for each in self.steps if id(each.title) in titles)
        return replace(found, steps=(*kept, step), now=now)

    def extended(self, now: UndoHistory, after: Arrangement, part: Part, kind: str) -> LayoutHistory | None:
        """With a change of the last step; None if that is not possible.

        It is if the undo history is at that step, and the step was made in the same part of the schema, is of
        the same kind, and was made or repeated a moment ago.
        """
        last = self.steps[-1] if self.steps else None
        if last is None or last.title is not now.states[now.position].title or last.scope.part != part:
            return None
        moment = monotonic()
        if last.kind != kind or moment - last.time >= _REPEATED_SECONDS:
            return None
        return replace(self, steps=(*self.steps[:-1], replace(last, after=after, time=moment)))

    def renumbered(self, tables: Mapping[int, int], columns: Mapping[int, int]) -> LayoutHistory:
        """With the ids of tables and columns that saving assigned, by the keys before."""
        routes = {
            (number, part_renumbered(part, tables)): (title, found.renumbered(tables, columns))
            for (number, part), (title, found) in self.routes.items()
        }
        return replace(self, steps=tuple(step.renumbered(tables) for step in self.steps), routes=routes)


@dataclass(frozen=True, slots=True)
class BeforeComparison:
    """What returns after versions were compared: all arrangements, and the place of the view of a part.

    ``has_room`` is whether all versions have a place with enough space.
    """

    part: Part
    place: Place
    arrangements: Mapping[Part, Arrangement]
    has_room: bool = False


@dataclass(frozen=True, slots=True)
class DiagramState:
    """What the diagram shows, and where.

    Each part of the schema has an arrangement of its own, so that those of the others stay. Groups and folded
    tables are those of the part that is shown; it hands them on to the next. ``comparison`` is not None while
    versions are compared. ``undecided`` tables were hidden while others were arranged.

    ``former`` is what was shown before, with what was visible of it. ``known`` are tables that have been in
    the schema, ``assigned`` the ids of saved tables by their keys before.
    """

    scope: Scope = field(default_factory=Scope)
    arrangements: Mapping[Part, Arrangement] = field(default_factory=lambda: {None: Arrangement()})
    comparison: BeforeComparison | None = None
    undecided: frozenset[int] = frozenset()
    history: LayoutHistory = field(default_factory=LayoutHistory)
    former: tuple[tuple[Scope, Viewport], ...] = ()
    deleted_views: frozenset[int] = frozenset()
    known: frozenset[int] = frozenset()
    assigned: Mapping[int, int] = field(default_factory=dict)

    @property
    def arrangement(self) -> Arrangement:
        """That of the part that is shown."""
        return self.arrangements[self.scope.part]

    @property
    def kept_arrangement(self) -> Arrangement:
        """That of everything, as it is stored: without what is moved while versions are compared."""
        now = self.comparison
        part, found = (self.scope.part, self.arrangements) if now is None else (now.part, now.arrangements)
        return _with_groups_of(found[None], found[part])

    def arranged(self, arrangement: Arrangement) -> DiagramState:
        """With another arrangement of the part that is shown."""
        return replace(self, arrangements={**self.arrangements, self.scope.part: arrangement})

    def moved(self, positions: Mapping[int, Point]) -> DiagramState:
        """With other positions of some boxes in the part that is shown."""
        return self.arranged(self.arrangement.moved(positions))

    def placed(self, part: Part, positions: Mapping[int, Point]) -> DiagramState:
        """With the boxes of a part where they are when it is shown the next time."""
        collapsed = {group_of_box(key) for key in positions} - {None}
        now = self.arrangement
        groups = tuple(replace(group, is_collapsed=group.key in collapsed) for group in now.groups)
        others = now.positions if part == self.scope.part else {}
        found = Arrangement({**others, **positions}, Groups(groups), now.folded)
        return replace(self, arrangements={**self.arrangements, part: found})

    def in_scope(self, scope: Scope) -> DiagramState:
        """With another scope instead of this one, to which there is no way back."""
        found, part = self.arrangements, scope.part
        if part == self.scope.part:
            return replace(self, scope=scope)
        entered = found.get(part, Arrangement())
        if part not in found and isinstance(part, GroupTables):  # looks as it does among the others
            places = {key: at for key, at in found[None].positions.items() if key in part.tables}
            entered = Arrangement(places)
        now = self.comparison
        return replace(
            self,
            scope=scope,
            arrangements={**found, part: _with_groups_of(entered, self.arrangement)},
            comparison=None if now is None else replace(now, has_room=False),
        )

    def showing(self, scope: Scope, seen: Viewport) -> DiagramState:
        """With another scope; `back` returns to this one, of which ``seen`` was visible."""
        found = self
        if isinstance(scope.part, ViewTables):  # it was brought back
            found = replace(self, deleted_views=self.deleted_views - {scope.part.view})
        if scope == self.scope:
            return found
        return replace(found, former=(*self.former[-_MOST_BACK:], (self.scope, seen))).in_scope(scope)

    def back(self) -> tuple[DiagramState, Viewport | None]:
        """With the scope before, and what was visible of it."""
        if not self.former:
            return self, None
        scope, viewport = self.former[-1]
        return replace(self, former=self.former[:-1]).in_scope(scope), viewport

    def without_part(self) -> tuple[DiagramState, Viewport | None]:
        """With what was shown before the part of the schema that is shown now."""
        part, former = self.scope.part, self.former
        while former and former[-1][0].part == part:
            former = former[:-1]
        found = replace(self, former=former)
        if former:
            return found.back()
        return (found if part is None else found.in_scope(Scope())), None

    def without_view(self, view: int) -> tuple[DiagramState, Viewport | None]:
        """Without a named view that is not there any more, also on the way back."""
        former: list[tuple[Scope, Viewport]] = []
        for scope, viewport in self.former:
            # What is the same before and after the view is one step.
            if not _shows_view(scope, view) and (not former or former[-1][0] != scope):
                former.append((scope, viewport))
        if former and former[-1][0] == self.scope:
            former.pop()
        found = replace(self, former=tuple(former), deleted_views=self.deleted_views | {view})
        return found.without_part() if _shows_view(self.scope, view) else (found, None)

    def joined(self, graph: SchemaGraph) -> DiagramState:
        """With the tables of the whole schema. New ones of an edit are shown in any part."""
        keys = frozenset(box.table for box in graph.boxes)
        new = {key for key in keys - self.known if key < 0} if self.known else set()
        found = replace(self, known=self.known | keys)
        if new and self.scope.part is not None:
            return replace(found, scope=self.scope.showing(new))
        return found

    def decided(self, graph: SchemaGraph, shown: Collection[int]) -> DiagramState:
        """With tables ``shown`` that were hidden before; those that are covered now get another place."""
        found = self.undecided.intersection(shown)
        if not found or self.scope.part is not None:
            return self
        clear = without_covered(graph, self.arrangement, found)
        return replace(self, undecided=self.undecided - found).arranged(clear)

    def with_new_in_groups(self, sheet: SchemaGraph, graph: SchemaGraph) -> DiagramState:
        """With tables of ``sheet`` that are shown for the first time in this part beside their groups."""
        found = self.arrangement
        new = [box.table for box in sheet.boxes if box.table not in found.positions]
        for table in new if len(new) <= _MOST_BROUGHT else ():
            group = found.groups.by_table.get(table)
            if group is not None:
                found = brought_to_group(found, (table,), group.key, graph)
        return self.arranged(found)

    def with_draft(self, places: Mapping[int, DraftPlace]) -> DiagramState:
        """With the new tables of a restored draft where they were; undo takes their groups back."""
        if not places:
            return self
        before, whole = self.arrangement, with_draft_places(self.arrangements[None], places)
        now, groups = self.history.now, self.arrangements[None].groups
        found = replace(self, arrangements={**self.arrangements, None: whole})
        if self.scope.part is not None:
            found = found.arranged(_with_groups_of(before, whole))
        is_step = whole.groups != groups and now is not None and now.position
        return found.recorded(now, before) if is_step and now is not None else found

    def compared(self, place: Place, routes: Routes) -> DiagramState:
        """While versions are compared, beginning at a place of the view; nothing of it is kept."""
        now, part = self.history.now, self.scope.part
        if self.comparison is not None or now is None:
            return self
        history = self.history.with_routes(now.states[now.position].title, part, routes)
        return replace(self, history=history, comparison=BeforeComparison(part, place, self.arrangements))

    def resumed(self) -> DiagramState:
        """After versions were compared, with the arrangements of before."""
        if self.comparison is None:
            return self
        return replace(
            self, arrangements={**self.arrangements, **self.comparison.arrangements}, comparison=None
        )

    @property
    def routes(self) -> Routes | None:
        """The routes to restore after an undo or a comparison, as new ones would be others, if known."""
        return None if self.comparison is not None else self.history.routes_of(self.scope.part)

    def recorded(
        self, now: UndoHistory, before: Arrangement, kind: str = "", routes: Routes | None = None
    ) -> DiagramState:
        """With the arrangement as the result of the step that the undo history is at."""
        title = now.states[now.position].title
        step = LayoutStep(title, before, self.arrangement, self.scope, kind, monotonic())
        return replace(self, history=self.history.recorded(now, step, routes))

    def advanced(self, now: UndoHistory, routes: Routes) -> tuple[DiagramState, Jump | None]:
        """At the undo history that is shown now, and what has been undone or redone."""
        left = routes if self.comparison is None else None
        history, jump = self.history.advanced(now, self.scope.part, left)
        return replace(self, history=history), jump

    def jumped(self, jump: Jump, seen: Viewport) -> DiagramState:
        """After steps were undone or redone, in the part in which the last one was made.

        Otherwise nothing would change on the screen, and somebody who presses Ctrl+Z once more loses
        something else: parts have arrangements of their own, which are all in one history. Programs for
        presentations go to the slide of what they undo in the same way. *Back* returns.
        """
        found, step, scope = self, jump.last, self.scope
        if step is not None:
            is_deleted = any(_shows_view(step.scope, view) for view in self.deleted_views)
            if step.scope.part != scope.part and step.is_of_part and not is_deleted:
                found = self.showing(step.scope, seen)
            elif step.tables and step.tables <= scope.hidden:
                found = self.showing(scope.showing(step.tables), seen)
        arrangements, part = dict(found.arrangements), found.scope.part
        for each, result in jump.results:
            own = each.scope.part
            moved = arrangements.get(own, Arrangement()).moved(result.positions)
            arrangements[own] = replace(moved, groups=result.groups, folded=result.folded)
            if own != part:
                arrangements[part] = _with_groups_of(arrangements[part], result)
        return replace(found, arrangements=arrangements)

    def renumbered(self, tables: Mapping[int, int], columns: Mapping[int, int]) -> DiagramState:
        """With the ids of tables and columns that saving assigned, by the keys before."""
        now = self.comparison
        if now is not None:
            arrangements = _renumbered(now.arrangements, tables)
            now = replace(now, part=part_renumbered(now.part, tables), arrangements=arrangements)
        return replace(
            self,
            scope=self.scope.renumbered(tables),
            arrangements=_renumbered(self.arrangements, tables),
            comparison=now,
            undecided=frozenset(tables.get(key, key) for key in self.undecided),
            history=self.history.renumbered(tables, columns),
            former=tuple((scope.renumbered(tables), viewport) for scope, viewport in self.former),
            known=self.known.union(tables.values()),
            assigned={**self.assigned, **tables},
        )


def _shows_view(scope: Scope, view: int) -> bool:
    return isinstance(scope.part, ViewTables) and scope.part.view == view


def _renumbered(found: Mapping[Part, Arrangement], tables: Mapping[int, int]) -> dict[Part, Arrangement]:
    return {part_renumbered(part, tables): each.renumbered(tables) for part, each in found.items()}


def _with_groups_of(arrangement: Arrangement, other: Arrangement) -> Arrangement:
    """With the groups and folded tables of another arrangement; groups that were collapsed stay so."""
    collapsed = {group.key for group in arrangement.groups.collapsed}
    groups = tuple(replace(group, is_collapsed=group.key in collapsed) for group in other.groups)
    return replace(arrangement, groups=Groups(groups), folded=other.folded)
