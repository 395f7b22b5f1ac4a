"""Story: a user is alerted of a type of events that has not happened yet, also after a restart."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client import Client
from cdb_desktop.ui.events.views import AlertPopup
from cdb_desktop.ui.live.alarms import AlarmController, AlarmList
from tests.desktop.patience import until
from tests.journeys.visit import Visit, visiting
from tests.server import serving


async def _insert(url: str) -> int:
    """Writes an event that no poll returns (§4.2 rule 3)."""
    async with Client(url) as client:
        await client.authenticate("steward", "steward")
        return (await client.insert_event("DETAIL_VIEW", info={"reason": "out of quota"})).id


def _badge(visit: Visit) -> QPushButton:
    return visit.part(QPushButton, "status.alarms")


async def test_a_new_type_raises_an_alarm(folders: UserFolders, own_museum: Path) -> None:
    """Typed query, key, name: three actions; the badge counts, and the list leads to the event."""
    with serving(own_museum, "--chaos", "off") as url:
        given = Options(server=url, login="root", password="admin")
        async with visiting(folders, given) as visit:
            await until(lambda: visit.events.has_rows)
            visit.act("search")
            visit.type('type:DETAIL_VIEW "out of quota"')
            visit.press(Qt.Key.Key_Return)
            await until(lambda: bool(visit.events.query.types))
            visit.act("alert")
            await until(lambda: isinstance(QApplication.activePopupWidget(), AlertPopup))
            popup = visit.part(AlertPopup)
            visit.press(Qt.Key.Key_Return)
            assert popup.rule.kind == "any"
            assert not _badge(visit).isVisible()
            alarms = visit.window.findChild(AlarmController)
            assert isinstance(alarms, AlarmController)
            await until(lambda: alarms._watch.alarms)
            first = await _insert(url)
            await until(lambda: _badge(visit).text() == "1 new alarm")
            visit.click(_badge(visit))
            shown = await visit.opened(AlarmList)
            assert _badge(visit).text() == "1 alarm"
            cell = shown.table.item(0, 3)
            assert cell is not None
            assert "DETAIL_VIEW" in cell.text()
            visit.click(shown.accept_button)
            await until(visit.events.inspector.isVisible)
            await until(lambda: visit.events.table.currentIndex().isValid())
            row = visit.events.table.currentIndex().row()
            event = visit.events.model.event_at(row)
            assert event is not None
            assert event.id == first
        second = await _insert(url)
        async with visiting(folders, given) as visit:
            await until(lambda: _badge(visit).text() == "1 new alarm")
            visit.click(_badge(visit))
            shown = await visit.opened(AlarmList)
            assert shown._alarms[0].event is not None
            assert shown._alarms[0].event.id == second
