"""Finds every text that the program asks Qt to translate, by reading its sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tests.architecture.sources import ROOT, python_files, shown, tree

_FOLDERS = ("cdb_desktop/ui", "cdb_desktop/app")


@dataclass(frozen=True, order=True)
class Text:
    """One text under its context, empty where the source cannot be read, and where it stands."""

    context: str
    source: str
    place: str


@lru_cache(maxsize=1)
def texts() -> tuple[Text, ...]:
    """All of them; those that are no literal have an empty source."""
    return tuple(
        sorted(text for path in python_files(*_FOLDERS) for text in _of_file(tree(path), shown(path)))
    )


def _of_file(module: ast.Module, file: str) -> Iterator[Text]:
    wrappers = dict(_wrappers(module)) | dict(_imported_wrappers(module))
    for owner, node in _calls(module, ""):
        name = _name(node.func)
        place = f"{file}:{node.lineno}"
        if name == "translate" and node.args and _literal(node.args[0]):
            if not _is_parameter(module, node.args[1]):
                yield from _texts(_literal(node.args[0]), node.args[1], place)
        elif name == "tr" and isinstance(node.func, ast.Attribute) and node.args:
            yield from _texts(owner, node.args[0], place)
        elif name in wrappers and node.args:
            yield from _texts(wrappers[name], node.args[0], place)


def _wrappers(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Functions of a module that translate their argument, and the context that they name."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and _name(call.func) == "translate" and len(call.args) >= 2:
                    text = call.args[1]
                    context = _literal(call.args[0])
                    if (
                        context
                        and isinstance(text, ast.Name)
                        and text.id in {one.arg for one in node.args.args}
                    ):
                        yield node.name, context


def _imported_wrappers(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Wrappers that a module takes from a neighbour."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            source = ROOT / f"{node.module.replace('.', '/')}.py"
            if source.is_file():
                wrappers = dict(_wrappers(tree(source)))
                yield from ((one.name, wrappers[one.name]) for one in node.names if one.name in wrappers)


def _is_parameter(module: ast.Module, text: ast.expr) -> bool:
    return isinstance(text, ast.Name) and any(
        text.id in {one.arg for one in node.args.args}
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef)
    )


def _calls(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call and the class that it stands in."""
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, ast.ClassDef) else owner
        if isinstance(child, ast.Call):
            yield inner, child
        yield from _calls(child, inner)


def _texts(context: str, source: ast.expr, place: str) -> Iterator[Text]:
    if isinstance(source, ast.IfExp):
        for branch in (source.body, source.orelse):
            yield from _texts(context, branch, place)
    else:
        yield Text(context, _literal(source), place)


def _literal(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
