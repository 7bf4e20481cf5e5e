"""Run-time loops and branches: what the rewritten statements of a kernel call.

``rewrite`` turns each ``for`` and ``if`` of a kernel into calls of a :class:`Loop` or a
:class:`Branch`. Over what Python knows they behave as plain Python. Over ``hk.range`` the body is
traced once into a region; names that it rebinds are carried: their value before the loop becomes an
argument of the region, their value at its end is yielded. When a carried value turns out to change
its type (a Python number that becomes a tile, a number that counts), the body is traced again with
the type that it takes. The operation is made last, when all types are known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NoReturn

from wavewright.errors import TraceError, TraceTypeError, TraceValueError

from .memory import Coord
from .place import fail
from .trace import GROUP, LANE, WAVE, Scope, Trace, current, ir, ir_type
from .types import DType, f32, i32
from .values import Scalar, Tile, Value, Vector, convert_scalar, is_number, spread, words, wrap

_MISSING = object()


class Poison:
    """What a name holds where it has no value; any use says why."""

    def __init__(self, why: str) -> None:
        object.__setattr__(self, "_why", why)

    def explain(self, *_: Any, **__: Any) -> NoReturn:
        raise fail(TraceError, self._why)

    _fail = explain

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._fail()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = (
        _fail
    )
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __matmul__ = __rmatmul__ = __neg__ = _fail
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __rand__ = __or__ = __ror__ = __getitem__ = _fail
    __setitem__ = __bool__ = __iter__ = __call__ = __index__ = __float__ = __setattr__ = _fail


# -- values inside of Python's containers ---


def flatten(value: Any, leaves: list[Any]) -> Any:
    """Appends what ``value`` holds to ``leaves``; the result says how to put it together again."""
    if isinstance(value, Coord):
        leaves.extend(value.parts)
        return ("coord", value.unit)
    if type(value) in (tuple, list):
        return (type(value), tuple(flatten(item, leaves) for item in value))
    leaves.append(value)
    return None


def rebuild(shape: Any, leaves: Iterator[Any]) -> Any:
    if shape is None:
        return next(leaves)
    if shape[0] == "coord":
        return Coord(next(leaves), next(leaves), next(leaves), next(leaves), shape[1])
    return shape[0](rebuild(item, leaves) for item in shape[1])


def same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, Value) and isinstance(b, Value):
        return a.ir == b.ir
    if isinstance(a, Value) or isinstance(b, Value) or type(a) is not type(b):
        return False
    try:
        return bool(a == b)
    except Exception:  # what cannot be compared is not the same
        return False


def type_where_they_meet(a: Any, b: Any) -> Any:
    """The type that both a value before (``a``) and one after (``b``) can take, or None."""
    if is_number(a) and is_number(b):
        if isinstance(a, bool) or isinstance(b, bool):
            return None
        return f32 if isinstance(a, float) or isinstance(b, float) else i32
    if is_number(a) or is_number(b):
        number, value = (a, b) if is_number(a) else (b, a)
        if not isinstance(value, Value):
            return None
        dtype = value.type if isinstance(value.type, DType) else value.type.dtype
        if isinstance(number, float) and not dtype.is_float:
            return f32 if value.type is i32 else None
        return value.type
    if not isinstance(a, Value) or not isinstance(b, Value):
        return None
    if a.type == b.type:
        return a.type
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        floats = [v.type for v in (a, b) if v.type.is_float]
        others = [v.type for v in (a, b) if not v.type.is_float]
        return floats[0] if len(floats) == 1 and others == [i32] else None
    small, large = (a, b) if _rank(a) < _rank(b) else (b, a)
    if _rank(small) == _rank(large):
        return None
    dtype = small.type if isinstance(small, Scalar) else small.type.dtype
    if dtype is not large.type.dtype and not (dtype is i32 and isinstance(small, Scalar)):
        return None
    if isinstance(small, Vector):
        extent = large.rows if small.type.axis == "col" else large.cols
        return large.type if extent == small.length else None
    return large.type


def _rank(value: Value) -> int:
    return 2 if isinstance(value, Tile) else 1 if isinstance(value, Vector) else 0


def _describe(value: Any) -> str:
    if value is _MISSING or isinstance(value, Poison):
        return "nothing"
    return words(value) if isinstance(value, Value) or is_number(value) else f"{value!r}"


# -- loops ---


class RunTimeIterable(ABC):
    """What a ``for`` statement of a kernel iterates over at run time."""

    words = "hk.range"

    @abstractmethod
    def bounds(self) -> tuple[Any, Any, Any]:
        """Start, stop and step: integers or i32 scalars."""

    def item(self, index: Scalar) -> Any:
        return index

    def __iter__(self) -> NoReturn:
        trace = current(self.words)
        if trace.unreadable:
            raise fail(
                TraceError,
                f"a loop over {self.words} needs its function's source: {trace.unreadable}",
            )
        raise fail(
            TraceError,
            f"{self.words} is a run-time loop: write it as a for statement in the body of an "
            "@hk.kernel or @hk.func, not in a comprehension or in a plain function",
        )


class range(RunTimeIterable):
    """``for i in hk.range([start,] stop[, step])``: a loop that runs at run time.

    Bounds are integers or i32 scalars; the step is positive. Names rebound in the body are carried
    from one round to the next. Python's own ``range`` unrolls while tracing.
    """

    def __init__(self, start: Any, stop: Any = None, step: Any = 1) -> None:
        current("hk.range")
        start, stop = (0, start) if stop is None else (start, stop)
        for name, bound in (("start", start), ("stop", stop), ("step", step)):
            integer = isinstance(bound, int) and not isinstance(bound, bool)
            if not integer and not (isinstance(bound, Scalar) and not bound.type.is_float):
                raise fail(
                    TraceTypeError,
                    f"the {name} of hk.range is an integer or an i32 scalar, not {words(bound)}",
                )
        if isinstance(step, int) and step <= 0:
            raise fail(
                TraceValueError,
                f"hk.range counts up; a step of {step} does not. Count from 0 and subtract",
            )
        self._bounds = (start, stop, step)

    def bounds(self) -> tuple[Any, Any, Any]:
        return self._bounds


class Loop:
    """A ``for`` statement.

    Args:
        iterable: what it iterates over.
        names: what its body rebinds.
        targets: the names of its target.
        exposed: names whose value from the round before the body reads.
        live: names read after the loop.
        jump: ``break``, ``continue``, ``return`` or ``else`` where the statement has one.
    """

    def __init__(
        self,
        iterable: Any,
        names: tuple[str, ...] = (),
        targets: tuple[str, ...] = (),
        exposed: tuple[str, ...] = (),
        live: tuple[str, ...] = (),
        jump: str = "",
    ) -> None:
        self.iterable = iterable
        self.dynamic = isinstance(iterable, RunTimeIterable)
        self.names, self.targets = names, targets
        self.exposed, self.live = frozenset(exposed), frozenset(live)
        if not self.dynamic:
            return
        if jump:
            raise fail(
                TraceError,
                f"'{jump}' in a run-time loop: every round runs to its end; use hk.where, or an "
                "if statement around what is left of the body",
            )
        self.trace: Trace = current("hk.range")

    def __iter__(self) -> Iterator[Any]:
        return self._rounds() if self.dynamic else iter(self.iterable)

    def _rounds(self) -> Iterator[Any]:
        trace = self.trace
        start, stop, step = (spread(bound, i32) for bound in self.iterable.bounds())
        self.level = max(start.level, stop.level, step.level)
        if self.level == LANE:
            raise fail(
                TraceError,
                "the bounds of a run-time loop depend on the lane; lanes of a wave run together: "
                "loop to the largest bound and use hk.where inside",
            )
        self.bounds = (start, stop, step)
        self.block, self.outer, self.divergence = trace.block, trace.scope, trace.divergence
        self.before: dict[str, Any] | None = None
        self.wanted: dict[tuple[str, int], tuple[Any, int]] = {}
        self.line = f"the loop at {_place_words()}"
        shared_used = trace.shared_used
        for _ in (1, 2, 3, 4, 5, 6):
            trace.shared_used = shared_used
            self.region = ir.Region(trace.module)
            index = self.region.block.add_argument(ir_type("i32"), trace.location())
            trace.block = self.region.block
            trace.scope = self.scope = Scope(self.line, self.outer)
            if self.level > GROUP:
                trace.divergence = (self.level, "a trip count that differs between waves")
            yield self.iterable.item(Scalar(index, i32, self.scope, self.level))
            self.scope.closed = True
            trace.scope = self.outer
            trace.divergence = self.divergence
            trace.block = self.block
            if self.settled:
                self._finish()
                return
            self.region.discard()
        raise fail(TraceError, "the types of the names that this loop rebinds do not settle")

    def enter(self, names: dict[str, Any]) -> tuple[Any, ...]:
        """The values of ``self.names`` at the beginning of the body."""
        if self.before is None:
            self.before = {name: names.get(name, _MISSING) for name in self.names}
        #: One row a carried leaf: its key, the value before, the argument.
        self.arguments: list[tuple[tuple[str, int], Any, Value]] = []
        self.shapes: dict[str, Any] = {}
        result = []
        for name in self.names:
            value = self.before[name]
            if value is _MISSING or isinstance(value, Poison):
                result.append(Poison(f"'{name}' has no value before it is bound in {self.line}"))
                continue
            if name not in self.exposed and name not in self.live:
                result.append(value)
                continue
            leaves: list[Any] = []
            self.shapes[name] = flatten(value, leaves)
            inner = [self._argument((name, i), leaf) for i, leaf in enumerate(leaves)]
            result.append(rebuild(self.shapes[name], iter(inner)))
        return tuple(result)

    def _argument(self, key: tuple[str, int], leaf: Any) -> Any:
        wanted, level = self.wanted.get(key, (None, GROUP))
        if wanted is None:
            if not isinstance(leaf, Value):
                return leaf
            wanted = leaf.type
        level = max(level, leaf.level if isinstance(leaf, Scalar) else GROUP)
        argument = self.region.block.add_argument(ir_type(wanted.spelling), self.trace.location())
        value = wrap(self.trace, argument, wanted, level)
        self.arguments.append((key, leaf, value))
        return value

    def leave(self, names: dict[str, Any]) -> None:
        """Takes the values at the end of the body and settles what is carried."""
        self.settled = True
        self.after: dict[str, Any] = {}
        yields: dict[tuple[str, int], Any] = {}
        arguments = {key: value for key, _, value in self.arguments}
        for name, shape in self.shapes.items():
            value = names.get(name, _MISSING)
            leaves: list[Any] = []
            new_shape = flatten(value, leaves)
            if value is _MISSING or isinstance(value, Poison) or new_shape != shape:
                self._lost(name, self.before[name], value)
                continue
            old_leaves: list[Any] = []
            flatten(self.before[name], old_leaves)
            for i, (old, new) in enumerate(zip(old_leaves, leaves, strict=True)):
                self._carry(name, (name, i), old, arguments.get((name, i)), new, yields)
        if self.settled:
            self._yield(yields)

    def _carry(
        self, name: str, key: tuple[str, int], old: Any, argument: Any, new: Any, yields: dict
    ) -> None:
        if argument is None:
            if same(old, new):
                return
            self._want(name, key, old, type_where_they_meet(old, new), new)
            return
        if isinstance(new, Value) and new.type == argument.type:
            if isinstance(new, Scalar) and max(new.level, self.level) > argument.level:
                if new.ir != argument.ir:
                    self._want(name, key, old, argument.type, new)
            yields[key] = new
            return
        meeting = type_where_they_meet(argument, new)
        if meeting == argument.type:
            yields[key] = spread(new, meeting)
        elif not argument.ir.used and name not in self.live:
            return
        else:
            self._want(name, key, old, meeting, new)

    def _want(self, name: str, key: tuple[str, int], old: Any, type: Any, new: Any) -> None:
        """Asks for one more trace of the body, with this leaf carried as ``type``."""
        if type is None:
            self._lost(name, old, new)
            return
        level = max(new.level if isinstance(new, Scalar) else GROUP, self.level)
        level = max(level, self.wanted.get(key, (None, GROUP))[1])
        if self.wanted.get(key) == (type, level):
            self._lost(name, old, new)
            return
        self.wanted[key] = (type, level)
        self.settled = False

    def _lost(self, name: str, old: Any, new: Any) -> None:
        """A name that no type can carry: an error if a later round reads it, else poison."""
        what = (
            f"'{name}' is {_describe(old)} before {self.line} and {_describe(new)} at the end of "
            "its body"
        )
        if name in self.exposed:
            raise fail(
                TraceTypeError,
                f"{what}, and the next round reads it: a run-time loop carries a value of one "
                "type; convert it with .to(...), or give the new value a name of its own",
            )
        self.after[name] = Poison(f"{what}, so it has no value after it")

    def _yield(self, yields: dict[tuple[str, int], Any]) -> None:
        trace = self.trace
        kept, self.inits, self.carried = [], [], []
        for key, old, argument in self.arguments:
            new = yields.get(key)
            unchanged = new is None or new.ir == argument.ir
            keep = not unchanged and (argument.ir.used or key[0] in self.live)
            kept.append(keep)
            self.inits.append(old)
            if keep:
                self.carried.append((key, argument.type, new, argument.level))
        values = [new for _, _, new, _ in self.carried]
        trace.effect("scf.yield", values)
        self.kept = kept

    def _finish(self) -> None:
        trace = self.trace
        inits = [
            spread(old, argument.type)
            for old, (_, _, argument) in zip(self.inits, self.arguments, strict=True)
        ]
        self.region.keep_arguments(self.kept, [value.ir for value in inits], 1)
        operands = [*self.bounds, *(v for v, keep in zip(inits, self.kept, strict=True) if keep)]
        types = [ir_type(type.spelling) for _, type, _, _ in self.carried]
        op = trace.block.create(
            "scf.for", trace.operands(operands), types, None, trace.location(), [self.region]
        )
        self.values = {
            key: wrap(trace, result, type, max(level, self.level))
            for (key, type, _, level), result in zip(self.carried, op.results, strict=True)
        }

    def results(self) -> tuple[Any, ...]:
        """The values of ``names`` and ``targets`` after the loop."""
        result = []
        for name in self.names:
            value = self.before[name]
            if name in self.after:
                result.append(self.after[name])
            elif name in self.shapes:
                leaves: list[Any] = []
                flatten(value, leaves)
                merged = (self.values.get((name, i), leaf) for i, leaf in enumerate(leaves))
                result.append(rebuild(self.shapes[name], merged))
            else:
                result.append(_inside(name, self.line, value))
        return (*result, *(_inside(name, self.line, _MISSING) for name in self.targets))


def _inside(name: str, where: str, before: Any) -> Poison:
    hint = "" if before is not _MISSING else "; bind it before the loop to have its last value"
    return Poison(f"'{name}' is bound inside {where} and has no value after it{hint}")


def _place_words() -> str:
    from .place import here

    place = here()
    return f"line {place.line}" if place else "an unknown line"


# -- branches ---


class Branch:
    """An ``if`` statement: of Python's, or uniform at run time (``scf.if``).

    ``then`` and ``otherwise`` say which bodies run while tracing; at run time both do, and names
    that either rebinds merge.
    """

    def __init__(
        self,
        test: Any,
        names: tuple[str, ...] = (),
        live: tuple[str, ...] = (),
        jump: str = "",
    ) -> None:
        self.dynamic = isinstance(test, Value)
        self.names, self.live = names, frozenset(live)
        if not self.dynamic:
            self.then = bool(test)
            self.otherwise = not self.then
            return
        if not isinstance(test, Scalar):
            bool(test)  # raises, with the way out
        if test.type.is_float or test.type.bits != 1:
            raise fail(
                TraceTypeError,
                f"{words(test)} is not a comparison: write x != 0, a branch at run time takes a "
                "condition",
            )
        if test.level == LANE:
            raise fail(
                TraceError,
                "a branch on a condition that lanes do not share; tiles need all lanes of a wave: "
                "use hk.where",
            )
        if jump:
            raise fail(
                TraceError,
                f"'{jump}' under a run-time condition: which statements follow is decided while "
                "tracing; put them into an else branch, or use hk.where",
            )
        self.then = self.otherwise = True
        self.test = test
        self.trace: Trace = current("a branch")
        self.line = f"the branch at {_place_words()}"
        self.block, self.outer = self.trace.block, self.trace.scope
        self.divergence = self.trace.divergence

    def begin(self, names: dict[str, Any]) -> None:
        self.before = {name: names.get(name, _MISSING) for name in self.names}
        self._open("then")

    def _open(self, which: str) -> None:
        trace = self.trace
        region = ir.Region(trace.module)
        self.__dict__[which + "_region"] = region
        trace.block = region.block
        trace.scope = Scope(self.line, self.outer)
        if self.test.level == WAVE:
            trace.divergence = (WAVE, "a condition that differs between waves")

    def swap(self, names: dict[str, Any]) -> tuple[Any, ...]:
        """Ends the first body; the names are as before it again."""
        self.ends = [{name: names.get(name, _MISSING) for name in self.names}]
        self.scopes = [self.trace.scope]
        self._open("else")
        return tuple(
            Poison(f"'{name}' has no value in this branch of {self.line}") if v is _MISSING else v
            for name, v in self.before.items()
        )

    def merge(self, names: dict[str, Any]) -> tuple[Any, ...]:
        """Ends the second body, makes the operation, and gives the merged values."""
        trace = self.trace
        self.ends.append({name: names.get(name, _MISSING) for name in self.names})
        self.scopes.append(trace.scope)
        self.yields: list[tuple[Any, Any, Any]] = []  # type, value of either body
        plans = [self._plan(name) for name in self.names]
        for which, region in enumerate((self.then_region, self.else_region)):
            trace.block, trace.scope = region.block, self.scopes[which]
            values = [spread(pair[1 + which], pair[0]) for pair in self.yields]
            trace.effect("scf.yield", values)
            trace.scope.closed = True
        trace.block, trace.scope, trace.divergence = self.block, self.outer, self.divergence
        types = [ir_type(type.spelling) for type, _, _ in self.yields]
        op = trace.block.create(
            "scf.if", trace.operands([self.test]), types, None, trace.location(),
            [self.then_region, self.else_region],
        )  # fmt: skip
        results = [
            wrap(trace, result, type, max(self.test.level, _level(a), _level(b)))
            for result, (type, a, b) in zip(op.results, self.yields, strict=True)
        ]
        return tuple(
            plan if not isinstance(plan, _Merged) else plan.build(results) for plan in plans
        )

    def _plan(self, name: str) -> Any:
        a, b = self.ends[0][name], self.ends[1][name]
        if same(a, b):
            return Poison(f"'{name}' has no value") if a is _MISSING else a
        if name not in self.live:
            return Poison(f"'{name}' is bound inside {self.line} and has no value after it")
        for value in (a, b):
            if value is _MISSING or isinstance(value, Poison):
                return Poison(
                    f"'{name}' is bound in one branch only of {self.line}; bind it before, or in "
                    "both"
                )
        left: list[Any] = []
        right: list[Any] = []
        shape, other = flatten(a, left), flatten(b, right)
        plan = _Merged(shape)
        clash = shape != other
        for x, y in zip(left, right, strict=False):
            if same(x, y):
                plan.leaves.append(x)
                continue
            type = type_where_they_meet(x, y)
            if type is None:
                clash = True
                break
            plan.leaves.append(_Result(len(self.yields)))
            self.yields.append((type, x, y))
        if clash:
            return Poison(
                f"'{name}' is {_describe(a)} in one branch of {self.line} and {_describe(b)} in "
                "the other, so it has no value after it; convert one with .to(...)"
            )
        return plan


class _Result:
    def __init__(self, index: int) -> None:
        self.index = index


class _Merged:
    def __init__(self, shape: Any) -> None:
        self.shape = shape
        self.leaves: list[Any] = []

    def build(self, results: list[Any]) -> Any:
        leaves = (results[x.index] if isinstance(x, _Result) else x for x in self.leaves)
        return rebuild(self.shape, leaves)


def _level(value: Any) -> int:
    return value.level if isinstance(value, Scalar) else GROUP


def static_test(test: Any, jump: str) -> Any:
    """The condition of a branch that jumps: it must be known while tracing."""
    if isinstance(test, Value):
        Branch(test, jump=jump)
    return test


__all__ = ["Branch", "Loop", "Poison", "RunTimeIterable", "convert_scalar", "range", "static_test"]
