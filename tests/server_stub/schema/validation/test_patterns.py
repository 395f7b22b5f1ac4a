"""Regular expressions of documents: they match as written and never block the server."""

import pytest

from server_stub.foundation.errors import UserError
from server_stub.schema.commit import requirements
from server_stub.schema.validation import value_checks
from server_stub.schema.validation.value_checks import PatternError, UndecidedError, compiled_pattern
from tests.server_stub.schema.documents import column, document, table
from tests.server_stub.schema.harness import ROOT, Harness

# Each takes exponential time in a backtracking engine.
CATASTROPHES = ("(a+)+$", "^(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*c", "(.*a){20}c")
LONG = "a" * 20_000 + "!"


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        ("^3000[0-9]{5}$", "", "300012345", True),
        ("^3000[0-9]{5}$", "", "x300012345", False),
        ("b", "", "abc", True),
        ("B", "", "abc", False),
        ("B", "i", "abc", True),
        (r"^\p{L}+$", "", "Größe", True),
        ("^.$", "", "ß", True),
        ("", "", "", True),
    ],
)
def test_what_is_found(pattern: str, flags: str, text: str, found: bool) -> None:
    """A pattern matches anywhere in the text unless anchored, case-sensitively unless flagged."""
    assert compiled_pattern(pattern, flags).is_found_in(text) is found


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?=a)", r"(a)\1", "((a{1000}){1000}){1000}"])
def test_what_does_not_compile(pattern: str) -> None:
    """The message contains the reason."""
    with pytest.raises(PatternError, match=r"^[a-z].*: "):
        compiled_pattern(pattern, "")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("pattern", CATASTROPHES)
def test_catastrophes_refuse_a_commit(harness: Harness, pattern: str) -> None:
    """The commit is refused by the check, and its plan predicts it."""
    harness.save_and_commit(document(table("work", column("title"))))
    harness.sql("INSERT INTO work(title) VALUES (?)", LONG)
    head = harness.change()
    head["tables"][0]["columns"][0] |= {"check": "regexp", "check_regexp": pattern}
    harness.schemas.save_head(head)
    (predicted,) = (step["refusal"] for step in harness.schemas.plan()["steps"] if "refusal" in step)
    with pytest.raises(UserError) as caught:
        harness.schemas.commit(ROOT)
    assert caught.value.code == "error.user.check_constraint_violation"
    assert caught.value.parameters == {"constraint": "work__title_regexp"}
    assert predicted == caught.value.to_object()


def test_a_text_too_long_for_its_pattern() -> None:
    """A combination of text and pattern that could take minutes is not tried."""
    pattern = compiled_pattern("(?:.?){900}x$", "")
    with pytest.raises(UndecidedError):
        pattern.is_found_in("ab" * 500_000)


@pytest.mark.parametrize(("module", "name"), [(value_checks, "_MOST_STEPS"), (requirements, "_LONGEST")])
def test_what_cannot_be_decided_refuses(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    """A value that is too long, or too many values, count as violations of the check."""
    harness.save_and_commit(document(table("work", column("title"))))
    harness.sql("INSERT INTO work(title) VALUES ('aaa')")
    head = harness.change()
    head["tables"][0]["columns"][0] |= {"check": "regexp", "check_regexp": "^a+$"}
    harness.schemas.save_head(head)
    with monkeypatch.context() as less:
        less.setattr(module, name, 0)
        with pytest.raises(UserError) as caught:
            harness.schemas.commit(ROOT)
    assert caught.value.parameters == {"constraint": "work__title_regexp"}
    assert harness.commit().version == 2
