"""Random kernels that are defined in every step, as trees, and the C++ they print.

A program has nothing that the language or the machine leaves open: integers wrap (-fwrapv), shifts
are masked, divisions guarded, loops bounded, indices masked; every float operation rounds exactly,
and a NaN shows its bits only through `bits`, which gives one pattern for all. Items of a group meet
only where all of them are, each writes LDS slots of its own between two barriers, and the atomics
on one array are of one kind, so that no order of lanes, waves or groups can be seen.

Trees are of two kinds, and both are a format string and children: so a reducer needs no knowledge
of the language (see reducer.py).
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterator

INTEGERS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
FLOATS = ["f16", "f32", "f64", "bf16"]
VECTORS = {
    "u32x4": ("u32", 4),
    "u32x2": ("u32", 2),
    "u16x2": ("u16", 2),
    "i16x2": ("i16", 2),
    "u8x4": ("u8", 4),
    "f32x2": ("f32", 2),
    "f16x2": ("f16", 2),
    "u64x2": ("u64", 2),
}
WIDTH = {t: int(t[1:]) for t in INTEGERS}
GROUPS, BLOCKS = 3, [32, 64, 64, 64, 128, 256]
SIGNATURE = "const u32 *in, u8 a0, u64 a1, f32 a2, i16 a3, Mixed a4, "
SIGNATURE += "u32 *out, u32 *bins, u64 *wide, f32 *sums"

PRELUDE = '#include "fuzz.h"\n'


@dataclasses.dataclass
class Node:
    """An expression: `form` with the texts of `kids` in place of {0}, {1}, ..."""

    type: str
    form: str
    kids: list[Node] = dataclasses.field(default_factory=list)

    def text(self) -> str:
        return self.form.format(*(k.text() for k in self.kids)) if self.kids else self.form

    def walk(self) -> Iterator[Node]:
        yield self
        for kid in self.kids:
            yield from kid.walk()


@dataclasses.dataclass
class Statement:
    """`form` with expressions in place of {0}, ... and bodies in place of {b[0]}, ..."""

    form: str
    kids: list[Node] = dataclasses.field(default_factory=list)
    bodies: list[list[Statement]] = dataclasses.field(default_factory=list)

    def text(self) -> str:
        bodies = ["".join(s.text() for s in body) for body in self.bodies]
        return self.form.format(*(k.text() for k in self.kids), b=bodies) + "\n"

    def walk(self) -> Iterator[Statement]:
        yield self
        for body in self.bodies:
            for s in body:
                yield from s.walk()


@dataclasses.dataclass
class Function:
    head: str
    name: str
    declarations: dict[str, str]
    body: list[Statement]
    result: Statement

    def text(self) -> str:
        inner = "".join(s.text() for s in self.body) + self.result.text()
        return f"{self.head} {{\n{_declared(self.declarations, inner)}{inner}}}\n"


@dataclasses.dataclass
class Kernel:
    name: str
    block: int
    functions: list[Function]
    declarations: dict[str, str]
    body: list[Statement]
    results: list[Statement]
    wave: bool = False
    meets: bool = False

    def lists(self) -> Iterator[list[Statement]]:
        """Every list of statements that may be shortened."""
        tops = [self.body, self.results, *(f.body for f in self.functions)]
        for top in tops:
            yield top
            for s in top:
                for inner in s.walk():
                    yield from inner.bodies

    def statements(self) -> Iterator[Statement]:
        for top in [self.body, self.results, *([*f.body, f.result] for f in self.functions)]:
            for s in top:
                yield from s.walk()

    def text(self) -> str:
        inner = "".join(s.text() for s in [*self.body, *self.results])
        options = f"grid={GROUPS} block={self.block}"
        options += " wave" * self.wave + " meets" * self.meets
        spec = f"u32*4 =u8 =u64 =f32.n =i16 =24 -> u32*4 u32#64 u64#32 f32#32 ; {options}"
        kernel = f'PROGRAM({self.name}, "{spec}",\n        {SIGNATURE}) {{\n'
        kernel += _declared(self.declarations, inner) + inner + "}\n"
        functions, used = "", kernel
        for f in reversed(self.functions):
            if re.search(rf"\b{f.name}\b", used):
                functions = f.text() + functions
                used += f.text()
        return functions + kernel


def _declared(declarations: dict[str, str], inner: str) -> str:
    """The declarations of what `inner` names, and of what those name."""
    needed: list[str] = []
    text = inner
    for name in reversed(declarations):
        if re.search(rf"\b{name}\b", text):
            needed.insert(0, declarations[name])
            text += declarations[name]
    return "".join(f"  {d}\n" for d in needed)


class Scope:
    """What an expression may name."""

    def __init__(self) -> None:
        self.variables: dict[str, list[str]] = {}
        self.readable: dict[str, list[str]] = {}
        self.arrays: list[tuple[str, str, int]] = []
        self.declarations: dict[str, str] = {}

    def declare(self, type_: str, name: str, text: str, writable: bool = True) -> None:
        self.declarations[name] = text
        self.readable.setdefault(type_, []).append(name)
        if writable:
            self.variables.setdefault(type_, []).append(name)


class Generator:
    def __init__(self, seed: str, name: str, waves: bool = True):
        self.random = random.Random(seed)
        self.name = name
        self.functions: list[tuple[Function, str, list[str]]] = []
        self.plain: list[str] = []  # functions of two u32 that a pointer may name
        self.loops = 0
        self.waves = waves
        self.wave = self.meets = False
        self.depth = self.random.choice([1, 2, 2, 3])

    # -- expressions ---------------------------------------------------------------------------

    def constant(self, t: str) -> Node:
        r = self.random
        if t in INTEGERS:
            w = WIDTH[t]
            value = r.choice(
                [0, 1, 2, 3, 7, 10, 255, (1 << w - 1) - 1, 1 << w - 1, (1 << w) - 1]
                + [r.getrandbits(w), 1 << r.randrange(w)]
            ) & ((1 << w) - 1)
            return Node(t, f"{t}({value}ul)")
        if t in FLOATS:
            value = r.choice(
                ["0.0", "1.0", "-1.0", "0.5", "3.0", "1e-3", "-7.25", "100.0", "1e4", "1e-7"]
                + ["-0.0", "0.1", "1.0 / 3.0", f"{r.uniform(-10, 10):.6f}"]
            )
            return Node(t, f"{t}(f32({value}))" if t == "bf16" else f"{t}({value})")
        if t == "bool":
            return Node(t, r.choice(["true", "false"]))
        if t == "Mixed":
            return Node(t, "a4" if self.inKernel else "Mixed{}")
        element, n = VECTORS[t]
        return Node(t, f"{t}({element}({r.randrange(100)}))")

    def leaf(self, t: str, s: Scope) -> Node:
        names = s.readable.get(t)
        if names and self.random.random() < 0.85:
            return Node(t, self.random.choice(names))
        return self.constant(t)

    def make(self, t: str, s: Scope, depth: int) -> Node:
        if depth <= 0 or self.random.random() < 0.08:
            return self.leaf(t, s)
        if t in INTEGERS:
            return self.integer(t, s, depth - 1)
        if t in FLOATS:
            return self.floating(t, s, depth - 1)
        if t == "bool":
            return self.boolean(s, depth - 1)
        if t == "Mixed":
            return self.structure(s, depth - 1)
        return self.vector(t, s, depth - 1)

    def built(self, t: str, form: str, s: Scope, depth: int, *types: str) -> Node:
        return Node(t, form, [self.make(k, s, depth) for k in types])

    def calls(self, t: str, s: Scope, depth: int) -> Node | None:
        known = [f for f in self.functions if f[1] == t]
        if not known:
            return None
        f, _, types = self.random.choice(known)
        places = ", ".join(f"{{{i}}}" for i in range(len(types)))
        return Node(t, f"{f.name}({places})", [self.make(k, s, min(depth, 1)) for k in types])

    def integer(self, t: str, s: Scope, d: int) -> Node:
        r, w = self.random, WIDTH[t]
        b = lambda form, *types: self.built(t, form, s, d, *types)  # noqa: E731
        pick = r.random()
        if pick < 0.30:
            return b(f"{t}({{0}} {r.choice('+-*&|^')} {{1}})", t, t)
        if pick < 0.38:
            return b(f"{r.choice(['shiftLeft', 'shiftRight'])}<{t}>({{0}}, {{1}})", t, "u32")
        if pick < 0.43:
            return b(f"{t}({r.choice('~-')}{{0}})", t)
        if pick < 0.46:
            return b(f"{r.choice(['quotient', 'remainder'])}<{t}>({{0}}, {{1}})", t, t)
        if pick < 0.52:
            return b("({0} ? {1} : {2})", "bool", t, t)
        if pick < 0.62:
            return b(f"{t}({{0}})", r.choice(INTEGERS))
        if pick < 0.65:
            f = r.choice(FLOATS)
            return b(f"toInteger<{t}, {f}>({{0}})", f)
        if pick < 0.68 and t in ("u16", "u32", "u64"):
            f = {"u16": r.choice(["f16", "bf16"]), "u32": "f32", "u64": "f64"}[t]
            return b("bits({0})", f)
        if pick < 0.72:
            return b(f"{r.choice(['smaller', 'larger'])}<{t}>({{0}}, {{1}})", t, t)
        if pick < 0.74:
            return b(f"__builtin_elementwise_{r.choice(['add', 'sub'])}_sat({{0}}, {{1}})", t, t)
        if pick < 0.77 and s.arrays:
            same = [a for a in s.arrays if a[0] == t]
            if same:
                _, name, n = r.choice(same)
                return b(f"{name}[{{0}} & {n - 1}u]", "u32")
        if pick < 0.82:
            vectors = [v for v, (e, _) in VECTORS.items() if e == t]
            if vectors:
                v = r.choice(vectors)
                n = VECTORS[v][1]
                if r.random() < 0.5:
                    return b(f"{{0}}.{'xyzw'[r.randrange(n)]}", v)
                return b(f"{{0}}[{{1}} & {n - 1}u]", v, "u32")
        if pick < 0.86:
            call = self.calls(t, s, d)
            if call:
                return call
        if pick < 0.88:
            return b(f"{t}({{0}})", "bool")
        if pick < 0.90:
            f = {"u8": "a", "u16": "b", "u32": "c", "u64": "d", "i16": f"e[{r.randrange(3)}]"}.get(
                t
            )
            if f:
                return b(f"{{0}}.{f}", "Mixed")
        if pick < 0.92 and t == "u32" and len(self.plain) > 1:
            f, g = r.sample(self.plain, 2)
            return Node(
                t,
                f"Chosen({{0}} ? {f} : {g})({{1}}, {{2}})",
                [self.make("bool", s, 1), self.make(t, s, 1), self.make(t, s, 1)],
            )
        return b(*self.special_integer(t, w))

    def special_integer(self, t: str, w: int) -> tuple[str, ...]:
        """Operations for which machines have instructions of their own."""
        u = f"u{w}"
        forms: list[tuple[str, ...]] = [(f"{t}({{0}} * {{1}} + {{2}})", t, t, t)]
        forms += [(f"{t}(({{0}} << 3) + {{1}})", t, t), (f"{t}(({{0}} ^ {{1}}) + {{2}})", t, t, t)]
        forms += [(f"{t}(({{0}} & {{1}}) | {{2}})", t, t, t)]
        forms += [(f"{t}({{0}} > {{1}} ? {{0}} - {{1}} : {{1}} - {{0}})", t, t)]
        forms += [(f"{t}(__builtin_bitreverse{w}({u}({{0}})))", t)]
        if w > 8:
            swap = "swapped" if w == 64 else f"__builtin_bswap{w}"
            forms += [(f"{t}({swap}({u}({{0}})))", t)]
        if w >= 32:
            tail = "l" if w == 64 else ""
            forms += [
                (f"{t}(__builtin_clz{tail}({u}({{0}}) | 1))", t),
                (f"{t}(__builtin_ctz{tail}({u}({{0}}) | {u}(1) << {w - 1}))", t),
                (f"{t}(__builtin_popcount{tail}({u}({{0}})))", t),
                ("high({0}, {1})", t, t),
            ]
        if t == "u32":
            forms += [
                ("rotated({0}, {1})", t, t),
                ("field({0}, {1}, {2})", t, t, t),
                ("insert({0}, {1}, {2})", t, t, t),
                ("middle({0}, {1}, {2})", t, t, t),
                ("sum4({0}, {1})", t, t),
                ("u32((u64({0}) << 32 | {1}) >> ({2} & 31))", t, t, t),
                ("(({0} & 0xffffffu) * ({1} & 0xffffffu) + {2})", t, t, t),
                ("(u32({0}) | u32({1}) << 8 | u32({2}) << 16)", "u8", "u8", "u16"),
                ("as<u32>({0})", "u16x2"),
                ("as<u32>({0})", "u8x4"),
            ]
        if t == "i32":
            forms += [("field({0}, {1}, {2})", t, "u32", "u32"), ("middle({0}, {1}, {2})", t, t, t)]
            forms += [("i32(i16({0})) * i32(i16({1}))", t, t)]
        if t == "u64":
            forms += [
                ("rotated({0}, {1})", t, t),
                ("funnel({0}, {1}, {2})", t, t, "u32"),
                ("(u64({0}) * {1} + {2})", "u32", "u32", t),
                ("(u64({0}) << 32 | {1})", "u32", "u32"),
            ]
        if t == "i64":
            forms += [("(i64({0}) * {1} + {2})", "i32", "i32", t)]
        return self.random.choice(forms)

    def floating(self, t: str, s: Scope, d: int) -> Node:
        r = self.random
        b = lambda form, *types: self.built(t, form, s, d, *types)  # noqa: E731
        pick = r.random()
        if pick < 0.40 or (t == "bf16" and pick < 0.7):
            return b(f"{t}({{0}} {r.choice('+-*')} {{1}})", t, t)
        if t == "bf16":
            if pick < 0.85:
                return b("bf16(f32({0}))", r.choice(["f32", "i32", "f64"]))
            return b("bf16(-{0})", t) if pick < 0.9 else b("({0} ? {1} : {2})", "bool", t, t)
        if pick < 0.47:
            return b("({0} / {1})", t, t)
        if pick < 0.56:
            return b("fused({0}, {1}, {2})", t, t, t)
        if pick < 0.60:
            return b("root({0})", t)
        if pick < 0.64:
            return b("(-{0})", t)
        if pick < 0.68:
            return b("({0} ? {1} : {2})", "bool", t, t)
        if pick < 0.76:
            other = r.choice([f for f in FLOATS if f != t and (t, f) != ("f16", "bf16")])
            return b("narrow({0})" if (t, other) == ("f16", "f32") else f"{t}({{0}})", other)
        if pick < 0.84:
            return b(f"{t}({{0}})", r.choice(INTEGERS))
        if pick < 0.87:
            return b(f"as<{t}>({{0}})", f"u{t[1:]}")
        if pick < 0.91:
            return b(f"{r.choice(['smaller', 'larger'])}<{t}>({{0}}, {{1}})", t, t)
        if pick < 0.93:
            call = self.calls(t, s, d)
            if call:
                return call
        if pick < 0.95 and t + "x2" in VECTORS:
            return b(f"{{0}}.{r.choice('xy')}", t + "x2")
        if pick < 0.97:
            same = [a for a in s.arrays if a[0] == t]
            if same:
                _, name, n = r.choice(same)
                return b(f"{name}[{{0}} & {n - 1}u]", "u32")
        if t == "f16":
            return b("f16(__builtin_fabsf(f32({0})))", t)
        tail = "f" if t == "f32" else ""
        form = r.choice(
            [f"__builtin_{f}{tail}({{0}})" for f in ("floor", "ceil", "trunc", "rint", "fabs")]
            + [f"__builtin_ldexp{tail}({{0}}, i32({{1}} & 31) - 16)", "least({0}, {1})"]
            + ["most({0}, {1})"]
        )
        if "ldexp" in form:
            return b(form, t, "u32")
        return b(form, t, t) if "{1}" in form else b(form, t)

    def boolean(self, s: Scope, d: int) -> Node:
        r, pick = self.random, self.random.random()
        b = lambda form, *types: self.built("bool", form, s, d, *types)  # noqa: E731
        compare = r.choice(["<", "<=", ">", ">=", "==", "!="])
        if pick < 0.5:
            t = r.choice(INTEGERS)
            return b(f"({{0}} {compare} {{1}})", t, t)
        if pick < 0.7:
            t = r.choice(FLOATS)
            return b(f"({{0}} {compare} {{1}})", t, t)
        if pick < 0.8:
            return b(f"({{0}} {r.choice(['&&', '||'])} {{1}})", "bool", "bool")
        if pick < 0.85:
            return b("(!{0})", "bool")
        return b("(({0} & 1) != 0)", r.choice(INTEGERS))

    def structure(self, s: Scope, d: int) -> Node:
        call = self.calls("Mixed", s, d)
        if call and self.random.random() < 0.4:
            return call
        if self.random.random() < 0.5:
            return self.leaf("Mixed", s)
        types = ["u8", "u16", "u32", "u64", "i16", "i16", "i16", "u8"]
        form = "Mixed{{{0}, {1}, {2}, {3}, {{{4}, {5}, {6}}}, {7}}}"
        return Node("Mixed", form, [self.make(k, s, min(d, 1)) for k in types])

    def vector(self, t: str, s: Scope, d: int) -> Node:
        r, (element, n) = self.random, VECTORS[t]
        b = lambda form, *types: self.built(t, form, s, d, *types)  # noqa: E731
        pick = r.random()
        if pick < 0.5:
            ops = "+-*" if element in FLOATS else "+-*&|^"
            return b(f"({{0}} {r.choice(ops)} {{1}})", t, t)
        if pick < 0.7:
            places = ", ".join(f"{{{i}}}" for i in range(n))
            return b(f"({t}{{{{{places}}}}})", *[element] * n)
        if pick < 0.8 and element in INTEGERS:
            mask = WIDTH[element] - 1
            return b(f"({{0}} {r.choice(['<<', '>>'])} ({{1}} & {t}({element}({mask}))))", t, t)
        if pick < 0.85 and element in INTEGERS:
            return b(f"__builtin_elementwise_{r.choice(['min', 'max'])}({{0}}, {{1}})", t, t)
        if pick < 0.9:
            return b(f"{{0}}.{''.join(r.choice('xyzw'[:n]) for _ in range(n))}", t)
        if pick < 0.95:
            return b("({0} ? {1} : {2})", "bool", t, t)
        return self.leaf(t, s)

    # -- statements ----------------------------------------------------------------------------

    def assignment(self, s: Scope) -> Statement:
        r = self.random
        if s.arrays and r.random() < 0.2:
            t, name, n = r.choice(s.arrays)
            kids = [self.make("u32", s, 1), self.make(t, s, self.depth)]
            return Statement(f"{name}[{{0}} & {n - 1}u] = {{1}};", kids)
        t = r.choice(list(s.variables))
        name = r.choice(s.variables[t])
        if t == "Mixed" and r.random() < 0.7:
            f, ft = r.choice([("a", "u8"), ("b", "u16"), ("c", "u32"), ("d", "u64"), ("f", "u8")])
            return Statement(f"{name}.{f} = {{0}};", [self.make(ft, s, self.depth)])
        if t in VECTORS and r.random() < 0.3:
            element, n = VECTORS[t]
            kids = [self.make("u32", s, 1), self.make(element, s, self.depth)]
            return Statement(f"{name}[{{0}} & {n - 1}u] = {{1}};", kids)
        return Statement(f"{name} = {{0}};", [self.make(t, s, self.depth)])

    def block(self, s: Scope, length: int, nesting: int) -> list[Statement]:
        return [self.statement(s, nesting) for _ in range(length)]

    def statement(self, s: Scope, nesting: int) -> Statement:
        r, pick = self.random, self.random.random()
        if nesting <= 0 or pick < 0.55:
            if self.inKernel and r.random() < 0.08:
                return self.global_atomic(s)
            return self.assignment(s)
        few = lambda: self.block(s, r.randint(1, 3), nesting - 1)  # noqa: E731
        if pick < 0.75:
            condition = self.make("bool", s, 2)
            if r.random() < 0.5:
                return Statement("if ({0}) {{\n{b[0]}}}", [condition], [few()])
            form = "if ({0}) {{\n{b[0]}}} else {{\n{b[1]}}}"
            return Statement(form, [condition], [few(), few()])
        if pick < 0.90:
            return self.loop(s, few)
        cases = r.choice([2, 4, 4, 8])
        form = f"switch ({{0}} & {cases - 1}u) {{{{\n"
        for i in range(cases - 1):
            form += f"case {i}:\n{{b[{i}]}}" + ("" if r.random() < 0.2 else "break;\n")
        form += f"default:\n{{b[{cases - 1}]}}}}}}"
        bodies = [self.block(s, r.randint(0, 2), 0) for _ in range(cases)]
        return Statement(form, [self.make("u32", s, 2)], bodies)

    def loop(self, s: Scope, few: Callable[[], list[Statement]]) -> Statement:
        r = self.random
        name = f"step{self.loops}"
        self.loops += 1
        s.declare("u32", name, f"u32 {name} = 0;", writable=False)
        bound = f"{r.randint(1, 7)}u" if r.random() < 0.4 else "({0} & 7u)"
        kids = [self.make("u32", s, 2)] if "{0}" in bound else []
        tail = ""
        if r.random() < 0.35:
            tail = f"if ({{{len(kids)}}}) {r.choice(['break', 'continue'])};\n"
            kids.append(self.make("bool", s, 2))
        inner = [f"{{b[0]}}{tail}", f"{tail}{{b[0]}}"][r.randrange(2)]
        form = f"for ({name} = 0; {name} < {bound}; ++{name}) {{{{\n{inner}}}}}"
        return Statement(form, kids, [few()])

    def global_atomic(self, s: Scope) -> Statement:
        r, pick = self.random, self.random.random()
        at = self.make("u32", s, 2)
        if pick < 0.6:
            group = r.randrange(8)
            op, t = (
                [("add", "u32"), ("xor", "u32"), ("or", "u32"), ("max", "u32")][group % 4],
                "u32",
            )
            if group == 7:
                op, t = ("min", "i32"), "i32"
            form = f"ATOMIC({op[0]}, ({t} *)bins + {group * 8} + ({{0}} & 7u), ({{1}}));"
            return Statement(form, [at, self.make(t, s, 2)])
        if pick < 0.9:
            group = r.randrange(4)
            op = ["add", "xor", "max", "or"][group]
            form = f"ATOMIC({op}, wide + {group * 8} + ({{0}} & 7u), ({{1}}));"
            return Statement(form, [at, self.make("u64", s, 2)])
        form = "ATOMIC(add, sums + ({0} & 31u), f32({1} & 7u));"
        return Statement(form, [at, self.make("u32", s, 2)])

    def meeting(self, s: Scope, index: int) -> Statement:
        """Items give each other values through LDS; stands where every item of the group comes."""
        r = self.random
        self.meets = True
        n = self.size
        t = r.choice(["u8", "u16", "u32", "u32", "u64", "f32", "u32x4", "u32x2", "i16", "f64"])
        mine = r.choice(
            [f"TID ^ {r.randrange(n)}u", f"TID * {r.randrange(n) | 1}u + {r.randrange(n)}u"]
        )
        name = f"lds{index}"
        s.declarations[name] = f"SHARED {t} {name}[{n}];"
        targets = s.variables.get(t)
        if not targets:
            variable = f"m{index}"
            s.declare(t, variable, f"{t} {variable} = {self.constant(t).text()};")
            targets = [variable]
        target = r.choice(targets)
        value, where = self.make(t, s, 2), self.make("u32", s, 2)
        if r.random() < 0.3 and t in ("u32", "u64", "u16"):
            read = (
                f"{target} = {t}({name}[{{1}} & {n // 2 - 1}u] + {name}[({{1}} & {n // 2 - 1}u) + "
            )
            read += f"{r.choice([1, 2, n // 2])}u]);"
        else:
            read = f"{target} = {name}[{{1}} & {n - 1}u];"
        form = f"barrier();\n{name}[({mine}) & {n - 1}u] = {{0}};\nbarrier();\n{read}"
        return Statement(form, [value, where])

    def counting(self, s: Scope, index: int) -> Statement:
        """Atomics of one kind on LDS between two barriers."""
        r = self.random
        self.meets = True
        n = self.size
        t = r.choice(["u32", "u32", "u64", "i32"])
        op = r.choice(["add", "xor", "or", "and", "max", "min"])
        name = f"lds{index}"
        s.declarations[name] = f"SHARED {t} {name}[{n}];"
        target = r.choice(s.variables[t]) if t in s.variables else None
        read = f"{target} = {name}[{{3}} & {n - 1}u];" if target else "(void)({3});"
        atomic = f"ATOMIC_LDS({op}, (&{name}[{{0}} & {r.choice([n - 1, 3])}u]), ({{1}}));"
        if r.random() < 0.4:
            atomic = f"if ({{4}}) {atomic}"
        form = f"barrier();\n{name}[TID] = {{2}};\nbarrier();\n{atomic}\nbarrier();\n{read}"
        kids = [self.make("u32", s, 2), self.make(t, s, 2), self.constant(t)]
        kids += [self.make("u32", s, 2), self.make("bool", s, 2)]
        return Statement(form, kids)

    def crossing(self, s: Scope) -> Statement:
        """An operation over the lanes of a wave, all of them there."""
        self.wave = True
        r = self.random
        target = r.choice(s.variables["u32"])
        value = self.make("u32", s, 2)
        form = r.choice(
            [f"{target} = shuffle({{0}}, {{1}} & (WAVE - 1));"] * 2
            + [f"{target} = readFirst({{0}});", f"{target} = readLane({{0}}, {r.randrange(32)});"]
            + [f"{target} = u32(ballot(({{0}} & 1) != 0) >> ({{1}} & 31));"]
            + [f"{target} = push({{0}}, (lane() + {{1}} * 0 + {r.randrange(32)}) & (WAVE - 1));"]
        )
        return Statement(form, [value, self.make("u32", s, 2)])

    # -- the whole -----------------------------------------------------------------------------

    def function(self, index: int) -> None:
        r = self.random
        name = f"{self.name}_f{index}"
        plain = r.random() < 0.4
        types = ["u32", "u32"] if plain else []
        if not plain:
            pool = [*INTEGERS, "f16", "f32", "f64", "Mixed", "u32x4", "f16x2", "u16x2"]
            types = [r.choice(pool) for _ in range(r.randint(1, 5))]
        result = "u32" if plain else r.choice([*INTEGERS, "f32", "f64", "f16", "Mixed"])
        s = Scope()
        for i, t in enumerate(types):
            s.declare(t, f"p{i}", "")
        for i in range(r.randint(1, 3)):
            t = r.choice(INTEGERS + FLOATS[:3])
            s.declare(t, f"t{i}", f"{t} t{i} = {self.leaf(t, s).text()};")
        if r.random() < 0.3:
            n = r.choice([4, 8])
            s.arrays.append(("u32", "q", n))
            s.declarations["q"] = f"u32 q[{n}] = {{}};"
        self.inKernel = False
        body = self.block(s, r.randint(0, 2), 1)
        value = Statement("return {0};", [self.make(result, s, 2)])
        if r.random() < 0.3:
            early = Statement("if ({0}) return {1};", [])
            early.kids = [self.make("bool", s, 1), self.make(result, s, 1)]
            body.insert(r.randint(0, len(body)), early)
        for i in range(len(types)):
            del s.declarations[f"p{i}"]
        parameters = ", ".join(f"{t} p{i}" for i, t in enumerate(types))
        kind = r.choice(["NOINLINE", "NOINLINE", "static inline"])
        kind = "NOINLINE static" if kind == "NOINLINE" or plain else kind
        head = f"DEVICE {kind} {result} {name}({parameters})"
        self.functions.append((Function(head, name, s.declarations, body, value), result, types))
        if plain:
            self.plain.append(name)

    def kernel(self) -> Kernel:
        r = self.random
        self.size = r.choice(BLOCKS)
        for i in range(r.choice([0, 0, 0, 1, 1, 2])):
            self.function(i)
        self.inKernel = True
        s = Scope()
        types = {"u32", *r.sample(INTEGERS, 2), *r.sample(FLOATS, r.randint(0, 2))}
        types |= set(r.sample(list(VECTORS), r.choice([0, 0, 1])))
        if r.random() < 0.2:
            types.add("Mixed")
        s.readable["u8"], s.readable["u64"] = ["a0"], ["a1"]
        s.readable["f32"], s.readable["i16"] = ["a2"], ["a3"]
        s.readable["u32"] = ["TID", "ITEM"]
        s.readable["Mixed"] = ["a4"]
        for t in sorted(types):
            for i in range(r.choice([1, 1, 2])):
                name = f"{t}_{i}" if t != "Mixed" else f"mixed_{i}"
                s.declare(t, name, f"{t} {name} = {self.initial(t)};")
        for i in range(r.choice([0, 0, 1])):
            t, n = r.choice(["u8", "u16", "u32", "u32", "u64", "f32", "i32"]), r.choice([4, 8, 16])
            name = f"array{i}"
            s.arrays.append((t, name, n))
            fill = f"for (u32 i = 0; i < {n}; ++i) {name}[i] = {t}(in[ITEM * 4 + (i & 3)] + i);"
            s.declarations[name] = f"{t} {name}[{n}]; {fill}"
        body: list[Statement] = []
        meetings = r.choice([0, 0, 1, 2])
        for i in range(r.randint(2, 5)):
            body.append(self.statement(s, 2))
            if meetings and r.random() < 0.5:
                meetings -= 1
                make = self.meeting if r.random() < 0.65 else self.counting
                body.append(make(s, i))
            if self.waves and self.size % 64 == 0 and r.random() < 0.06:
                body.append(self.crossing(s))
        results = [Statement("u32 h = 1;")]
        for t, names in s.variables.items():
            for name in names:
                results.append(Statement(self.shown(t, name)))
        for _, name, n in s.arrays:
            t = next(a for a in s.arrays if a[1] == name)[0]
            results.append(
                Statement(f"for (u32 i = 0; i < {n}; ++i) {self.shown(t, name + '[i]')}")
            )
        results.append(Statement("out[ITEM * 4] = h;"))
        for i in range(1, 4):
            t = r.choice(list(s.variables))
            name = r.choice(s.variables[t])
            if t in INTEGERS:
                results.append(Statement(f"out[ITEM * 4 + {i}] = u32({name});"))
        return Kernel(
            self.name,
            self.size,
            [f[0] for f in self.functions],
            s.declarations,
            body,
            results,
            self.wave,
            self.meets,
        )

    def initial(self, t: str) -> str:
        r = self.random
        word = f"in[ITEM * 4 + {r.randrange(4)}]"
        if t in INTEGERS:
            return f"{t}(u64({word}) << 32 | in[ITEM * 4])" if "64" in t else f"{t}({word})"
        if t in FLOATS:
            if r.random() < 0.3 and t == "f32":
                return f"as<f32>({word})"
            scale = r.choice(["1.0f", "0.0078125f", "1e-9f", "4.6566e-10f"])
            return f"{t}(f32(i32({word})) * {scale})"
        if t == "Mixed":
            return r.choice(["a4", f"{{u8({word}), u16({word}), {word}, a1, {{a3, 1, 2}}, a0}}"])
        element, n = VECTORS[t]
        if element in FLOATS:
            return f"{t}({element}(f32(i32({word})) * 1e-5f))"
        parts = [f"{element}(in[ITEM * 4 + {i}])" for i in range(n)]
        return f"{t}{{{', '.join(parts)}}}"

    def shown(self, t: str, name: str) -> str:
        """A step of the checksum."""
        if t in INTEGERS:
            return f"h = mix64(h, u64({name}));" if "64" in t else f"h = mix(h, u32({name}));"
        if t in FLOATS:
            return f"h = mix64(h, bits({name}));"
        if t == "Mixed":
            fields = ["a", "b", "c", "d", "e[0]", "e[1]", "e[2]", "f"]
            return " ".join(f"h = mix64(h, u64({name}.{f}));" for f in fields)
        element, n = VECTORS[t]
        return " ".join(self.shown(element, f"{name}.{'xyzw'[i]}") for i in range(n))


def generate(seed: int, index: int, waves: bool = True) -> Kernel:
    """Program `index` of a seed."""
    return Generator(f"{seed}/{index}", f"k{index}", waves).kernel()


def source_of(kernels: list[Kernel]) -> str:
    return PRELUDE + "".join(k.text() for k in kernels)
