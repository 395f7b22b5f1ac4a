"""Paints the changes between any two versions in the diagram, and goes through them one after another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.changes import pair_documents
from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.working_copy import EMPTY
from cdb_desktop.ui.schema.compare.controller import CommittedVersions
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.vocabulary.error_messages import error_message

_READ, _COMMITS = "schema.timeline", "schema.timeline.commits"
_MOST = 200  # versions on the time line, the newest ones

Side = int | Literal["draft", "saved"]  # a committed version (0: before the first), HEAD as shown or as saved
_DRAFT: Side = "draft"
_SAVED: Side = "saved"


class TimeLineController(QObject):
    """Shows the page as a comparison of two versions while its action is checked.

    Committed versions are read when they are needed first, those that are wanted before all others.
    """

    def __init__(
        self, editor: SchemaEditor, action: QAction, versions: CommittedVersions | None = None
    ) -> None:
        """``versions`` is None for a model file."""
        super().__init__(editor)
        self._editor, self._action = editor, action
        self._store, self._tasks = editor.store, editor.tasks
        self._versions = versions
        self._bar = editor.view.diagram_panel.time_line
        self._pair: tuple[Side, Side] = (_SAVED, _DRAFT)
        self._shown: tuple[Side, Side] | None = None
        self._missing: set[int] = set()  # versions that the service does not have
        self._last_put: Document | None = None  # what the page shows for it instead of the draft
        self._commits: Mapping[int, str] | None = None  # None until they have been looked for
        self._before: tuple[Document | None, ElementRef] | None = None
        self._is_putting = self._reads_all = False
        action.setChecked(False)
        action.toggled.connect(self._toggle)
        self._bar.closed.connect(lambda: action.setChecked(False))
        self._bar.pair_chosen.connect(self._choose)
        self._bar.stepped.connect(self._step)
        self._bar.cancelled.connect(self._give_up)
        self._store.changed.connect(self._follow)

    @property
    def is_open(self) -> bool:
        """Whether versions are compared."""
        return self._before is not None

    def _toggle(self, on: bool) -> None:
        page = self._store.page
        if not on:
            self._end()
        elif not page.is_read:
            self._action.setChecked(False)
        elif not self.is_open:
            self._pair = self._first_pair(page)
            self._begin()

    def _begin(self) -> None:
        page = self._store.page
        self._before = page.past, page.selection
        self._reads_all = True
        self._shown = None
        self._action.setChecked(True)
        self._bar.show()
        self._show()
        self._bar.slider.setFocus()
        if self._versions is not None:
            self._tasks.start(_COMMITS, self._load_commits(self._versions))

    def _end(self) -> None:
        """Returns to what was shown before."""
        before, self._before = self._before, None
        self._tasks.cancel(_READ)
        self._bar.show_progress("")
        self._bar.hide()
        page = self._store.page
        if before is not None:
            past, selection = before
            self._store.put(replace(page, compared=None, past=past, selection=selection))
            self._editor.view.diagram.setFocus()

    def _first_pair(self, page: PageState) -> tuple[Side, Side]:
        """What is compared at first: the version that is shown with the one before it."""
        shown, current = page.shown_version, page.current_version
        if shown is not None:
            return shown - 1, shown
        if page.file or current is None:
            return _SAVED if page.file else 0, _DRAFT
        return (current, _DRAFT) if page.editing.changes else (current - 1, current)

    def _stops(self, page: PageState) -> Sequence[Side]:
        """The versions of the time line, oldest first."""
        if page.file:
            return _SAVED, _DRAFT
        current = page.current_version or 0
        return (*range(max(1, current - _MOST + 1), current + 1), _DRAFT)

    def _choices(self, page: PageState) -> list[tuple[str, object]]:
        if page.file:
            return [
                (tr("{file}, as shown", file=page.file), _DRAFT),
                (tr("{file}, as saved", file=page.file), _SAVED),
            ]
        found: list[tuple[str, object]] = [(self._name(_DRAFT, page), _DRAFT)]
        if not page.editing.is_saved or _SAVED in self._pair:
            found.append((self._name(_SAVED, page), _SAVED))
        stops = [stop for stop in self._stops(page) if isinstance(stop, int)]
        found += [(self._name(stop, page), stop) for stop in reversed(stops)]
        return [*found, (self._name(0, page), 0)]

    def _name(self, side: Side, page: PageState) -> str:
        if side == _DRAFT:
            return f"HEAD v{page.editing.head.version}" if page.editing.head else "HEAD"
        if side == _SAVED:
            return tr("HEAD, as saved")
        if side == 0:
            return tr("nothing")
        return f"CURRENT v{side}" if side == page.current_version else f"v{side}"

    def _choose(self, old: object, new: object) -> None:
        sides = [one for one in (old, new) if isinstance(one, int) or one in (_DRAFT, _SAVED)]
        if len(sides) == 2:
            self._pair = sides[0], sides[1]
            self._show()

    def _step(self, index: int) -> None:
        """Shows a version of the time line with the changes against the version before it."""
        stops = self._stops(self._store.page)
        if 0 <= index < len(stops):
            self._pair = _before(stops, index), stops[index]
            self._show()

    def _index(self, page: PageState) -> int:
        stops, new = list(self._stops(page)), self._pair[1]
        return stops.index(new) if new in stops else len(stops) - 1

    def _follow(self, page: PageState) -> None:
        """Shows the comparison again after HEAD or CURRENT was read again, or another version was chosen."""
        if not self.is_open or self._is_putting:
            return
        if page.compared is None:
            self._before = None
            self._action.setChecked(False)
            return
        shown: Side = _DRAFT if page.past is None else page.shown_version or _SAVED
        if self._shown == self._pair and page.past is not self._last_put and shown != self._pair[1]:
            # A version was chosen in the list above the diagram.
            stops = list(self._stops(page))
            old = _before(stops, stops.index(shown)) if shown in stops else self._pair[0]
            self._pair = old, shown
        self._show()

    def _show(self) -> None:
        """Paints the pair if both versions are known; reads those that are not."""
        page = self._store.page
        if not self.is_open:
            return
        self._bar.show_versions(self._choices(page), *self._pair)
        new, stops = self._pair[1], self._stops(page)
        self._bar.show_place(self._index(page), len(stops), self._name(new, page))
        self._show_note(page)
        old, shown = (self._document(side, page) for side in self._pair)
        if old is not None and shown is not None:
            self._put(page, old, shown)
        missing = [
            side for side in self._pair if isinstance(side, int) and self._document(side, page) is None
        ]
        if self._reads_all:
            rest = (stop for stop in reversed(stops) if isinstance(stop, int) and stop not in missing)
            missing += [stop for stop in rest if self._document(stop, page) is None]
        if missing and self._versions is not None:
            title = tr("Reading versions of the schema")
            self._tasks.start(
                _READ,
                self._read(self._versions, missing),
                title=title,
                on_error=self._fail,
                on_given_up=self._stop_reading,
            )

    def _show_note(self, page: PageState) -> None:
        """Shows author and time of the newer version, or that they are unknown."""
        new = self._pair[1]
        if not isinstance(new, int):
            self._bar.show_note("" if page.file else tr("not committed"))
        elif self._commits is None or new == 0:
            self._bar.show_note("")
        else:
            unknown = tr("author and time unknown: no event of this commit can be read")
            self._bar.show_note(self._commits.get(new, unknown))

    def _put(self, page: PageState, old: Document, new: Document) -> None:
        past = None if self._pair[1] == _DRAFT else new
        if page.compared is not old or page.past is not past:
            self._is_putting = True
            self._store.put(replace(page, compared=old, past=past))
            self._is_putting = False
        self._shown, self._last_put = self._pair, past

    def _document(self, side: Side, page: PageState) -> Document | None:
        """A version, None if it has not been read."""
        if side == _DRAFT:
            return page.editing.document
        if side == _SAVED:
            return page.editing.head or EMPTY
        if side == 0 or side in self._missing:
            return EMPTY
        return self._versions.known(side) if self._versions is not None and isinstance(side, int) else None

    async def _read(self, versions: CommittedVersions, missing: Sequence[int]) -> None:
        """Reads versions in this order; the pair is painted as soon as it is known."""
        for number, version in enumerate(missing):
            text = tr("Version {number} of {count}", number=number + 1, count=len(missing))
            self._bar.show_progress(text)
            self._tasks.show_progress(_READ, tr("Reading versions of the schema"), number / len(missing))
            if await versions.read(version) is EMPTY:
                self._missing.add(version)
            page = self._store.page
            if not self.is_open:
                return
            old, new = (self._document(side, page) for side in self._pair)
            if self._shown != self._pair and old is not None and new is not None:
                self._put(page, old, new)
        self._bar.show_progress("")
        page = self._store.page
        if self._reads_all:
            stops = [self._document(stop, page) for stop in self._stops(page)]
            whole = await run_in_thread(_union, [one for one in stops if one is not None])
            await self._editor.layout.make_room(whole)

    async def _load_commits(self, versions: CommittedVersions) -> None:
        self._commits = await versions.read_commits()
        if self.is_open:
            self._show_note(self._store.page)

    def _give_up(self) -> None:
        self._tasks.give_up(_READ)

    def _stop_reading(self) -> None:
        """The user does not want to wait: what is painted stays, and only wanted versions are read later."""
        self._reads_all = False
        self._bar.show_progress("")
        if self._shown is not None:
            self._pair = self._shown
            self._show()

    def _fail(self, error: Exception) -> None:
        self._stop_reading()
        self._editor.view.notice.show_error(error_message(error))


def _before(stops: Sequence[Side], index: int) -> Side:
    """The version before one of the time line; the one before the first is not on it."""
    first = stops[0]
    return stops[index - 1] if index else (first - 1 if isinstance(first, int) else 0)


def _union(documents: Iterable[Document]) -> Document:
    """One document with all elements of all versions."""
    whole = EMPTY
    for document in documents:
        whole = pair_documents(whole, document).document
    return whole
