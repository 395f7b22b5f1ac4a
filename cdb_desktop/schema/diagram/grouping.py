"""Makes groups for all tables of a model: from its links, or from the prefixes of its names.

Every top-level table is in exactly one group, and the same model always gives the same groups.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt
from typing import TypeVar

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import Groups, made_groups
from cdb_desktop.schema.diagram.model import SchemaGraph

_LEAST = 3  # tables in a group; smaller ones are joined with the one that they have most links with
_PER_ROOT = 0.65  # groups for the root of the number of tables: 20 of 1,000, 6 of 100
_FEWEST = 4  # groups that are not joined because there were too many
_LARGEST = 2.0  # how far a group may exceed the average by being joined with others
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|[^\W_]+")

_Weights = Mapping[int, Mapping[int, float]]


def groups_by_links(graph: SchemaGraph) -> Groups:
    """Tables that have more links with one another than with others; named after the one with most links.

    A link to a table that many link to, such as a list of languages, counts less than one to a table that
    few link to. There are at most about 20 groups for 1,000 tables. Tables without links are a group.
    """
    weights = _weights(graph)
    linked = [table for table, own in weights.items() if own]
    found = find_communities({table: weights[table] for table in linked})
    most = max(_FEWEST, round(_PER_ROOT * sqrt(len(linked))))
    found = _joined(found, weights, most)
    names = {box.table: box.name for box in graph.boxes}
    order = {box.table: number for number, box in enumerate(graph.boxes)}
    named = sorted(
        ((names[_hub(tables, weights, order)], tables) for tables in found),
        key=lambda each: (-len(each[1]), min(order[table] for table in each[1])),
    )
    alone = [table for table in weights if not weights[table]]
    return made_groups([*named, *([(tr("Without links"), alone)] if alone else [])])


def groups_by_prefix(graph: SchemaGraph) -> Groups:
    """Tables whose names begin with the same word; those that share it with no other are one group.

    Words that all names begin with are skipped. A prefix of more than half of many tables is divided by the
    next word.
    """
    words = {box.table: _words(box.name) for box in graph.boxes}
    found = _by_word(words, _common(words.values()))
    largest = max(found.values(), key=len, default=[])
    if len(largest) > max(len(words) / 2, 2 * _LEAST):
        inner = {table: words[table] for table in largest}
        parts = _by_word(inner, _common(inner.values()))
        if sum(len(tables) > 1 for tables in parts.values()) > 1:
            found = {prefix: tables for prefix, tables in found.items() if tables is not largest} | parts
    named = [(prefix, tables) for prefix, tables in found.items() if len(tables) > 1]
    rest = [tables[0] for tables in found.values() if len(tables) == 1]
    return made_groups([*named, *([(tr("Other tables"), rest)] if rest else [])])


def _weights(graph: SchemaGraph) -> dict[int, dict[int, float]]:
    """How closely top-level tables are linked, in both directions."""
    ends = [(edge.source, edge.target) for edge in graph.edges if edge.source != edge.target]
    linking = Counter(target for _, target in ends)
    weights: dict[int, dict[int, float]] = {box.table: defaultdict(float) for box in graph.boxes}
    for source, target in ends:
        weight = 1 / linking[target]
        weights[source][target] += weight
        weights[target][source] += weight
    return weights


def _joined(found: Sequence[list[int]], weights: _Weights, most: int) -> list[list[int]]:
    """At most ``most`` communities: the smallest are joined with those to which they have most links.

    If these are large already, they are joined with small ones that link to the same communities.
    """
    parts = dict(enumerate(found))
    links = _between(found, weights)
    limit = _LARGEST * sum(map(len, found)) / most
    while len(parts) > 1:
        number = min(parts, key=lambda each: (len(parts[each]), each))
        size = len(parts[number])
        if size >= _LEAST and len(parts) <= most:
            break
        fitting = [each for each in parts if each != number and len(parts[each]) + size <= limit]
        own = links[number]
        rated = {each: own.get(each, 0.0) / len(parts[each]) for each in fitting or parts if each != number}
        if not any(rated.values()):
            rated = {each: _shared(own, links[each]) / len(parts[each]) for each in rated}
        into = max(rated, key=lambda each: (rated[each], -len(parts[each]), -each))
        parts[into] += parts.pop(number)
        for other, weight in links.pop(number).items():
            del links[other][number]
            if other != into:
                links[into][other] += weight
                links[other][into] += weight
    return list(parts.values())


def _between(found: Sequence[list[int]], weights: _Weights) -> dict[int, dict[int, float]]:
    """How closely communities are linked with one another."""
    owner = {table: number for number, tables in enumerate(found) for table in tables}
    links: dict[int, dict[int, float]] = {number: defaultdict(float) for number in range(len(found))}
    for table, number in owner.items():
        for other, weight in weights[table].items():
            if owner[other] != number:
                links[number][owner[other]] += weight
    return links


def _shared(one: Mapping[int, float], other: Mapping[int, float]) -> float:
    """How closely both are linked with the same communities."""
    return sum(min(weight, other.get(key, 0.0)) for key, weight in one.items())


def _hub(tables: Iterable[int], weights: _Weights, order: Mapping[int, int]) -> int:
    """The table with the most links to others of the group."""
    inside = set(tables)
    degrees = {table: sum(other in inside for other in weights[table]) for table in inside}
    return max(inside, key=lambda table: (degrees[table], sum(weights[table].values()), -order[table]))


def _words(name: str) -> list[str]:
    """The words of a name such as ``order_line`` or ``OrderLine``, in lower case."""
    return [word.lower() for word in _WORD.findall(name)] or [name]


def _common(names: Iterable[list[str]]) -> int:
    """How many words all names begin with; each keeps one."""
    every = list(names)
    shortest = min((len(words) for words in every), default=1)
    for number in range(shortest - 1):
        if len({words[number] for words in every}) > 1:
            return number
    return max(shortest - 1, 0)


def _by_word(words: Mapping[int, list[str]], skipped: int) -> dict[str, list[int]]:
    """The tables by their prefix, which includes the words that are skipped."""
    found: dict[str, list[int]] = defaultdict(list)
    for table, own in words.items():
        found["_".join(own[: skipped + 1])].append(table)
    return dict(found)


Node = TypeVar("Node", bound=Hashable)
# The weight between nodes, each pair in both directions.
Weights = Mapping[Node, Mapping[Node, float]]

_GAIN = 1e-9  # below which nodes stay where they are, so that rounding errors do not move them
_ROUNDS = 20


def find_communities(weights: Weights[Node]) -> list[list[Node]]:
    """The communities in the order of their first nodes; a node without neighbors is one of its own.

    By the method of Louvain: nodes move to the community that increases the modularity most (Blondel and
    others, "Fast unfolding of communities in large networks", 2008); communities then become the nodes of the
    next round. NetworkX has the same method but would add 2 MB to packages that have 0.8 MB left; Graphviz's
    own clustering (``gvmap``) is not among what pygraphviz contains.
    """
    nodes = list(weights)
    numbers = {node: number for number, node in enumerate(nodes)}
    links = [{numbers[other]: weight for other, weight in weights[node].items()} for node in nodes]
    members = [[number] for number in range(len(nodes))]
    while True:
        found = _moved(links)
        if len(set(found)) == len(links):
            break
        links, members = _united(links, members, found)
    return [[nodes[number] for number in sorted(each)] for each in sorted(members, key=min)]


def _moved(links: list[dict[int, float]]) -> list[int]:
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
            share = degrees[node] / whole
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


def _united(
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
