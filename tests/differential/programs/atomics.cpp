// Atomics on global memory: every kind, with results that do not depend on the order.
#include "twin.h"

PROGRAM(counters_of_32, "u32 i32 -> u32#32 i32#16", const u32 *a, const i32 *b, u32 *o, i32 *s) {
  u32 v = a[ITEM], at = v & 7;
  ATOMIC(add, o + at, v);
  ATOMIC(or, o + 8 + at, v & 0xf0f0f0);
  ATOMIC(xor, o + 16 + at, v);
  ATOMIC(max, o + 24 + at, v);
  ATOMIC(min, s + at, b[ITEM]);
  ATOMIC(max, s + 8 + at, b[ITEM]);
}
PROGRAM(counters_of_64, "u64 i64 -> u64*1 u64#40 i64#16", const u64 *a, const i64 *b, u64 *mine, u64 *o, i64 *s) {
  u64 v = a[ITEM];
  u32 at = u32(v) & 7;
  ATOMIC(add, o + at, v);
  ATOMIC(or, o + 8 + at, v & 0xf0f0f0f0f0f0f0);
  ATOMIC(xor, o + 16 + at, v);
  ATOMIC(max, o + 24 + at, v);
  ATOMIC(sub, o + 32 + at, v);
  ATOMIC(min, s + at, b[ITEM]);
  ATOMIC(max, s + 8 + at, b[ITEM]);
  mine[ITEM] = v;
  ATOMIC(and, mine + ITEM, 0xff00fful);
}
PROGRAM(values_before, "u32 u64 -> u32*6 u64*4", const u32 *a, const u64 *b, u32 *o, u64 *w) {
  // Each item has words of its own, so what it gets back is known.
  o += ITEM * 6, w += ITEM * 4;
  o[0] = a[ITEM], w[0] = b[ITEM];
  o[1] = ATOMIC(add, o, 5u), o[2] = ATOMIC(sub, o, a[ITEM] >> 1), o[3] = ATOMIC(max, o, 0x40000000u);
  o[4] = ATOMIC(xor, o, a[ITEM]), o[5] = ATOMIC(min, o, 1000u) + ATOMIC_SWAP(o, 9u);
  w[1] = ATOMIC(and, w, ~255ul), w[2] = ATOMIC(or, w, 12ul) + ATOMIC(add, w, b[ITEM]), w[3] = ATOMIC_SWAP(w, 4ul);
}
PROGRAM(compare_and_swap, "u32 u64 -> u32*4 u64*3", const u32 *a, const u64 *b, u32 *o, u64 *w) {
  o += ITEM * 4, w += ITEM * 3;
  o[0] = a[ITEM] & 3, w[0] = b[ITEM] & 1;
  u32 expected = 2;
  o[1] = atomicReplace(o, expected, a[ITEM]), o[2] = expected;
  u64 wanted = 1;
  w[1] = atomicReplace(w, wanted, b[ITEM]), w[2] = wanted;
  expected = o[0];
  o[3] = atomicReplace(o, expected, 17u);
}
PROGRAM(loops_of_compare_and_swap, "u32 -> u32#16", const u32 *a, u32 *o) {
  // A sum of squares by a loop that retries: the order is open, the sum is not.
  u32 *p = o + (a[ITEM] & 15), seen = *p;
  while (!atomicReplace(p, seen, seen + a[ITEM] * a[ITEM])) {
  }
}
PROGRAM(float_sums_that_are_exact, "u32 -> f32#16 f64#16", const u32 *a, f32 *o, f64 *d) {
  ATOMIC(add, o + (a[ITEM] & 15), f32(a[ITEM] >> 8 & 255));
  ATOMIC(add, d + (a[ITEM] & 15), f64(a[ITEM]) * 0.125);
}
PROGRAM(float_extremes, "f32.n f64.n -> f32*2 f64*2", const f32 *a, const f64 *b, f32 *o, f64 *d) {
  // LLVM makes loops of these where a chip has no such instruction.
  o[ITEM * 2] = 1, o[ITEM * 2 + 1] = 1, d[ITEM * 2] = -1, d[ITEM * 2 + 1] = -1;
  ATOMIC(min, o + ITEM * 2, a[ITEM]);
  ATOMIC(max, o + ITEM * 2 + 1, a[ITEM]);
  ATOMIC(min, d + ITEM * 2, b[ITEM]);
  ATOMIC(max, d + ITEM * 2 + 1, b[ITEM]);
}
PROGRAM(aggregated, "u32 -> u32#4 u64#2", const u32 *a, u32 *o, u64 *w) {
  // One address for all lanes: LLVM sums over the wave first.
  ATOMIC(add, o, a[ITEM]);
  if (a[ITEM] & 1)
    ATOMIC(add, o + 1, 1u);
  ATOMIC(max, o + 2, a[ITEM]);
  ATOMIC(xor, o + 3, a[ITEM]);
  ATOMIC(add, w, u64(a[ITEM]));
  ATOMIC(add, w + 1, 3ul);
}
PROGRAM(generic_atomics, "u32 -> u32#8 u32 ; meets", const u32 *a, u32 *o, u32 *r) {
  SHARED u32 t[8];
  if (TID < 8)
    t[TID] = 0;
  barrier();
  u32 *p = a[ITEM] & 1 ? t : o;
  ATOMIC(add, p + (a[ITEM] >> 1 & 7), a[ITEM]);
  barrier();
  r[ITEM] = t[TID & 7];
}
PROGRAM(last_group_sums, "u32 -> u32#8 u32#4 ; grid=8 block=64 meets", const u32 *a, u32 *part, u32 *o) {
  // The group that finishes last adds up what the others left in memory.
  SHARED u32 last, sum;
  if (!TID)
    sum = 0;
  barrier();
  ATOMIC_LDS(add, &sum, a[ITEM]);
  barrier();
  if (!TID) {
#ifdef __AMDGCN__
    __hip_atomic_store(part + GROUP, sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    last = __hip_atomic_fetch_add(o, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) == GROUPS - 1;
#else
    part[GROUP] = sum;
    last = ATOMIC(add, o, 1u) == GROUPS - 1;
#endif
  }
  barrier();
  if (last && TID < GROUPS)
    ATOMIC(add, o + 1, part[TID] * (TID + 1));
}
