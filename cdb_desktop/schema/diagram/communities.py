"""Finds communities in a weighted graph by the method of Louvain.

Nodes move to the community that increases the modularity most (Blondel and others, "Fast unfolding of
communities in large networks", 2008); communities then become the nodes of the next round. Nodes are visited
in their order, so the result is deterministic. NetworkX has the same method but would add 2 MB to packages
that have 0.8 MB left; Graphviz's own clustering (``gvmap``) is not among what pygraphviz contains.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
# The weight between nodes, each pair in both directions.
Weights = Mapping[Node, Mapping[Node, float]]

_GAIN = 1e-9  # below which nodes stay where they are, so that rounding errors do not move them
_ROUNDS = 20


def find_communities(weights: Weights[Node], resolution: float = 1.0) -> list[list[Node]]:
    """The communities in the order of their first nodes; a node without neighbors is one of its own.

    A higher ``resolution`` gives more of them.
    """
    nodes = list(weights)
    numbers = {node: number for number, node in enumerate(nodes)}
    links = [{numbers[other]: weight for other, weight in weights[node].items()} for node in nodes]
    members = [[number] for number in range(len(nodes))]
    while True:
        found = _moved(links, resolution)
        if len(set(found)) == len(links):
            break
        links, members = _joined(links, members, found)
    return [[nodes[number] for number in sorted(each)] for each in sorted(members, key=min)]


def _moved(links: list[dict[int, float]], resolution: float) -> list[int]:
    """The community of each node after all moves that increase the modularity."""
    degrees = [sum(own.values()) + own.get(node, 0.0) for node, own in enumerate(links)]
    whole = sum(degrees) or 1.0
    community = list(range(len(links)))
    totals = list(degrees)
    for _ in range(_ROUNDS):
        is_done = True
        for node, own in enumerate(links):
            before = community[node]
            totals[before] -= degrees[node]
            towards: dict[int, float] = defaultdict(float)
            for other, weight in own.items():
                if other != node:
                    towards[community[other]] += weight
            share = resolution * degrees[node] / whole
            best, most = before, towards.get(before, 0.0) - share * totals[before]
            for each, weight in towards.items():
                gain = weight - share * totals[each]
                if gain > most + _GAIN:
                    best, most = each, gain
            totals[best] += degrees[node]
            if best != before:
                community[node] = best
                is_done = False
        if is_done:
            break
    return community


def _joined(
    links: list[dict[int, float]], members: list[list[int]], community: list[int]
) -> tuple[list[dict[int, float]], list[list[int]]]:
    """The graph whose nodes are the communities; links within one become a link of it with itself."""
    order = {each: number for number, each in enumerate(dict.fromkeys(community))}
    joined: list[dict[int, float]] = [defaultdict(float) for _ in order]
    inside: list[list[int]] = [[] for _ in order]
    for node, own in enumerate(links):
        one = order[community[node]]
        inside[one] += members[node]
        for other, weight in own.items():
            another = order[community[other]]
            # A link within a community is seen from both of its ends.
            joined[one][another] += weight / 2 if one == another and other != node else weight
    return [dict(each) for each in joined], inside
