"""Which requests get a fault: counts of rules, and random faults that are the same for the same seed."""

from collections import Counter

from server_stub.http.chaos import ChaosConfiguration, FaultSelector, Rule
from server_stub.http.endpoint import Endpoint
from server_stub.http.routes.generation5 import ENDPOINTS


def _endpoint(method: str, path: str) -> Endpoint:
    return next(one for one in ENDPOINTS if (one.method, one.path) == (method, path))


LIST = _endpoint("GET", "/event/list")
POLL = _endpoint("GET", "/event/poll/{last_max_id}")
INSERT = _endpoint("POST", "/event")


def _chosen(selector: FaultSelector, endpoint: Endpoint, count: int) -> list[str]:
    found = (selector.select(endpoint, endpoint.path) for _ in range(count))
    return ["" if one is None else one.fault.name for one in found]


def _places(rule: Rule, count: int) -> list[int]:
    selector = FaultSelector(ChaosConfiguration(rules=(rule,)))
    return [place for place, name in enumerate(_chosen(selector, LIST, count), 1) if name]


def test_counts_of_a_rule() -> None:
    """The first `after` requests are left alone, then each `every`-th one is chosen, `times` times."""
    assert _places(Rule("unavailable"), 3) == [1, 2, 3]
    assert _places(Rule("unavailable", after=2, every=3, times=2), 20) == [3, 6]


def test_a_probability() -> None:
    """The share of chosen requests is near the probability, and always the same."""
    rule = Rule("unavailable", probability=0.25)
    assert 200 < len(_places(rule, 1000)) < 300
    assert _places(rule, 100) == _places(rule, 100)


def test_the_first_rule_that_chooses_counts() -> None:
    """Later rules are used when the earlier ones are exhausted or meant for other calls."""
    rules = (Rule("lost-insert-answer"), Rule("bad-gateway", times=1), Rule("web-page"))
    selector = FaultSelector(ChaosConfiguration(rules=rules))
    assert _chosen(selector, LIST, 3) == ["bad-gateway", "web-page", "web-page"]
    assert _chosen(selector, INSERT, 1) == ["lost-insert-answer"]
    assert [selector.counts.rule_faults[place] for place in range(3)] == [1, 1, 2]
    assert (selector.counts.requests, selector.counts.injected["web-page"]) == (4, 2)


def test_a_fault_that_could_not_be_injected_does_not_count() -> None:
    """An answer without anything to change leaves the rule as it was."""
    selector = FaultSelector(ChaosConfiguration(rules=(Rule("poll-gap", times=1),)))
    for _ in range(3):
        selected = selector.select(POLL, "/event/poll/7")
        assert selected is not None
        selector.take_back(selected)
    assert selector.counts.injected["poll-gap"] == 0
    assert _chosen(selector, POLL, 2) == ["poll-gap", ""]


def test_random_faults_follow_the_seed() -> None:
    """The same seed gives the same faults, whichever other calls come between; another seed gives others."""

    def faults(seed: int, others: int) -> list[str]:
        selector = FaultSelector(ChaosConfiguration(seed=seed, rate=0.2))
        found = []
        for _ in range(200):
            found += _chosen(selector, LIST, 1)
            _chosen(selector, POLL, others)
        return found

    assert faults(1, others=0) == faults(1, others=2)
    assert faults(1, others=0) != faults(2, others=0)


def test_random_faults_have_the_rate_and_apply() -> None:
    """Faults are chosen at the rate, all of them, and only those that apply to the call."""
    selector = FaultSelector(ChaosConfiguration(seed=5, rate=0.5))
    found = Counter(_chosen(selector, LIST, 2000))
    assert 900 < found.pop("") < 1100
    assert "list-empty" in found
    assert not {"poll-gap", "lost-commit-answer", "head-moved"} & set(found)
    some = FaultSelector(ChaosConfiguration(rate=1, faults=("unavailable", "poll-gap")))
    assert set(_chosen(some, LIST, 50)) == {"unavailable"}
    assert set(_chosen(some, POLL, 50)) == {"unavailable", "poll-gap"}


def test_a_new_configuration_begins_to_count_anew() -> None:
    """Counts belong to the configuration."""
    selector = FaultSelector(ChaosConfiguration(rules=(Rule("unavailable"),)))
    _chosen(selector, LIST, 2)
    selector.configure(ChaosConfiguration())
    assert (selector.counts.requests, selector.counts.injected["unavailable"]) == (0, 0)
    assert _chosen(selector, LIST, 1) == [""]
