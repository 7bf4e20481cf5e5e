"""Which names of a function are read where: what a loop carries and a branch merges.

A backward walk over the statements, as a compiler's. Where Python could do more than the walk
follows (exceptions, nested functions), names count as read: too many names cost nothing but a value
that is not used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Names = frozenset[str]
NONE: Names = frozenset()


def _child_statements(node: ast.AST) -> Iterable[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _FUNCTIONS):
            yield from _child_statements(child)


def reads(*nodes: ast.AST | None) -> Names:
    """Names loaded anywhere below, in nested functions too."""
    return frozenset(
        n.id
        for node in nodes
        if node is not None
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )


def stores(*nodes: ast.AST) -> Names:
    """Names that these nodes bind: assignments, targets, imports, definitions."""
    found: set[str] = set()
    for node in nodes:
        inner: set[int] = set()  # the targets of comprehensions live in those
        for n in (node, *_child_statements(node)):
            if isinstance(n, _COMPREHENSIONS):
                inner.update(id(x) for g in n.generators for x in ast.walk(g.target))
            elif id(n) in inner:
                continue
            elif isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
                found.add(n.id)
            elif isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                found.add(n.name)
            elif isinstance(n, (ast.Import, ast.ImportFrom)):
                found.update((a.asname or a.name.split(".")[0]) for a in n.names)
            elif isinstance(n, ast.ExceptHandler) and n.name:
                found.add(n.name)
            elif isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name:
                found.add(n.name)
    return frozenset(found)


def changed_in_place(*nodes: ast.AST) -> Names:
    """Names of what ``x[i] = ...`` changes."""
    found: set[str] = set()
    for node in nodes:
        for n in (node, *_child_statements(node)):
            if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store):
                base = n.value
                while isinstance(base, ast.Subscript):
                    base = base.value
                if isinstance(base, ast.Name):
                    found.add(base.id)
    return frozenset(found)


def own_names(function: ast.FunctionDef) -> Names:
    """The names local to a function: its parameters and what it binds."""
    arguments = function.args
    names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names.update(a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None)
    for node in ast.walk(function):
        if isinstance(node, ast.Nonlocal):
            names.update(node.names)
    return frozenset(names) | stores(*function.body)


def kills(*targets: ast.AST | None) -> Names:
    """Names that an assignment to these targets binds for certain."""
    return frozenset(
        n.id
        for target in targets
        if target is not None
        for n in ast.walk(target)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


@dataclass
class Liveness:
    """``after[node]`` are the names read after a loop or branch; ``exposed[node]`` those that the
    body of a loop reads before it binds them."""

    captured: Names = NONE
    after: dict[ast.AST, Names] = field(default_factory=dict)
    exposed: dict[ast.AST, Names] = field(default_factory=dict)

    @classmethod
    def of(cls, function: ast.FunctionDef) -> Liveness:
        captured: Names = NONE
        for node in ast.walk(function):
            if isinstance(node, _FUNCTIONS) and node is not function:
                captured |= reads(node)
        self = cls(captured)
        self._block(function.body, captured, True)
        return self

    def _block(self, body: list[ast.stmt], after: Names, record: bool) -> Names:
        for statement in reversed(body):
            after = self._statement(statement, after, record)
        return after

    def _minus(self, names: Names, killed: Names) -> Names:
        return names - (killed - self.captured)

    def _statement(self, node: ast.stmt, after: Names, record: bool) -> Names:
        match node:
            case ast.Assign():
                names = self._minus(after, kills(*node.targets))
                return names | reads(node.value, *node.targets)
            case ast.AnnAssign():
                names = self._minus(after, kills(node.target)) if node.value else after
                return names | reads(node.value, node.target)
            case ast.AugAssign():
                return after | reads(node.value, node.target) | kills(node.target)
            case ast.If():
                if record:
                    self.after[node] = after
                body = self._block(node.body, after, record)
                return body | self._block(node.orelse, after, record) | reads(node.test)
            case ast.For() | ast.AsyncFor():
                return self._loop(node, kills(node.target), reads(node.iter), after, record)
            case ast.While():
                return self._loop(node, NONE, reads(node.test), after, record) | reads(node.test)
            case ast.With() | ast.AsyncWith():
                names = self._block(node.body, after, record)
                return names | reads(*(item.context_expr for item in node.items))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return self._minus(after, frozenset([node.name])) | reads(node)
            case ast.Return() | ast.Raise():
                return reads(node) | self.captured
            case ast.Try() | ast.Match():
                names = after | reads(node)
                for child in _child_statements(node):  # what may be left at any point
                    if record and isinstance(child, (ast.If, ast.For, ast.AsyncFor)):
                        self.after[child] = names
                        self.exposed[child] = reads(child)
                return names
            case _:
                return after | reads(node)

    def _loop(
        self, node: ast.For | ast.While, targets: Names, head: Names, after: Names, record: bool
    ) -> Names:
        after_else = self._block(node.orelse, after, record)
        # The end of the body reaches the next round as well as the statement behind the loop;
        # break and continue reach one of them.
        around = after | after_else
        while True:
            wider = around | self._minus(self._block(node.body, around, False), targets)
            if isinstance(node, ast.While):
                wider |= head
            if wider == around:
                break
            around = wider
        if record:
            self.after[node] = after | after_else
            self.exposed[node] = self._minus(self._block(node.body, NONE, False), targets)
            if isinstance(node, ast.While):
                self.exposed[node] |= head
            self._block(node.body, around, True)
        return around | head
