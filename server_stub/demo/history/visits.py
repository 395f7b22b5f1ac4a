"""A visit in the past, step by step, and the session that it leaves behind; knows no day."""

from __future__ import annotations

from server_stub.demo.actions import Habit, Scene, World, actor_of, sign_in, sign_out
from server_stub.demo.history.sessions import new_reference, session_row
from server_stub.demo.people import Person

SIGNS_OUT = 0.6


class Visit:
    """Signing in at the second `start`, some actions, and for most people signing out."""

    __slots__ = ("_habit", "_left", "_reference", "_scene", "_signed_out", "start")

    def __init__(self, world: World, person: Person, habit: Habit, start: int, steps: int) -> None:
        self._reference = new_reference(world.rng)
        self._scene = Scene(world, person, actor_of(person, self._reference), habit.tables, start)
        self._habit = habit
        self.start = start
        self._left = steps + 1
        self._signed_out = False

    def go_on(self) -> int | None:
        """Does the next thing; answers the second of the one after it, None when that was the last one."""
        scene = self._scene
        if self._left == 0:
            self._signed_out = scene.rng.random() < SIGNS_OUT
            if self._signed_out:
                sign_out(scene)
            return None
        self._left -= 1
        if scene.now == self.start:
            sign_in(scene)
        else:
            self._habit.actions.pick(scene.rng)(scene)
        return scene.now

    def session(self, end: int) -> dict[str, object]:
        """The row of the session as it stands at the second `end`."""
        return session_row(self._reference, self.start, self._scene.now, signed_out=self._signed_out, end=end)
