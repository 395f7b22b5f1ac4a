"""A merge as text for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cdb_desktop.schema.document.names import element_name
from cdb_desktop.schema.merge.conflict import Conflict
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.schema.validation.problem import Problem


def text_report(name: str, conflicts: Sequence[Conflict], problems: Iterable[Problem]) -> str:
    """Lines on each conflict and on each problem of the result; empty without any."""
    lines = []
    if conflicts:
        count = "1 conflict" if len(conflicts) == 1 else f"{len(conflicts)} conflicts"
        lines.append(f"{name}: {count}; the result has my values")
    for conflict in conflicts:
        lines.append(f"  {conflict.element or 'model'}: {conflict.what}")
        values = (("before", conflict.base), ("mine", conflict.mine), ("theirs", conflict.theirs))
        lines += [f"    {label + ':':8}{str(value) or '(nothing)'}" for label, value in values]
    lines += [f"{name}: the merged model has a problem: {problem.message}" for problem in problems]
    return "".join(f"{line}\n" for line in lines)


def json_report(
    merge: Merge, conflicts: Sequence[Conflict], problems: Iterable[Problem]
) -> dict[str, object]:
    """The same as an object: numbers of changes, conflicts with their values and results, problems."""
    return {
        "their_changes": len(merge.their_changes),
        "my_changes": len(merge.my_changes),
        "conflicts": [
            {
                "element": one.element,
                "what": str(one.what),
                "base": str(one.base),
                "mine": str(one.mine),
                "theirs": str(one.theirs),
                "result_of_mine": str(one.mine_result),
                "result_of_theirs": str(one.theirs_result),
            }
            for one in conflicts
        ],
        "problems": [
            {"element": element_name(merge.document, one.ref), "code": one.code, "text": str(one.message)}
            for one in problems
        ],
        "new_ids": {
            "tables": {str(key): value for key, value in merge.versions.tables.items()},
            "columns": {str(key): value for key, value in merge.versions.columns.items()},
        },
    }
