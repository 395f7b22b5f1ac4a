"""What the pictures show: how the program gets there, what is cut out, and what is numbered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QDockWidget,
    QListWidget,
    QTableWidget,
    QToolButton,
    QTreeWidget,
)

from cdb_desktop.client import Event, Settings
from cdb_desktop.events.result import QueryResult
from cdb_desktop.live.alarm_rules import Alarm, AlarmRule
from cdb_desktop.schema.diff.apply import model_source
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.alarms import AlarmController, AlarmList
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.promotion.controller import PromotionController
from cdb_desktop.ui.schema.view import SchemaView

if TYPE_CHECKING:
    from screenshots import Stage

_RETURN = Qt.Key.Key_Return
_ADDRESS = "db.example.org"
_LIVE_HEIGHT = 210
_TOOLBAR = 32  # pixels of the diagram that would be empty above, but for its toolbar
_ABOVE = 24
_SMALL, _SCREEN = (1040, 600), (1366, 768)
_TABLE, _ROW, _ALARMS = "work", 2, 3
_FAULT, _NAME = "slow-answer", Qt.ItemDataRole.UserRole
_LATER = 1_000
_RED = "#D9534A"


@dataclass(frozen=True)
class Scene:
    """A picture: ``reach`` brings the program there, ``size`` is that of the window.

    ``subject`` are object names of what is shown, without any the window; ``numbers`` of what gets numbers.
    ``above`` is the height of the place for numbers above the subject.
    """

    name: str
    reach: Callable[[Stage], Awaitable[None]]
    subject: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    size: tuple[int, int] = _SMALL
    above: int = 0


async def _start(stage: Stage) -> None:
    await stage.part("connection.start.demo")


async def _connect(stage: Stage, generation: int) -> ConnectionDialog:
    stage.run("connect")
    dialog = await stage.appears(ConnectionDialog)
    await stage.until(lambda: not dialog.form.hint("remember").isHidden(), "the keyring was not looked for.")
    dialog.form.show_keyring(lasting=True)
    await stage.type("connection.dialog.address", _ADDRESS)
    dialog.form.show_methods(Settings(name="Museum", server_version="5.5.0", generation=generation))
    return dialog


async def _connection(stage: Stage) -> None:
    dialog = await _connect(stage, 5)
    await stage.type("connection.dialog.login", "mlindqvist")
    await stage.type("connection.dialog.password", "museum-2026")
    await stage.type("connection.dialog.name", "Museum")
    dialog.form.swatches.choose(_RED)


async def _sign_in(stage: Stage) -> None:
    dialog = await _connect(stage, 6)
    dialog.form.method.show_value("browser")
    await stage.click("connection.dialog.sign_in")


async def _demo(stage: Stage) -> EventsView:
    if not stage.window.findChildren(EventsView):
        await stage.part("connection.start.demo")
        stage.run("demo")
    view = await stage.appears(EventsView)
    await stage.until(lambda: view.has_rows, "the demo showed no events.")
    await _counted(stage, view, None)
    return view


async def _counted(stage: Stage, view: EventsView, before: QueryResult | None) -> None:
    """Waits for the rows of another query, and for their number."""

    def is_counted() -> bool:
        # While events are searched or loaded there is no total, or no number in the text.
        result = view.model.result
        is_complete = result is not None and result is not before and result.total is not None
        return is_complete and any(map(str.isdigit, view.count.text))

    await stage.until(is_counted, "no events were found.")


async def _filtered(stage: Stage, *terms: str, panels: tuple[str, ...] = ()) -> EventsView:
    view = await _demo(stage)
    stage.run("events")
    stage.check("live", on=False)
    for panel in ("inspector", "overview", "facets"):
        stage.check(panel, on=panel in panels)
    if stage.window.actions_by_name["clear_filters"].isEnabled():
        before = view.model.result
        stage.run("clear_filters")
        await _counted(stage, view, before)
    for term in terms:
        before = view.model.result
        await stage.type("events.query", term, _RETURN)
        await _counted(stage, view, before)
    view.table.go_to(_ROW)
    view.table.setFocus()
    return view


async def _events(stage: Stage) -> None:
    await _filtered(stage, "type:OBJECT_UPDATE", "object:work")


async def _query(stage: Stage) -> None:
    view = await _filtered(stage)
    button = view.query_line.findChildren(QToolButton)[-1]
    button.setObjectName("events.query.help")
    button.click()


async def _counts(stage: Stage) -> None:
    await _filtered(stage, panels=("overview", "facets"))
    tree = await stage.part("events.facets.tree", QAbstractItemView)
    histogram = await stage.part("events.histogram", Histogram)
    seen = "nothing was counted."
    await stage.until(lambda: tree.model().rowCount() > 0 and histogram.overview.is_counted, seen)
    if not histogram.overview.families:  # a slow machine leaves them to the user
        histogram.families_requested.emit()
    await stage.until(lambda: bool(histogram.overview.families), seen)


async def _inspector(stage: Stage) -> None:
    view = await _filtered(stage, "type:OBJECT_UPDATE", panels=("inspector",))
    details = view.inspector
    seen = "the inspector showed no event."
    await stage.until(lambda: details.details is not None and details.details.is_whole, seen)


async def _export(stage: Stage) -> None:
    await _filtered(stage, "type:EXPORT_FINISH")
    stage.run("export_options")
    table = await stage.part("events.export.preview", QTableWidget)
    await stage.until(lambda: table.rowCount() > 0, "there is no preview.")


async def _deletion(stage: Stage) -> None:
    await _filtered(stage, "type:OBJECT_INDEX")
    stage.run("delete_found")
    number = "".join(filter(str.isdigit, (await stage.part("events.delete.accept", QAbstractButton)).text()))
    await stage.type("events.delete.typed", number)
    counts = await stage.part("events.delete.counts", QAbstractItemView)

    def is_counted() -> bool:
        # An index would not survive that the model changes.
        return any(map(str.isdigit, str(counts.model().index(0, 0).data())))

    await stage.until(is_counted, "the types were not counted.")


async def _live(stage: Stage, *terms: str, panels: tuple[str, ...] = ()) -> LiveView:
    await _filtered(stage, *terms, panels=panels)
    stage.check("live")
    live = await stage.appears(LiveView)
    dock = await stage.part("live", QDockWidget)
    stage.window.resizeDocks([dock], [_LIVE_HEIGHT], Qt.Orientation.Vertical)
    await stage.until(lambda: live.has_rows and live.is_following, "the live feed did not begin.")
    return live


async def _feed(stage: Stage) -> None:
    live = await _live(stage, "type:OBJECT_UPDATE")
    stage.run("live_filter")
    await stage.type("live.filter.query", "type:OBJECT_UPDATE", _RETURN)
    stage.close_popups()
    stage.run("live_mark")
    await stage.type("live.mark.name", "attempt", _RETURN)
    # An event after the mark, which the service would have only by chance.
    event = (await stage.appears(EventsView)).model.event_at(0)
    if event is not None:
        live.add([replace(event, id=event.id + _LATER, timestamp=datetime.now(UTC))])


async def _alarms(stage: Stage) -> None:
    view = await _filtered(stage, "type:LOGIN_FAILED")
    rule = AlarmRule("LOGIN_FAILED")

    def events() -> list[Event]:
        found = map(view.model.event_at, range(_ALARMS))
        return [event for event in found if event is not None and event.info is not None]

    await stage.until(lambda: len(events()) == _ALARMS, "the events were not read.")
    alarms = [Alarm(rule, event.timestamp.timestamp(), event) for event in events() if event.timestamp]
    controller = await stage.appears(AlarmController)
    stage.run("alarms")
    shown = await stage.appears(AlarmList)
    shown.show_alarms(alarms, len(alarms))
    controller.counted.emit(len(alarms), len(alarms))


async def _faults(stage: Stage) -> None:
    await _filtered(stage)
    (await stage.appears(AlarmController)).counted.emit(0, 0)
    stage.run("faults")
    faults = await stage.part("faults.list", QListWidget)
    item = next(one for one in map(faults.item, range(faults.count())) if one.data(_NAME) == _FAULT)
    item.setCheckState(Qt.CheckState.Checked)
    faults.setCurrentItem(item)
    faults.scrollToItem(item, QListWidget.ScrollHint.PositionAtCenter)


async def _palette(stage: Stage) -> None:
    await _filtered(stage)
    stage.run("palette")
    await stage.type("palette.field", "alarm")


async def _settings(stage: Stage) -> None:
    stage.run("settings")


async def _schema(stage: Stage) -> SchemaView:
    await _demo(stage)
    stage.check("live", on=False)
    stage.run("schema")
    view = await stage.appears(SchemaView)
    await stage.until(lambda: view.diagram.has_picture, "the diagram did not appear.")
    table = next(one for one in view.tables.model.tree.document.tables if one.name == _TABLE)
    stage.run("fit")
    view.chosen.emit(TableRef(table.key))
    # Columns can be read at this zoom, and the diagram fills the view from its upper edge.
    stage.run("zoom_out")
    diagram, item = view.diagram, view.diagram.diagram_scene.tables[table.key]
    half = (diagram.viewport().height() / 2 - _TOOLBAR) / diagram.zoom
    diagram.centerOn(item.sceneBoundingRect().center().x(), diagram.diagram_scene.bounds.top() + half)
    return view


async def _changes(stage: Stage) -> None:
    await _schema(stage)
    await stage.click("schema.bottom.changes")


async def _form(stage: Stage) -> None:
    await _schema(stage)


async def _groups(stage: Stage) -> None:
    await _schema(stage)
    await stage.click("schema.bottom.changes")  # closes it
    await stage.rest()
    undo = stage.window.actions_by_name["undo"]
    before = undo.text()
    stage.run("groups_by_links")
    await stage.until(lambda: undo.text() != before, "the tables are not grouped.")
    stage.run("fit")


async def _comparison(stage: Stage) -> None:
    await _schema(stage)
    stage.run("schema_compare")
    changes = await stage.part("schema.compare.changes", QTreeWidget)
    await stage.until(lambda: changes.topLevelItemCount() > 0, "no changes are listed.")


async def _commit(stage: Stage) -> None:
    await _schema(stage)
    stage.run("schema_commit")
    accept = await stage.part("schema.commit.dialog.accept", QAbstractButton)
    await stage.until(lambda: "(" in accept.text(), "the values at stake were not counted.")


async def _promotion(stage: Stage) -> None:
    await _schema(stage)
    controller = await stage.appears(PromotionController)
    current = (await stage.appears(PageStore)).page.editing.current
    if current is not None:
        controller.propose(model_source("Museum (test) HEAD", current, {}))
    changes = await stage.part("schema.promotion.changes", QAbstractItemView)
    await stage.until(lambda: changes.model().rowCount() > 0, "nothing was compared.")


async def _readme_events(stage: Stage) -> None:
    await _live(stage, "type:EXPORT_FINISH type:OBJECT_DELETE", panels=("overview", "inspector"))


async def _readme_dark(stage: Stage) -> None:
    stage.run("dark")


async def _readme_schema(stage: Stage) -> None:
    stage.run("light")
    await _schema(stage)


async def _readme_commit(stage: Stage) -> None:
    stage.run("schema_commit")
    await stage.part("schema.commit.changes")


async def _readme_palette(stage: Stage) -> None:
    stage.run("palette")
    await stage.part("palette")


_DIALOG = "connection.dialog"
_MANUAL = (
    Scene(
        "start",
        _start,
        ("connection.start",),
        ("connection.start.demo", "connection.start.connect", "connection.start.model_open"),
        (860, 520),
    ),
    Scene(
        "connection",
        _connection,
        (_DIALOG,),
        (f"{_DIALOG}.address", f"{_DIALOG}.password", f"{_DIALOG}.colour", f"{_DIALOG}.test"),
    ),
    Scene(
        "sign-in",
        _sign_in,
        (_DIALOG,),
        (f"{_DIALOG}.method", f"{_DIALOG}.remember", f"{_DIALOG}.sign_in", f"{_DIALOG}.redirect"),
    ),
    Scene("events", _events, (), ("events.query", "events.chip.type", "events.filter.add", "events.count")),
    Scene(
        "query",
        _query,
        ("events.query", "events.query.help.popup"),
        ("events.query.help", "events.query.help.popup"),
        (1200, 600),
    ),
    Scene("counts", _counts, (), ("events.histogram", "events.facets")),
    Scene(
        "inspector",
        _inspector,
        ("events.inspector",),
        ("events.inspector.sentence", "qt_tabwidget_tabbar", "events.inspector.object"),
    ),
    Scene(
        "export",
        _export,
        ("events.export",),
        ("events.export.form", "events.export.preview", "events.export.receipt"),
        (1366, 768),
    ),
    Scene(
        "deletion",
        _deletion,
        ("events.delete",),
        ("events.delete.counts", "events.delete.keep", "events.delete.typed", "events.delete.accept"),
    ),
    Scene("live", _feed, ("live",), ("live.status", "live.filter", "live.mark"), above=_ABOVE),
    Scene(
        "settings",
        _settings,
        (),
        ("settings.language", "settings.live.interval", "settings.path.settings"),
        (900, 860),
    ),
    Scene(
        "form",
        _form,
        ("schema.form",),
        ("schema.table.name", "schema.table.has_tags", "schema.columns"),
        (1200, 1000),
    ),
    Scene(
        "schema", _changes, (), ("schema.tree", "schema.diagram", "schema.form", "schema.bottom"), (1200, 700)
    ),
    Scene("groups", _groups, (), ("schema.diagram", "schema.diagram.toolbar"), (1200, 700)),
    Scene(
        "comparison",
        _comparison,
        ("schema.compare",),
        ("schema.compare.old", "schema.compare.new", "schema.compare.changes", "schema.compare.risk"),
    ),
    Scene(
        "commit",
        _commit,
        ("schema.commit.dialog",),
        (
            "schema.commit.changes",
            "schema.commit.copy",
            "schema.commit.dialog.rehearse",
            "schema.commit.dialog.accept",
        ),
    ),
    Scene(
        "promotion",
        _promotion,
        ("schema.promotion",),
        (
            "schema.promotion.match",
            "schema.promotion.changes",
            "schema.promotion.safe",
            "schema.promotion.accept",
        ),
    ),
    Scene("alarms", _alarms, (), ("status.alarms", "live.alarms.table", "live.alarms.accept")),
    Scene("palette", _palette, (), ("palette.field", "palette.list")),
    Scene("faults", _faults, (), ("faults.list", "status.faults"), (1040, 680)),
)
_README = (
    Scene("events", _readme_events, size=_SCREEN),
    Scene("events-dark", _readme_dark, size=_SCREEN),
    Scene("schema", _readme_schema, size=_SCREEN),
    Scene("commit", _readme_commit, size=_SCREEN),
    Scene("palette", _readme_palette, size=_SCREEN),
)
SETS: dict[str, tuple[Scene, ...]] = {"readme": _README, "en": _MANUAL, "de": _MANUAL}
