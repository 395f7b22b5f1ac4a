"""The actions of the event browser."""

from __future__ import annotations

from msgspec.structs import replace

from cdb_desktop.ui.actions.spec import Spec, told

_SEE_EVENTS = "system.api.event.get"
_DELETE_EVENTS = "system.api.event.delete"


def of_events() -> tuple[Spec, ...]:
    """The log: filters, rows, export."""
    log, see = told("Eve&nts"), _SEE_EVENTS
    return (
        Spec("filter", log, told("Add &filter…"), "Ctrl+F", "add", right=see),
        Spec("clear_filters", log, told("&Clear filters"), "Ctrl+Shift+F", right=see),
        Spec("query_back", log, told("&Back"), "Alt+Left", right=see),
        Spec("query_forward", log, told("Forw&ard"), "Alt+Right", right=see),
        Spec("order", log, told("Sort by…"), "Ctrl+Shift+O", right=see),
        Spec("jump", log, told("&Go to event, row or time…"), "Ctrl+G", right=see),
        Spec("inspector", log, told("&Inspector"), "Ctrl+I", "inspector", True, see),
        Spec("export", log, told("&Export…"), "Ctrl+E", "export", right=see),
        *(replace(spec, menu=log, right=spec.right or see) for spec in _of_event_work()),
        Spec("event_insert", log, told("New test event…"), "", apart=True),
        *(replace(spec, menu=log, group=told("Requests")) for spec in _of_requests()),
    )


def _of_requests() -> tuple[Spec, ...]:
    """What shows how the service is asked."""
    return (
        Spec("request_url", "", told("Copy request as an address"), "Ctrl+Shift+Y", "copy"),
        Spec("request_curl", "", told("Copy request as curl"), "Ctrl+Shift+X"),
        Spec("request_httpx", "", told("Copy request as Python"), "Ctrl+Shift+P"),
        Spec("requests", "", told("Recent requests"), "F12", checkable=True),
    )


def _of_columns() -> tuple[Spec, ...]:
    """The column whose title the keys are at, or whose cell was clicked."""
    specs = (
        Spec("column_titles", "", told("Titles of the columns"), "Ctrl+Shift+H"),
        Spec("column_narrow", "", told("Narrow the column"), "Alt+Shift+Left"),
        Spec("column_widen", "", told("Widen the column"), "Alt+Shift+Right"),
        Spec("column_fit", "", told("Size the column to its contents"), "Alt+Shift+Down"),
        Spec("column_widths", "", told("Reset column widths"), ""),
    )
    return tuple(replace(spec, group=told("Column")) for spec in specs)


def _of_event_work() -> tuple[Spec, ...]:
    """What can be done with events beyond looking at rows."""
    delete = _DELETE_EVENTS
    return (
        Spec("search_all", "", told("&Search in everything…"), "F4", "search", apart=True),
        Spec("hit_next", "", told("&Next hit"), "F3"),
        Spec("hit_previous", "", told("&Previous hit"), "Shift+F3"),
        Spec("follow_query", "", told("Follow these filters li&ve"), "F9", "live"),
        Spec("overview", "", told("&Overview"), "F6", checkable=True, apart=True),
        Spec("facets", "", told("Co&unts by value"), "F7", checkable=True),
        Spec("summary", "", told("Su&mmary…"), "Ctrl+U"),
        Spec("export_options", "", told("E&xport with options…"), "Ctrl+Shift+B", "export", apart=True),
        Spec("show_file", "", told("Show the file written last"), ""),
        Spec("views", "", told("Saved vie&ws…"), "Ctrl+Shift+V", "star"),
        Spec("columns", "", told("Co&lumns…"), "F8", "columns"),
        *_of_columns(),
        Spec("highlight", "", told("&Highlight…"), "Ctrl+H"),
        Spec("event_schema", "", told("Schema version of this commit"), "Ctrl+M", "schema"),
        Spec("compare", "", told("Compa&re two events"), "Ctrl+D"),
        Spec("delete_selected", "", told("&Delete selected…"), "Ctrl+Del", right=delete, apart=True),
        Spec("delete_found", "", told("Delete all ma&tching…"), "Ctrl+Shift+Del", right=delete),
    )
