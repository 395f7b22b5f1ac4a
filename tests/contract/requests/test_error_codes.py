"""§7: every code that the server can return has a case; the codes are read from the server's sources.

The other codes belong to users, pools, collections, exports and objects (§7.9, last line). They are in the
catalogue, whose completeness tests/architecture checks.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from server_stub.foundation.resources import resource

ROOT = Path(__file__).parents[3]
RAISERS = {"ApiError": "api", "UserError": "user", "ServerError": "server", "_server_error": "server"}
REFUSALS = ROOT / "tests/server_stub/schema/commit/test_refusals.py"


def _raised(tree: ast.AST) -> Iterator[str]:
    """The codes that the server raises; each must be a literal."""
    definitions = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in RAISERS
    )
    inside = {part for definition in definitions for part in ast.walk(definition)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISERS:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield f"{RAISERS[node.func.id]}.{first.value}"
            else:
                assert node in inside, f"{ast.unparse(node)} hides which code it raises"


def test_every_code_of_the_server_has_a_case() -> None:
    """The table and the tests have every code that the server raises, apart from simulated faults."""
    files = (file for file in (ROOT / "server_stub").rglob("*.py") if "chaos" not in file.parts)
    raised = {code for file in files for code in _raised(ast.parse(file.read_text(encoding="utf-8")))}
    cases = (file.read_text(encoding="utf-8") for file in (ROOT / "tests/contract").rglob("test_*.py"))
    texts = [resource("contract.txt").read_text(encoding="utf-8"), *cases]
    met = {name for text in texts for name in re.findall(r"\b(?:api|user|server)\.[a-z_]+", text)}
    # What existing rows refuse.
    met |= {f"user.{name}" for name in re.findall(r'"([a-z_]+)"', REFUSALS.read_text(encoding="utf-8"))}
    assert raised - met == set()
