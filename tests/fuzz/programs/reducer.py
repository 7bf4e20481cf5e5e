"""Makes a failing program small: takes away statements, unwraps blocks, puts children or constants
in place of expressions, as long as `fails` says that it still fails."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator

from generator import Kernel, Node, Statement

Edit = Callable[[Kernel], None]

SIMPLEST = {"bool": "true", "Mixed": "Mixed{}"}


def _cut(list_index: int, start: int, stop: int) -> Edit:
    def edit(kernel: Kernel) -> None:
        statements = list(kernel.lists())[list_index]
        del statements[start:stop]

    return edit


def _unwrap(list_index: int, at: int, body: int) -> Edit:
    def edit(kernel: Kernel) -> None:
        statements = list(kernel.lists())[list_index]
        statements[at : at + 1] = statements[at].bodies[body]

    return edit


def _sites(kernel: Kernel) -> Iterator[tuple[Statement | Node, int]]:
    """Where expressions hang, each as (parent, index)."""
    for statement in kernel.statements():
        for i, kid in enumerate(statement.kids):
            yield statement, i
            for node in kid.walk():
                for j in range(len(node.kids)):
                    yield node, j


def _replace(site: int, make: Callable[[Node], Node]) -> Edit:
    def edit(kernel: Kernel) -> None:
        parent, index = list(_sites(kernel))[site]
        parent.kids[index] = make(parent.kids[index])

    return edit


def _descendants(node: Node) -> list[tuple[int, ...]]:
    """Paths to the nearest descendants of the node's own type."""
    found, queue = [], [(kid, (i,)) for i, kid in enumerate(node.kids)]
    while queue and len(found) < 3:
        kid, path = queue.pop(0)
        if kid.type == node.type:
            found.append(path)
        else:
            queue += [(k, (*path, i)) for i, k in enumerate(kid.kids)]
    return found


def _follow(path: tuple[int, ...]) -> Callable[[Node], Node]:
    def make(node: Node) -> Node:
        for i in path:
            node = node.kids[i]
        return node

    return make


def _simplest(node: Node) -> Node:
    return Node(node.type, SIMPLEST.get(node.type, f"{node.type}(1)"))


def edits(kernel: Kernel) -> Iterator[Edit]:
    """Every single step, the greatest first."""
    lists = list(kernel.lists())
    longest = max((len(statements) for statements in lists), default=0)
    size = longest
    while size:
        for i, statements in enumerate(lists):
            if size <= len(statements):
                for start in range(0, len(statements), size):
                    yield _cut(i, start, start + size)
        size //= 2
    for i, statements in enumerate(lists):
        for at, statement in enumerate(statements):
            for body in range(len(statement.bodies)):
                yield _unwrap(i, at, body)
    for site, (parent, index) in enumerate(_sites(kernel)):
        node = parent.kids[index]
        if node.kids:
            yield _replace(site, _simplest)
            for path in _descendants(node):
                yield _replace(site, _follow(path))


def reduce(
    kernel: Kernel, fails: Callable[[list[Kernel]], list[bool]], batch: int = 24, limit: int = 300
) -> Kernel:
    """`fails` judges several programs at once (one compilation); each has a name of its own. It is
    called at most `limit` times."""
    best, changed = copy.deepcopy(kernel), True
    while changed and limit > 0:
        changed, at = False, 0
        todo = list(edits(best))
        while at < len(todo) and limit > 0:
            candidates: list[Kernel] = []
            original, start = best.text(), at
            while at < len(todo) and len(candidates) < batch:
                made = copy.deepcopy(best)
                todo[at](made)
                at += 1
                if made.text() != original:
                    candidates.append(made)
            if not candidates:
                break
            limit -= 1
            verdicts = fails([_renamed(k, i) for i, k in enumerate(candidates)])
            good = [k for k, bad in zip(candidates, verdicts, strict=True) if bad]
            if good:
                best, changed, at = min(good, key=lambda k: len(k.text())), True, start
                todo = list(edits(best))
    return best


def _renamed(kernel: Kernel, index: int) -> Kernel:
    """A copy whose kernel and functions have names that no other candidate has."""
    made = copy.deepcopy(kernel)
    made.name = f"c{index}"
    names = {f.name: f"c{index}_{f.name}" for f in kernel.functions}
    if not names:
        return made
    pattern = re.compile(r"\b(" + "|".join(names) + r")\b")

    def rename(text: str) -> str:
        return pattern.sub(lambda found: names[found[1]], text)

    for f in made.functions:
        f.name, f.head = names[f.name], rename(f.head)
    for statement in made.statements():
        statement.form = rename(statement.form)
        for kid in statement.kids:
            for node in kid.walk():
                node.form = rename(node.form)
    return made
