"""Tests that every row and point of §2 to §9 of the contract has a test case.

``rows.txt`` lists them: fields (§2), states (§3), parameters, rules and statuses (§4), rights (§5),
codes (§7), limits (§8), and the numbered points of §5, §6 and §9. The modules of this folder name the
rows that they test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from server_stub.foundation.errors import catalogue
from tests.contract.requests.test_error_codes import MET

HERE = Path(__file__)

# Rows that cannot be tested with these endpoints, with the reason.
BEYOND = {
    "§5 point 5": "no endpoint of the contract takes the token of a password reset",
    "§9 point 5": "not shown, and a rule between versions of which there is one",
}


def rows() -> set[str]:
    """The names of all rows and points of the contract."""
    return set(HERE.with_name("rows.txt").read_text(encoding="utf-8").splitlines())


def _covers() -> dict[str, Mapping[str, Callable[..., None]]]:
    """The rows that each module declares for its test cases, by module name."""
    files = sorted(file.relative_to(HERE.parent) for file in HERE.parent.rglob("test_*.py") if file != HERE)
    names = (".".join(file.with_suffix("").parts) for file in files)
    modules = [import_module(f"tests.contract.{name}") for name in names]
    return {module.__name__: getattr(module, "COVERS", {}) for module in modules}


def _codes() -> dict[str, str]:
    """The row of each code of the catalogue."""
    return {code: f"§{entry['section']} {code}" for code, entry in catalogue().items()}


def test_the_document_is_read() -> None:
    """The list of rows is not empty or truncated."""
    found = rows()
    assert len(found) > 250
    assert {"§2.1 info", "§4.1 id", "§4.3 csv_delimiter", "§4.5 date_to", "§5 point 6"} <= found
    assert {"§7.9 error.user.objects_not_allowed", "§8 limit default · Poll", "§9 point 5"} <= found


def test_the_catalogue_is_the_documents() -> None:
    """The catalogue has exactly the codes of §7, each under its section."""
    assert set(_codes().values()) == {row for row in rows() if row.startswith("§7") and " error." in row}


def test_every_row_has_a_case() -> None:
    """Every row has a case or a reason, and every case names an existing row.

    Codes of other areas are recognized because the server never raises them, as test_error_codes shows.
    """
    named = {row for covers in _covers().values() for row in covers}
    elsewhere = {row for code, row in _codes().items() if code.removeprefix("error.") not in MET}
    assert sorted(rows() - named - elsewhere - BEYOND.keys()) == []
    assert sorted(named - rows()) == []
    assert sorted(named & (elsewhere | BEYOND.keys())) == []


def test_every_named_case_is_one() -> None:
    """Modules register only existing test functions, so that a removed case is noticed."""
    for module, covers in _covers().items():
        for row, case in covers.items():
            assert case.__name__.startswith("test_"), row
            assert case.__module__.endswith(module.rpartition(".")[2]), row
