// Branches, loops, calls.
#include "twin.h"

PROGRAM(branches, "u32 u32 -> u32", const u32 *a, const u32 *b, u32 *o) {
  u32 x = a[ITEM], y = b[ITEM], r = 0;
  if (x & 1) {
    r = x + y;
    if (y & 2)
      r ^= 0x55;
    else if (x & 4)
      r -= y;
  } else if (x > y) {
    r = x - y;
  } else {
    r = y * 3;
    if (!(y & 8))
      r = ~r;
  }
  o[ITEM] = r;
}
PROGRAM(early_exits, "u32 -> u32*2", const u32 *a, u32 *o) {
  u32 x = a[ITEM];
  if (x & 1)
    return;
  o[ITEM * 2] = x;
  if (x & 2)
    return;
  for (u32 i = 0; i < 10; ++i) {
    if (x & (4u << i)) {
      o[ITEM * 2 + 1] = i;
      return;
    }
    x ^= x << 3;
  }
  o[ITEM * 2 + 1] = 99;
}
PROGRAM(collatz, "u32.s -> u32", const u32 *a, u32 *o) {
  u32 x = a[ITEM] + 1, n = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    ++n;
  }
  o[ITEM] = n;
}
PROGRAM(nested_loops, "u32.s u32.s -> u32", const u32 *a, const u32 *b, u32 *o) {
  u32 s = 0;
  for (u32 i = 0; i < a[ITEM]; ++i) {
    if (i % 5 == 3)
      continue;
    for (u32 j = i; j < b[ITEM]; j += 3) {
      s = s * 7 + (i ^ j);
      if ((s & 63) == 9)
        break;
    }
    if (s >> 31 && i > 20)
      break;
  }
  o[ITEM] = s;
}
PROGRAM(do_while, "u32 -> u32", const u32 *a, u32 *o) {
  u32 x = a[ITEM] | 1, n = 0;
  do {
    x *= 5;
    ++n;
  } while (n < 30 && (x & 0xf0));
  o[ITEM] = x + n;
}
PROGRAM(dense_switch, "u32 -> u32", const u32 *a, u32 *o) {
  u32 x = a[ITEM], r = 1;
  switch (x & 15) {
  case 0:
    r = x;
    break;
  case 1:
    r = x * 3;
  case 2:
    r += 7;
    break;
  case 3:
    r = x >> 3;
    break;
  case 4:
    r = ~x;
    break;
  case 5:
    r ^= x;
  case 6:
  case 7:
    r *= 11;
    break;
  case 9:
    r = x / 9;
    break;
  case 12:
    r = x - 1;
    break;
  default:
    r = 1000;
  }
  o[ITEM] = r;
}
PROGRAM(sparse_switch, "u32 -> u32*2", const u32 *a, u32 *o) {
  u32 r = 0;
  switch (a[ITEM] % 1000) {
  case 3:
    r = 1;
    break;
  case 77:
    r = 2;
    break;
  case 255:
    r = 3;
    break;
  case 500 ... 700:
    r = 4;
    break;
  case 999:
    r = 5;
    break;
  }
  switch (i8(a[ITEM])) {
  case -1:
    r += 100;
    break;
  case 0:
    r += 200;
    break;
  case 1:
    r += 300;
    break;
  }
  o[ITEM * 2] = r, o[ITEM * 2 + 1] = a[ITEM] % 1000;
}
PROGRAM(state_machine, "u8*16 -> u32*2", const u8 *a, u32 *o) {
  u32 state = 0, count = 0;
  for (u32 i = 0; i < 16; ++i) {
    u8 c = a[ITEM * 16 + i];
    switch (state) {
    case 0:
      state = c < 64 ? 1 : c < 128 ? 2 : 0;
      break;
    case 1:
      state = c & 1 ? 2 : 3, ++count;
      break;
    case 2:
      state = c > 200 ? 0 : 1;
      break;
    default:
      if (c & 2) {
        state = 0;
        count += 10;
      }
    }
  }
  o[ITEM * 2] = state, o[ITEM * 2 + 1] = count;
}
PROGRAM(goto_loops, "u32 -> u32", const u32 *a, u32 *o) {
  u32 x = a[ITEM], n = 0;
again:
  if (n++ > 40)
    goto end;
  x = x * 1103515245 + 12345;
  if (x & 0x10000)
    goto again;
  if (x & 0x20000) {
    x ^= 0xabcdef;
    goto again;
  }
end:
  o[ITEM] = x ^ n;
}
PROGRAM(selects, "u32 u32 f32 f64 -> u32*2 u64 f32 f64", const u32 *a, const u32 *b, const f32 *c, const f64 *d, u32 *o,
        u64 *w, f32 *f, f64 *g) {
  bool p = a[ITEM] < b[ITEM], q = c[ITEM] > 0, r = d[ITEM] <= 1;
  o[ITEM * 2] = p ? a[ITEM] : 5, o[ITEM * 2 + 1] = (p & q) | (q ^ r) << 1 | u32(p && !r) << 2;
  w[ITEM] = q ? u64(a[ITEM]) << 20 : ~0ul;
  f[ITEM] = p != r ? c[ITEM] : -1.0f, g[ITEM] = q ? d[ITEM] : 2.5;
}

NOINLINE DEVICE u32 mixed(u32 a, u32 b) { return (a ^ b * 2654435761u) + (a >> 3); }
NOINLINE DEVICE u64 wide(u64 a, u32 b, u8 c) { return a * b + c; }
NOINLINE DEVICE f32 real(f32 a, f64 b, f16 c) { return f32(f64(a) + b * f64(f32(c))); }
PROGRAM(calls, "u32 u64 f32.n -> u32 u64 f32", const u32 *a, const u64 *b, const f32 *c, u32 *o, u64 *w, f32 *f) {
  o[ITEM] = mixed(mixed(a[ITEM], 3), mixed(TID, a[ITEM]));
  w[ITEM] = wide(b[ITEM], a[ITEM], u8(TID)) ^ wide(a[ITEM], u32(b[ITEM]), 255);
  f[ITEM] = real(c[ITEM], f64(c[ITEM]) * 0.5, f16(c[ITEM] + 1.0f));
}
NOINLINE DEVICE u32 inner(u32 a) { return a * 3 + 1; }
NOINLINE DEVICE u32 outer(u32 a, u32 n) {
  u32 s = 0;
  for (u32 i = 0; i < n; ++i)
    s += inner(a + i);
  return s;
}
PROGRAM(calls_in_divergence, "u32 -> u32", const u32 *a, u32 *o) {
  u32 x = a[ITEM];
  if (x & 1)
    x = outer(x, x >> 1 & 7);
  else if (x & 2)
    x = inner(x) ^ outer(x, 2);
  o[ITEM] = x;
}
struct Small {
  u16 a;
  i8 b;
};
struct Large {
  u32 a[10];
  f64 b;
};
NOINLINE DEVICE Small small(Small s, u32 n) { return {u16(s.a + n), i8(s.b - i8(n))}; }
NOINLINE DEVICE Large large(Large l, u32 n) {
  l.a[n % 10] += 5;
  l.b *= 2;
  return l;
}
PROGRAM(structures_by_value, "u32 -> u32*4 f64", const u32 *a, u32 *o, f64 *d) {
  Small s = small(small({u16(a[ITEM]), i8(TID)}, a[ITEM] >> 16), 3);
  Large l;
  for (u32 i = 0; i < 10; ++i)
    l.a[i] = a[ITEM] * i;
  l.b = TID + 0.5;
  l = large(large(l, a[ITEM]), TID);
  o[ITEM * 4] = s.a, o[ITEM * 4 + 1] = u32(i32(s.b)), o[ITEM * 4 + 2] = l.a[a[ITEM] % 10], o[ITEM * 4 + 3] = l.a[9];
  d[ITEM] = l.b;
}
NOINLINE DEVICE u32 many(u32 a, u64 b, u32 c, u32 d, u64 e, u32 f, u32x4 g, u32 h, u64 i, u32 j, u32 k, u64 l, u32 m,
                         u32x4 n, u32 p, u64 q, u32 r, u64 s, u32x4 t, u32 u) {
  return u32(a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g.x + g.w * 17 + h + i * 19 + j + k * 23 + l + m * 29 + n.y +
             p + q * 31 + r + s * 37 + t.z + u * 41);
}
PROGRAM(arguments_on_the_stack, "u32*4 -> u32", const u32x4 *a, u32 *o) {
  u32x4 v = a[ITEM];
  o[ITEM] = many(v.x, v.y, v.z, v.w, 1, 2, v, 3, v.x, 4, v.y, 5, 6, v.wzyx, 7, v.z, v.w, 8, v + v, TID);
}
NOINLINE DEVICE void both(u32 *quotient, u32 *rest, u32 a, u32 b) {
  *quotient = a / b;
  *rest = a % b;
}
PROGRAM(results_through_pointers, "u32 u32 -> u32*2", const u32 *a, const u32 *b, u32 *o) {
  u32 q, r;
  both(&q, &r, a[ITEM], b[ITEM] | 1);
  o[ITEM * 2] = q;
  both(o + ITEM * 2 + 1, &r, a[ITEM], (b[ITEM] & 7) + 1);
  o[ITEM * 2] ^= r;
}
DEVICE u32 twice(u32 a) { return a * 2; }
DEVICE u32 inverse(u32 a) { return ~a; }
DEVICE u32 swapped(u32 a) { return a >> 16 | a << 16; }
typedef u32 (*Function)(u32);
PROGRAM(function_pointers, "u32 -> u32*2", const u32 *a, u32 *o) {
  Function t[3] = {twice, inverse, swapped};
  o[ITEM * 2] = t[a[ITEM] % 3](a[ITEM]);
  Function f = GROUP & 1 ? twice : swapped;
  o[ITEM * 2 + 1] = f(f(a[ITEM]));
}
struct Animal {
  DEVICE virtual u32 legs(u32 n) const { return n; }
};
struct Dog : Animal {
  u32 age;
  DEVICE Dog(u32 age) : age(age) {}
  DEVICE u32 legs(u32 n) const override { return 4 * n + age; }
};
struct Bird : Animal {
  DEVICE u32 legs(u32 n) const override { return 2 * n; }
};
PROGRAM(virtual_functions, "u32 -> u32", const u32 *a, u32 *o) {
  Dog dog(a[ITEM] >> 8);
  Bird bird;
  const Animal *animal = a[ITEM] & 1 ? (const Animal *)&dog : &bird;
  o[ITEM] = animal->legs(a[ITEM] & 255);
}
template <class F> NOINLINE DEVICE u32 applied(u32 n, F f) {
  u32 s = 0;
  for (u32 i = 0; i < n; ++i)
    s = f(s, i);
  return s;
}
PROGRAM(lambdas, "u32 -> u32*2", const u32 *a, u32 *o) {
  u32 x = a[ITEM], y = TID;
  o[ITEM * 2] = applied(x & 7, [x](u32 s, u32 i) { return s * 3 + (x >> i); });
  o[ITEM * 2 + 1] = applied(5, [&](u32 s, u32 i) { return s + (y += i); }) + y;
}
