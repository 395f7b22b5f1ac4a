"""Checks of versions of objects: what differs is found, and a service without the call is not tried."""

from collections.abc import Callable

from server_stub.conformance.schema_checks import VERSIONS
from server_stub.conformance.table import Verdict
from server_stub.http.services import Services
from tests.contract.transports import Stage
from tests.server_stub.conformance.deviating_service import Answer, Call, Deviation, deviating
from tests.server_stub.conformance.test_deviations import checked, differing


def _on_objects(change: Callable[[Call, Answer], None]) -> Deviation:
    def after(call: Call, answer: Answer) -> None:
        if call.name.startswith("db/"):
            change(call, answer)

    return Deviation(after=after)


def _unknown(_: Call, answer: Answer) -> None:
    answer.put({"realm": "api", "code": "error.api.invalid_api", "description": "There is none."}, 400)


def _without_list(_: Call, answer: Answer) -> None:
    if answer.status == 200:
        answer.put(answer.json()[0])


def _always_newest(call: Call, answer: Answer) -> None:
    if answer.status == 200 and call.params.get("version") == "1":
        [found] = answer.json()
        found[found["_objecttype"]]["_version"] = 77
        answer.put([found])


def _empty_list(_: Call, answer: Answer) -> None:
    if answer.status == 200:
        answer.put([])


def test_a_service_without_the_call(stage: Stage, services: Services) -> None:
    """Nothing differs and nothing agrees, with the reason."""
    with deviating(stage, services, _on_objects(_unknown)):
        report = checked(stage, VERSIONS)
    assert {each.verdict for each in report.results} == {Verdict.NOT_TRIED}
    assert all("does not offer objects" in each.sentence for each in report.results)


def test_both_forms_of_the_answer_agree(stage: Stage, services: Services) -> None:
    """A list of one object and the bare object are both accepted."""
    for change in (_without_list, lambda _call, _answer: None):
        with deviating(stage, services, _on_objects(change)):
            report = checked(stage, VERSIONS)
        assert {each.verdict for each in report.results} == {Verdict.AGREES}


def test_what_differs_is_found(stage: Stage, services: Services) -> None:
    """Another version than the requested one, and an empty list, differ."""
    with deviating(stage, services, _on_objects(_always_newest)):
        assert any("expected 1" in text for text in differing(checked(stage, VERSIONS)).values())
    with deviating(stage, services, _on_objects(_empty_list)):
        assert any("0 objects" in text for text in differing(checked(stage, VERSIONS)).values())
