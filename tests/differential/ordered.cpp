// Programs whose result may depend on the order in which work-groups run: it must not depend on threads.
#include "twin.h"
#ifndef __AMDGCN__
#error for devices only
#endif
#define RELAXED __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT

PROGRAM(float_sums, "f32.n f64.n -> f32#16 f64#16 ; grid=64", const f32 *a, const f64 *b, f32 *o, f64 *d) {
  __hip_atomic_fetch_add(o + (ITEM * 7 & 15), a[ITEM], RELAXED);
  __hip_atomic_fetch_add(d + (ITEM * 5 & 15), b[ITEM], RELAXED);
}
PROGRAM(sums_in_groups, "f32.n -> f32#8 ; grid=64 meets", const f32 *a, f32 *o) {
  SHARED f32 sum;
  if (!TID)
    sum = 0;
  barrier();
  __hip_atomic_fetch_add(&sum, a[ITEM], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  barrier();
  if (!TID)
    __hip_atomic_fetch_add(o + (GROUP & 7), sum, RELAXED);
}
PROGRAM(tickets, "-> u32 u32#1 ; grid=64", u32 *o, u32 *next) { o[ITEM] = __hip_atomic_fetch_add(next, 1u, RELAXED); }
PROGRAM(exchanges, "u32 -> u32 u32#4 ; grid=64", const u32 *a, u32 *o, u32 *slot) {
  o[ITEM] = __hip_atomic_exchange(slot + (a[ITEM] & 3), ITEM + 1, RELAXED);
}

// A scan in one pass: a group takes a ticket, publishes its own sum, and looks back over the groups before it until one
// has published the sum of all. State 1: the group's sum; 2: everything up to it.
template <class T> DEVICE void scan(const T *a, T *o, T *values, T *prefixes, u32 *states, u32 *next) {
  SHARED u32 ticket;
  SHARED T part[64];
  SHARED T before;
  if (!TID)
    ticket = __hip_atomic_fetch_add(next, 1u, RELAXED);
  barrier();
  u32 g = ticket, at = g * 64 + TID;
  part[TID] = a[at];
  for (u32 step = 1; step < 64; step *= 2) {
    barrier();
    T v = TID >= step ? part[TID - step] : T(0);
    barrier();
    part[TID] += v;
  }
  barrier();
  if (!TID) {
    T sum = part[63], earlier = 0;
    __hip_atomic_store(values + g, sum, RELAXED);
    __hip_atomic_store(states + g, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    for (u32 i = g; i-- > 0;) {
      u32 state;
      while (!(state = __hip_atomic_load(states + i, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)))
        __builtin_amdgcn_s_sleep(1);
      if (state == 2) {
        earlier += __hip_atomic_load(prefixes + i, RELAXED);
        break;
      }
      earlier += __hip_atomic_load(values + i, RELAXED);
    }
    __hip_atomic_store(prefixes + g, earlier + sum, RELAXED);
    __hip_atomic_store(states + g, 2u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    before = earlier;
  }
  barrier();
  o[at] = before + part[TID];
}
PROGRAM(scan_of_integers, "u32 -> u32 u32#64 u32#64 u32#64 u32#1 ; grid=48 meets", const u32 *a, u32 *o, u32 *v, u32 *p,
        u32 *s, u32 *n) {
  scan(a, o, v, p, s, n);
}
PROGRAM(scan_of_floats, "f32.n -> f32 f32#64 f32#64 u32#64 u32#1 ; grid=48 meets", const f32 *a, f32 *o, f32 *v, f32 *p,
        u32 *s, u32 *n) {
  scan(a, o, v, p, s, n);
}

// Few groups that stay and take pieces of work until none is left; what a piece gives depends on what came before it.
PROGRAM(persistent, "f32.n*32 -> f32*32 f32#1 u32#1 u32#256 ; grid=8 meets", const f32 *a, f32 *o, f32 *total,
        u32 *next, u32 *owner) {
  SHARED u32 piece;
  for (;;) {
    if (!TID)
      piece = __hip_atomic_fetch_add(next, 1u, RELAXED);
    barrier();
    u32 mine = piece;
    if (mine >= GROUPS * 32)
      break;
    f32 x = a[mine * 64 + TID];
    for (u32 i = 0; i < (mine & 15) * 8; ++i)
      x = fused(x, 0.75f, 0.5f);
    o[mine * 64 + TID] = x;
    if (!TID) {
      owner[mine] = GROUP + 1;
      __hip_atomic_fetch_add(total, x, RELAXED);
    }
    // Here, and not after `piece` is read: LLVM joins two neighbouring branches on TID into a loop of their own.
    barrier();
  }
}
PROGRAM(meeting_of_groups, "u32 -> u32 u32#1 ; grid=16 meets", const u32 *a, u32 *o, u32 *arrived) {
  // Every group waits for all: those under way must take turns.
  o[ITEM] = a[ITEM];
  barrier();
  if (!TID) {
    __hip_atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < GROUPS) {
    }
  }
  barrier();
  o[ITEM] = o[ITEM] * 3;
}
