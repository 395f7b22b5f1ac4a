"""The actions of the window itself: files, connections, pages, help."""

from __future__ import annotations

from msgspec.structs import replace

from cdb_desktop.ui.actions.spec import Spec, told


def of_file() -> tuple[Spec, ...]:
    """Where work begins and ends."""
    file, edit = told("&File"), told("&Edit")
    palette, settings = told("&Find an action…"), told("&Settings")
    connect, open_ = (
        told("&Connect to a service…"),
        told("&Open a file…"),
    )
    close = told("C&lose the model file")
    return (
        Spec("demo", file, told("Try the &demo"), "Ctrl+Shift+D", "demo", always=True),
        Spec("connect", file, connect, "Ctrl+N", "service", always=True),
        Spec("model_open", file, open_, "Ctrl+O", "folder", always=True),
        Spec("sign_in", file, told("&Sign in again"), "Ctrl+Shift+S", apart=True),
        Spec("disconnect", file, told("D&isconnect"), "Ctrl+Shift+W"),
        Spec("model_close", file, close, "Ctrl+W", always=True),
        Spec("quit", file, told("&Quit"), "Ctrl+Q", always=True, apart=True),
        *(replace(spec, menu=edit, always=True, native=True) for spec in _of_editing()),
        Spec("palette", edit, palette, "Ctrl+K", "search", always=True, apart=True),
        Spec("settings", edit, settings, "Ctrl+,", "settings", True, always=True, apart=True),
    )


def _of_editing() -> tuple[Spec, ...]:
    """What is done to whatever has the focus."""
    return (
        Spec("undo", "", told("&Undo"), "Ctrl+Z"),
        Spec("redo", "", told("&Redo"), "Ctrl+Shift+Z"),
        Spec("copy", "", told("&Copy"), "Ctrl+C", apart=True),
        Spec("select_all", "", told("Select &all"), "Ctrl+A"),
    )


def of_view() -> tuple[Spec, ...]:
    """Which page is shown, and in which colours."""
    view, errors = told("&View"), told("E&rrors")
    system, light = told("Colors of the s&ystem"), told("Li&ght colors")
    return (
        Spec("events", view, told("&Events"), "Ctrl+1", "events", True, always=True),
        Spec("schema", view, told("&Schema"), "Ctrl+2", "schema", True, offline=True),
        Spec("errors", view, errors, "Ctrl+3", "errors", True, always=True),
        Spec("live", view, told("&Live feed"), "Ctrl+L", "live", True, apart=True),
        Spec("refresh", view, told("Re&fresh"), "F5", "refresh"),
        Spec("system", view, system, checkable=True, always=True, apart=True),
        Spec("light", view, light, checkable=True, always=True),
        Spec("dark", view, told("&Dark colors"), checkable=True, always=True),
        Spec("contrast", view, told("&High contrast"), checkable=True, always=True),
    )


def of_help() -> tuple[Spec, ...]:
    """What explains the program."""
    about = told("&About this program")
    help_ = told("&Help")
    return (
        Spec("keys", help_, told("All &keys"), "F1", always=True),
        Spec("explain", help_, told("&Explain an error…"), always=True),
        Spec("report", help_, told("&Report a problem…"), always=True, apart=True),
        Spec("about", help_, about, always=True),
    )
