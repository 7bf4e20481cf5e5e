"""The source of a kernel, rewritten so that its loops and branches can run at run time.

    for j in hk.range(n):          __hk_1 = __hk.Loop(hk.range(n), ('s',), ('j',), ...)
        s = s + f(j)               for j in __hk_1:
                                       if __hk_1.dynamic: (s,) = __hk_1.enter(__hk.locals())
                                       s = s + f(j)
                                       if __hk_1.dynamic: __hk_1.leave(__hk.locals())
                                   if __hk_1.dynamic: (s, j) = __hk_1.results()

    if c:                          __hk_2 = __hk.Branch(c, ('x',), ...)
        x = a                      if __hk_2.then:
    else:                              if __hk_2.dynamic: __hk_2.begin(__hk.locals())
        x = b                          x = a
                                       if __hk_2.dynamic: (x,) = __hk_2.swap(__hk.locals())
                                   if __hk_2.otherwise:
                                       x = b
                                   if __hk_2.dynamic: (x,) = __hk_2.merge(__hk.locals())

Over what Python knows the new statements do what the old ones did. Lines and columns stay the
user's.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections.abc import Callable
from typing import Any

from .control import Branch, Loop, static_test
from .liveness import NONE, Liveness, Names, changed_in_place, kills, own_names, stores

HELPERS = types.SimpleNamespace(
    Loop=Loop, Branch=Branch, static=static_test, locals=builtins.locals
)
_HK = "__hk"


class NoSource(Exception):
    """Why the source of a function cannot be read."""


def _jumps(body: list[ast.stmt], inner: bool = False) -> str:
    """The first statement that leaves a body, in words, or ''."""
    for node in body:
        match node:
            case ast.Return():
                return "return"
            case ast.Break() if not inner:
                return "break"
            case ast.Continue() if not inner:
                return "continue"
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                continue
            case ast.For() | ast.While() | ast.AsyncFor():
                found = _jumps(node.body, True) or _jumps(node.orelse, inner)
            case ast.Try():
                handlers = [s for h in node.handlers for s in h.body]
                found = _jumps([*node.body, *handlers, *node.orelse, *node.finalbody], inner)
            case ast.Match():
                found = _jumps([s for case in node.cases for s in case.body], inner)
            case _:
                found = _jumps(getattr(node, "body", []), inner)
                found = found or _jumps(getattr(node, "orelse", []), inner)
        if found:
            return found
    return ""


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self.count = 0
        self.changed = False
        self.liveness = Liveness()
        self.own: Names = NONE
        self.not_ours: Names = NONE

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:  # noqa: N802 - ast's name
        before = self.liveness, self.own, self.not_ours
        self.liveness = Liveness.of(node)
        self.own = own_names(node)
        self.not_ours = frozenset(
            name for n in ast.walk(node) if isinstance(n, (ast.Global,)) for name in n.names
        )
        node.body = [s for statement in node.body for s in _listed(self.visit(statement))]
        self.liveness, self.own, self.not_ours = before
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:  # noqa: N802 - ast's name
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:  # noqa: N802 - ast's name
        return node

    visit_AsyncFunctionDef = visit_ClassDef  # noqa: N815 - ast's name

    def visit_For(self, node: ast.For) -> Any:  # noqa: N802 - ast's name
        targets = kills(node.target)
        names = sorted(self._rebound(*node.body) - targets)
        after = self.liveness.after.get(node, NONE)
        exposed = self.liveness.exposed.get(node, NONE)
        jump = "else" if node.orelse else _jumps(node.body)
        self.generic_visit(node)
        loop = self._name()
        at = _Maker(node)
        make = at.call(
            "Loop",
            node.iter,
            at.names(names),
            at.names(sorted(targets)),
            at.names(sorted(exposed & set(names))),
            at.names(sorted(after & set(names))),
            ast.Constant(jump),
        )
        node.iter = at.load(loop)
        node.body = [
            at.when(loop, "dynamic", at.assign(names, at.method(loop, "enter", True))),
            *node.body,
            at.when(loop, "dynamic", at.assign([], at.method(loop, "leave", True))),
        ]
        end = at.assign([*names, *sorted(targets)], at.method(loop, "results", False))
        return [at.store(loop, make), node, at.when(loop, "dynamic", end)]

    def visit_If(self, node: ast.If) -> Any:  # noqa: N802 - ast's name
        names = sorted(self._rebound(*node.body, *node.orelse))
        after = self.liveness.after.get(node, NONE)
        jump = _jumps([*node.body, *node.orelse])
        self.generic_visit(node)
        at = _Maker(node)
        if jump:
            self.changed = True
            node.test = at.call("static", node.test, ast.Constant(jump))
            return node
        branch = self._name()
        make = at.call("Branch", node.test, at.names(names), at.names(sorted(after & set(names))))
        then = [
            at.when(branch, "dynamic", at.assign([], at.method(branch, "begin", True))),
            *node.body,
            at.when(branch, "dynamic", at.assign(names, at.method(branch, "swap", True))),
        ]
        result = [at.store(branch, make), at.when(branch, "then", *then)]
        if node.orelse:
            result.append(at.when(branch, "otherwise", *node.orelse))
        result.append(
            at.when(branch, "dynamic", at.assign(names, at.method(branch, "merge", True)))
        )
        return result

    def _rebound(self, *nodes: ast.stmt) -> Names:
        in_place = changed_in_place(*nodes) & self.own
        return (stores(*nodes) | in_place) - self.not_ours

    def _name(self) -> str:
        self.changed = True
        self.count += 1
        return f"{_HK}_{self.count}"


def _listed(node: Any) -> list[ast.stmt]:
    return node if isinstance(node, list) else [node]


class _Maker:
    """New nodes at the place of an old one."""

    def __init__(self, old: ast.stmt) -> None:
        self.old = old

    def _at(self, node: Any) -> Any:
        ast.copy_location(node, self.old)
        if hasattr(node, "end_lineno"):  # a statement's own line, not its body's last
            node.end_lineno = node.lineno
            node.end_col_offset = node.col_offset
        return node

    def load(self, name: str) -> ast.expr:
        return self._at(ast.Name(name, ast.Load()))

    def names(self, names: list[str]) -> ast.expr:
        return self._at(ast.Tuple([ast.Constant(n) for n in names], ast.Load()))

    def call(self, helper: str, *arguments: ast.expr) -> ast.expr:
        function = ast.Attribute(self.load(_HK), helper, ast.Load())
        return self._at(ast.Call(function, list(arguments), []))

    def method(self, name: str, method: str, with_locals: bool) -> ast.expr:
        function = ast.Attribute(self.load(name), method, ast.Load())
        return self._at(ast.Call(function, [self.call("locals")] if with_locals else [], []))

    def store(self, name: str, value: ast.expr) -> ast.stmt:
        return self._at(ast.Assign([ast.Name(name, ast.Store())], value))

    def assign(self, names: list[str], value: ast.expr) -> ast.stmt:
        if not names:
            return self._at(ast.Expr(value))
        target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        return self._at(ast.Assign([target], value))

    def when(self, name: str, attribute: str, *body: ast.stmt) -> ast.stmt:
        test = ast.Attribute(self.load(name), attribute, ast.Load())
        return self._at(ast.If(test, list(body), []))


def _parse(function: types.FunctionType) -> ast.FunctionDef:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise NoSource(
            f"the source of '{function.__name__}' cannot be read ({error}): code from exec, eval "
            "or a bare prompt has none; put it into a file"
        ) from error
    source = "".join(lines)
    indented = source[:1].isspace()
    try:
        tree = ast.parse("if 1:\n" + source if indented else source)
    except SyntaxError as error:
        raise NoSource(
            f"the source of '{function.__name__}' does not parse by itself: {error.msg}"
        ) from error
    node = tree.body[0].body[0] if indented else tree.body[0]  # type: ignore[attr-defined]
    if not isinstance(node, ast.FunctionDef):
        raise NoSource(f"'{function.__name__}' is no function defined by a def statement")
    ast.increment_lineno(node, first - (2 if indented else 1))
    return node


def rewrite(function: types.FunctionType) -> types.FunctionType:
    """The same function with run-time loops and branches; ``NoSource`` says why there is none."""
    node = _parse(function)
    rewriter = _Rewriter()
    node.decorator_list = []
    node.returns = None
    arguments = node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    # Defaults were evaluated when the function was made; only their number counts here.
    arguments.defaults = [ast.copy_location(ast.Constant(None), d) for d in arguments.defaults]
    arguments.kw_defaults = [
        d if d is None else ast.copy_location(ast.Constant(None), d) for d in arguments.kw_defaults
    ]
    rewriter.visit(node)
    if not rewriter.changed:
        return function
    ast.fix_missing_locations(node)
    code = _compile_inside(node, function)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[_HK] = types.CellType(HELPERS)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    return result


def _compile_inside(node: ast.FunctionDef, function: types.FunctionType) -> types.CodeType:
    """The code of ``node`` with the closure's names free: it is compiled inside of an outer one."""
    free = [*function.__code__.co_freevars, _HK]
    outer = ast.FunctionDef(
        name="__hk_outer",
        args=ast.arguments(
            posonlyargs=[], args=[ast.arg(name) for name in free], kwonlyargs=[], kw_defaults=[],
            defaults=[],
        ),
        body=[node],
        decorator_list=[],
    )  # fmt: skip
    if "type_params" in ast.FunctionDef._fields:  # from Python 3.12 on
        outer.type_params = []  # type: ignore[attr-defined]
    ast.copy_location(outer, node)
    ast.fix_missing_locations(outer)
    module = ast.Module([outer], [])
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    for name in ("__hk_outer", function.__name__):
        code = next(
            c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name
        )
    return code


def traceable(function: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """The rewritten function, or the function itself with the reason why it is not rewritten."""
    try:
        return rewrite(function), ""  # type: ignore[arg-type]
    except NoSource as error:
        return function, str(error)
