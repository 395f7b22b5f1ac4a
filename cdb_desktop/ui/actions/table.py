"""The one table of what can be done from the keyboard or a menu; decides nothing."""

from __future__ import annotations

from msgspec.structs import replace

from cdb_desktop.ui.actions.of_events import of_events
from cdb_desktop.ui.actions.of_frame import of_file, of_help, of_view
from cdb_desktop.ui.actions.of_live import of_live
from cdb_desktop.ui.actions.of_schema import of_schema
from cdb_desktop.ui.actions.spec import Spec


def table() -> tuple[Spec, ...]:
    """Every action in the language of now, in the order of its menus."""
    return (
        *of_file(),
        *of_view(),
        *(replace(spec, page="events") for spec in of_events()),
        *(replace(spec, page="schema") for spec in of_schema()),
        *of_live(),
        *of_help(),
    )
