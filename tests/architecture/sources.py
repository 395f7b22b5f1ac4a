"""Syntax trees of the project's Python sources."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = ("cdb_desktop", "server_stub")


def python_files(*folders: str) -> list[Path]:
    """All Python files below folders of the repository."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file's syntax tree."""
    return tuple(ast.walk(tree(path)))


def shown(path: Path) -> str:
    """The path of a file in the repository."""
    return path.relative_to(ROOT).as_posix()
