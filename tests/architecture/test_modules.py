"""Every module has a docstring, imports our own code at its top and keeps no global state."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from tests.architecture.sources import PROGRAMS, nodes, python_files, shown, tree

_RENAMING = {
    "os.replace",
    "os.rename",
    "os.renames",
    "shutil.move",
    "tempfile.mkstemp",
    "tempfile.NamedTemporaryFile",
}
# Functions of libraries that fail if what a test expects does not happen.
_EXPECTING = {"raises", "warns", "fail", "waitUntil", "waitSignal", "raise_for_status"}
_NESTED_LOOPS = {"processEvents", "qWait", "waitUntil", "waitSignal", "waitExposed"}
# The option of the demo, and what passes it on to the server.
_START_DEMO = (
    "cdb_desktop/__main__.py",
    "cdb_desktop/app/demo.py",
    "cdb_desktop/app/options.py",
    "cdb_desktop/embedded/",
)
_TEXTS = re.compile(r"tr\(\s*\"[^\"]*\"")
_IMPORTS_PAGES_LATER = "cdb_desktop/app/page_loader.py"


def test_every_module_begins_with_a_docstring() -> None:
    """Every module has a docstring."""
    silent = [shown(path) for path in python_files(*PROGRAMS, "tests") if not ast.get_docstring(tree(path))]
    assert silent == []


def test_our_own_code_is_imported_at_the_top_only() -> None:
    """Our own modules are imported at the top of a file, including those for types."""
    hidden = [
        f"{shown(path)}:{node.lineno}"
        for path in python_files(*PROGRAMS)
        if shown(path) != _IMPORTS_PAGES_LATER
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom) and node.col_offset > 0 and _imports_ours(node)
        if node not in _for_types(path)
    ]
    assert hidden == []


def test_no_coroutine_runs_qts_event_loop() -> None:
    """It would run steps of other tasks in the middle of that one, and asyncio would lose them."""
    found = [
        f"{shown(path)}:{node.lineno}"
        for path in python_files(*PROGRAMS, "tests")
        for coroutine in nodes(path)
        if isinstance(coroutine, ast.AsyncFunctionDef)
        for node in ast.walk(coroutine)
        if isinstance(node, ast.Attribute) and node.attr in _NESTED_LOOPS
    ]
    assert found == []


def test_folders_have_few_modules() -> None:
    """A folder has at most 25 modules, its ``__init__`` among them."""
    counts = Counter(shown(path.parent) for path in python_files(*PROGRAMS, "tests"))
    assert {name: count for name, count in counts.items() if count > 25} == {}


def test_every_test_can_fail() -> None:
    """Each test asserts, expects an error or waits for a condition, directly or in a called function."""
    functions = [
        (shown(path), node)
        for path in python_files("tests")
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    used = {id(node): _names(node) for _, node in functions}
    asserting = {node.name for _, node in functions if _asserts(node)} | _EXPECTING
    while True:
        more = {node.name for _, node in functions if used[id(node)] & asserting} - asserting
        if not more:
            break
        asserting |= more
    silent = [f"{file}:{node.name}" for file, node in functions if node.name.startswith("test_")]
    assert silent
    assert [name for name in silent if name.rpartition(":")[2] not in asserting] == []


def _names(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Assert | ast.Raise) for each in ast.walk(node))


def test_no_global_statement() -> None:
    """There are no `global` statements."""
    found = [
        shown(path)
        for path in python_files(*PROGRAMS)
        for node in nodes(path)
        if isinstance(node, ast.Global)
    ]
    assert found == []


def _imports_ours(node: ast.Import | ast.ImportFrom) -> bool:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return any(name.split(".")[0] in PROGRAMS for name in names)


def _for_types(path: Path) -> list[ast.stmt]:
    """The imports of a file under TYPE_CHECKING, which import contracts include too."""
    guards = [node for node in tree(path).body if isinstance(node, ast.If)]
    return [
        statement for node in guards if ast.unparse(node.test) == "TYPE_CHECKING" for statement in node.body
    ]


def test_labels_show_plain_text() -> None:
    """Every QLabel sets its text format, since HTML in a name could load images."""
    guessing = [
        f"{shown(path)}:{node.lineno}"
        for path in python_files("cdb_desktop")
        if shown(path) != "cdb_desktop/ui/widgets/label.py"
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "QLabel"
    ]
    assert guessing == []


def test_one_module_renames_files() -> None:
    """Only the module for atomic writes replaces files."""
    renaming = [
        f"{shown(path)}:{node.lineno}"
        for path in python_files("cdb_desktop")
        if shown(path) != "cdb_desktop/foundation/files.py"
        for node in nodes(path)
        if isinstance(node, ast.Call | ast.ImportFrom) and _renames(node, is_ui="ui" in path.parts)
    ]
    assert renaming == []


def _renames(node: ast.AST, *, is_ui: bool) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = {f"{node.module}.{alias.name}" for alias in node.names}
        return not names.isdisjoint(_RENAMING | {"PySide6.QtCore.QSaveFile"})
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    # Texts, times and records are replaced with other arguments, and tables are renamed in ui.
    of_path = ("replace",) if is_ui else ("replace", "rename")
    is_of_path = node.func.attr in of_path and len(node.args) == 1 and not node.keywords
    return is_of_path or ast.unparse(node.func) in _RENAMING


def test_only_client_and_sign_in_know_the_generation_of_the_service() -> None:
    """Everything else asks for a capability, which a later generation may have too."""
    known = ("cdb_desktop/client/", "cdb_desktop/app/connection/", "cdb_desktop/ui/connection/")
    found = [
        f"{shown(path)}:{number}"
        for path in python_files("cdb_desktop")
        if not shown(path).startswith((*known, *_START_DEMO))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "generation" in _TEXTS.sub("", line).casefold()
    ]
    assert found == []
