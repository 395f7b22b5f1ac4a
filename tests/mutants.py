"""Changes random places of the programs, one at a time, and tells which changes no test notices.

Run it as ``python -m tests.mutants [COUNT [SEED]]``; 200 mutants take hours, so CI does not run it. Each is
tried in a copy of the checkout by the tests that import its module, or by the nearest ones that import its
users. Where it survives, either a test is missing, or the change has no effect on behavior.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[1]
PROGRAMS = ("cdb_desktop", "server_stub")
_LONGEST = 600  # seconds of the tests of one mutant; a program that hangs is noticed
_FAILED = (1, 2)  # exit codes of pytest: tests failed, modules could not be imported
_PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub)),
)
_OTHER: dict[type[ast.AST], Any] = {**dict(_PAIRS), **{second: first for first, second in _PAIRS}}


def _mutated(node: ast.AST) -> ast.AST | None:
    """What replaces a node, None if it stays."""
    by: ast.AST | None = None
    match node:
        case ast.Compare(left, [operator], others):
            by = ast.Compare(left, [_OTHER[type(operator)]()], others)
        case ast.BoolOp(connector, values):
            by = ast.BoolOp(_OTHER[type(connector)](), values)
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right):
            by = ast.BinOp(left, _OTHER[type(sign)](), right)
        case ast.UnaryOp(ast.Not(), operand):
            by = operand
        case ast.Constant(int() as value):
            by = ast.Constant(not value if isinstance(value, bool) else value + 1)
        case ast.If(test, body, alternative):
            by = ast.If(ast.UnaryOp(ast.Not(), test), body, alternative)
        case ast.Expr(ast.Call() | ast.Await()) | ast.Raise() | ast.AugAssign():
            by = ast.Pass()
        case ast.Return(ast.expr() as value) if ast.unparse(value) != "None":
            by = ast.Return(ast.Constant(None))
    return by


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, by: ast.AST) -> None:
        self._node, self._by = node, by

    def visit(self, node: ast.AST) -> ast.AST:
        return self._by if node is self._node else self.generic_visit(node)


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path) -> Iterator[str]:
    """The names of the modules, or of their contents, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _users() -> dict[str, set[Path]]:
    """The files of programs and tests that import a module, by its name."""
    found: dict[str, set[Path]] = {}
    for folder in (*PROGRAMS, "tests"):
        for path in ROOT.joinpath(folder).rglob("*.py"):
            for name in _imported(path):
                found.setdefault(name, set()).add(path)
    return found


def _tests_of(module: str, users: dict[str, set[Path]]) -> list[str]:
    """The files with the nearest tests: those of the module, or of the modules that use it."""
    seen: set[str] = set()
    names = {module}
    while names - seen:
        seen |= names
        paths = {path for name in names for path in users.get(name, ())}
        if tests := sorted(str(path.relative_to(ROOT)) for path in paths if path.name.startswith("test_")):
            return tests
        names = {_name(path) for path in paths}
    return []


def _dies(copy: Path, tests: list[str]) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy), "QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode in _FAILED


def _places(path: Path) -> list[tuple[Path, int]]:
    """A file with the number of each node that can be replaced."""
    nodes = enumerate(ast.walk(ast.parse(path.read_text("utf-8"))))
    return [(path, number) for number, node in nodes if _mutated(node) is not None]


def _try(count: int, random: Random, tell: Callable[[str], object]) -> None:
    users, died = _users(), 0
    files = sorted(path for folder in PROGRAMS for path in ROOT.joinpath(folder).rglob("*.py"))
    places = [place for path in files for place in _places(path)]
    with tempfile.TemporaryDirectory(prefix="cdb-mutants-") as folder:
        copy = Path(folder, "checkout")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist"))
        for number, (path, place) in enumerate(random.sample(places, count), 1):
            tree = ast.parse(before := path.read_text("utf-8"))
            node = list(ast.walk(tree))[place]
            by = _mutated(node)
            assert by is not None
            was, is_now = (ast.unparse(one).partition("\n")[0] for one in (node, by))
            target = copy / path.relative_to(ROOT)
            target.write_text(ast.unparse(ast.fix_missing_locations(_Replace(node, by).visit(tree))), "utf-8")
            tests = _tests_of(_name(path), users)
            dies = bool(tests) and _dies(copy, tests)
            target.write_text(before, "utf-8")
            died += dies
            line = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: {was} → {is_now}"
            tell(f"{number} {'died' if dies else 'SURVIVED'} {line}\n")
    tell(f"{died} of {count} died\n")


if __name__ == "__main__":
    chosen, seed = [*map(int, sys.argv[1:]), *(200, 0)[len(sys.argv) - 1 :]]
    _try(chosen, Random(seed), sys.stdout.write)
