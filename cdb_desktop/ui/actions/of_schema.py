"""The actions of the schema editor."""

from __future__ import annotations

from msgspec.structs import replace

from cdb_desktop.ui.actions.spec import Spec, told

_CHANGE_SCHEMA = "system.datamodel.development"
_COMMIT_SCHEMA = "system.datamodel.commit"
_SEE_EVENTS = "system.api.event.get"


def of_schema() -> tuple[Spec, ...]:
    """The model: its steps, its document, its commit."""
    model = told("S&chema")
    commit, svg = told("&Commit…"), told("Drawin&g of the service")
    return (
        *(replace(spec, menu=model, right=_CHANGE_SCHEMA, offline=True) for spec in _of_model()),
        Spec("schema_commit", model, commit, "Ctrl+Shift+Return", right=_COMMIT_SCHEMA),
        Spec("schema_commits", model, told("Events of t&he commits"), "Ctrl+M", right=_SEE_EVENTS),
        *(replace(spec, menu=model, offline=True) for spec in _of_document()),
        Spec("schema_svg", model, svg, "Ctrl+Shift+G", checkable=True),
    )


def _of_document() -> tuple[Spec, ...]:
    """What anybody can do with a schema who may look at it."""
    copy, draw = told("Sa&ve as a file…"), told("E&xport the diagram…")
    find = told("&Find table or column")
    return (
        Spec("schema_copy", "", copy, "Ctrl+Alt+S", apart=True),
        Spec("diagram_export", "", draw, "Ctrl+E", "export"),
        Spec("schema_find", "", find, "Ctrl+F", "search", apart=True),
        Spec("schema_arrange", "", told("&Arrange"), "Ctrl+Shift+R", "arrange"),
        Spec("zoom_in", "", told("Zoom &in"), "Ctrl++", "zoom-in"),
        Spec("zoom_out", "", told("Zoom &out"), "Ctrl+-", "zoom-out"),
        Spec("fit", "", told("Fit to &window"), "Ctrl+0", "fit"),
    )


def _of_model() -> tuple[Spec, ...]:
    """The steps of somebody who changes the schema."""
    return (
        Spec("table_new", "", told("New &table"), "Ctrl+T", "table-new"),
        Spec("nested_new", "", told("New &nested table"), "Ctrl+Alt+T", "nested-new"),
        Spec("column_new", "", told("New co&lumn"), "Ctrl+Shift+A", "column-new"),
        Spec("link_new", "", told("New lin&k…"), "Ctrl+Shift+I", "link-new"),
        Spec("element_rename", "", told("Rena&me"), "F2", apart=True, scoped=True),
        Spec("element_delete", "", told("D&elete"), "Del", scoped=True),
        Spec("element_up", "", told("Move u&p"), "Alt+Up", "up", scoped=True),
        Spec("element_down", "", told("Move &down"), "Alt+Down", "down", scoped=True),
        Spec("schema_undo", "", told("&Undo"), "Ctrl+Z", "undo", apart=True),
        Spec("schema_redo", "", told("&Redo"), "Ctrl+Shift+Z", "redo"),
        Spec("schema_save", "", told("&Save HEAD"), "Ctrl+S", apart=True),
    )
