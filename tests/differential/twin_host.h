//===- tests/differential/twin_host.h - the host's half of twin.h ---------------------------------===//
//
// Work-items run in a loop, groups one after the other. A program whose items meet (barriers, cross-lane operations)
// gives every item a stack of its own, and an item that waits hands the thread to the next.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <ucontext.h>
#include <utility>
#include <vector>

#define DEVICE
#define SHARED static
#define CONSTANT static
#define GLOBAL static
#define DYNAMIC_SHARED(TYPE, NAME) TYPE *NAME = reinterpret_cast<TYPE *>(twin::group.dynamic)
#define PROGRAM(NAME, SPEC, ...)                                                                                       \
  static void NAME(__VA_ARGS__);                                                                                       \
  extern "C" void host_##NAME(const void *kernarg, const twin::Launch *launch) {                                       \
    twin::run(NAME, static_cast<const char *>(kernarg), *launch);                                                      \
  }                                                                                                                    \
  static void NAME(__VA_ARGS__)

#define TID (twin::item->id[0])
#define TID_Y (twin::item->id[1])
#define TID_Z (twin::item->id[2])
#define GROUP (twin::group.id[0])
#define GROUP_Y (twin::group.id[1])
#define GROUP_Z (twin::group.id[2])
#define ITEMS (twin::group.launch->block[0])
#define GROUPS (twin::group.launch->grid[0])
#define WAVE (twin::group.launch->wave)

namespace twin {

/// As tests/twin.py writes it.
struct Launch {
  u32 grid[3], block[3], wave, meets, dynamicBytes;
};

struct Item {
  u32 id[3], flat;
  bool ended = false;
  ucontext_t context;
};

struct Wave {
  u32 live = 0, arrived = 0;
  u64 round = 0;
  u64 slots[2][64]; ///< what the lanes gave in this round and in the last
};

struct Group {
  const Launch *launch = nullptr;
  u32 id[3] = {}, live = 0, arrived = 0;
  u64 round = 0;
  char *dynamic = nullptr;
  std::vector<Item> items;
  std::vector<Wave> waves;
  ucontext_t scheduler;
  void (*body)() = nullptr;
};

inline Group group;
inline Item *item;

constexpr size_t StackBytes = 256 << 10;
inline char *stackOf(u32 index) {
  static std::vector<char *> stacks;
  while (stacks.size() <= index)
    stacks.push_back(static_cast<char *>(std::malloc(StackBytes)));
  return stacks[index];
}

inline void giveWay() {
  if (!group.launch->meets) {
    std::fprintf(stderr, "a program whose items meet must say so: \"; meets\"\n");
    std::abort();
  }
  swapcontext(&item->context, &group.scheduler);
}

/// An item that has ended is not waited for.
template <class Meeting> void leave(Meeting &m) {
  if (--m.live == m.arrived && m.arrived) {
    m.arrived = 0;
    ++m.round;
  }
}

inline void enterFiber() {
  group.body();
  item->ended = true;
  Wave &w = group.waves[item->flat / group.launch->wave];
  leave(w);
  leave(group);
  swapcontext(&item->context, &group.scheduler);
}

inline void runGroup() {
  const Launch &l = *group.launch;
  u32 count = l.block[0] * l.block[1] * l.block[2];
  if (group.items.size() < count)
    group.items = std::vector<Item>(count);
  group.waves.assign((count + l.wave - 1) / l.wave, Wave());
  group.live = count;
  group.arrived = 0;
  for (u32 i = 0; i < count; ++i) {
    Item &it = group.items[i];
    it.flat = i;
    it.id[0] = i % l.block[0];
    it.id[1] = i / l.block[0] % l.block[1];
    it.id[2] = i / l.block[0] / l.block[1];
    it.ended = false;
    ++group.waves[i / l.wave].live;
    if (!l.meets) {
      item = &it;
      group.body();
      continue;
    }
    getcontext(&it.context);
    it.context.uc_stack = {stackOf(i), 0, StackBytes};
    it.context.uc_link = nullptr;
    makecontext(&it.context, enterFiber, 0);
  }
  while (l.meets && group.live)
    for (u32 i = 0; i < count; ++i)
      if (!group.items[i].ended) {
        item = &group.items[i];
        swapcontext(&group.scheduler, &item->context);
      }
}

template <class... A> struct Bound {
  static inline void (*function)(A...);
  static inline std::tuple<A...> *arguments;
  static void call() { std::apply(function, *arguments); }
};

template <class T> T take(const char *kernarg, size_t &at) {
  at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
  T value;
  std::memcpy(&value, kernarg + at, sizeof(T));
  at += sizeof(T);
  return value;
}

template <class... A> void run(void (*function)(A...), const char *kernarg, const Launch &l) {
  size_t at = 0;
  std::tuple<A...> arguments{take<A>(kernarg, at)...};
  Bound<A...>::function = function;
  Bound<A...>::arguments = &arguments;
  group.launch = &l;
  group.body = Bound<A...>::call;
  std::vector<char> dynamic(l.dynamicBytes + 16);
  group.dynamic = reinterpret_cast<char *>((uintptr_t(dynamic.data()) + 15) & ~uintptr_t(15));
  for (group.id[2] = 0; group.id[2] < l.grid[2]; ++group.id[2])
    for (group.id[1] = 0; group.id[1] < l.grid[1]; ++group.id[1])
      for (group.id[0] = 0; group.id[0] < l.grid[0]; ++group.id[0])
        runGroup();
}

/// What all lanes of the wave gave; lanes that hold no item gave 0.
inline const u64 *exchange(u64 value) {
  Wave &w = group.waves[item->flat / group.launch->wave];
  u64 round = w.round;
  if (!w.arrived)
    std::memset(w.slots[round & 1], 0, sizeof w.slots[0]);
  w.slots[round & 1][item->flat % group.launch->wave] = value;
  if (++w.arrived == w.live) {
    w.arrived = 0;
    ++w.round;
  }
  while (w.round == round)
    giveWay();
  return w.slots[round & 1];
}

} // namespace twin

inline u32 lane() { return twin::item->flat % WAVE; }
inline void barrier() {
  twin::Group &g = twin::group;
  u64 round = g.round;
  if (++g.arrived == g.live) {
    g.arrived = 0;
    ++g.round;
  }
  while (g.round == round)
    twin::giveWay();
}
inline u32 readLane(u32 v, u32 from) { return u32(twin::exchange(v)[from % WAVE]); }
inline u32 readFirst(u32 v) { return u32(twin::exchange(v)[0]); }
inline u32 shuffle(u32 v, u32 from) { return u32(twin::exchange(v)[from % WAVE]); }
/// Of several lanes that push to one, the highest wins.
inline u32 push(u32 v, u32 to) {
  const u64 *all = twin::exchange(u64(v) | u64(to % WAVE) << 32 | u64(1) << 63);
  u32 got = 0;
  for (u32 l = 0; l < WAVE; ++l)
    if (all[l] >> 63 && (all[l] >> 32 & 0x7f) == lane())
      got = u32(all[l]);
  return got;
}
inline u64 ballot(bool b) {
  const u64 *all = twin::exchange(b);
  u64 got = 0;
  for (u32 l = 0; l < WAVE; ++l)
    got |= all[l] << l;
  return got;
}

namespace twin {
#define TWIN_ATOMIC(NAME, EXPRESSION)                                                                                  \
  template <class T, class V> T NAME(T *p, V given) {                                                                  \
    T m = *p, v = T(given);                                                                                            \
    *p = T(EXPRESSION);                                                                                                \
    return m;                                                                                                          \
  }
TWIN_ATOMIC(add, m + v)
TWIN_ATOMIC(sub, m - v)
TWIN_ATOMIC(min, v < m ? v : m)
TWIN_ATOMIC(max, v > m ? v : m)
TWIN_ATOMIC(and_, m &v)
TWIN_ATOMIC(or_, m | v)
TWIN_ATOMIC(xor_, m ^ v)
TWIN_ATOMIC(swap, v)
} // namespace twin
#define TWIN_NAME_add add
#define TWIN_NAME_sub sub
#define TWIN_NAME_min min
#define TWIN_NAME_max max
#define TWIN_NAME_and and_
#define TWIN_NAME_or or_
#define TWIN_NAME_xor xor_
#define TWIN_NAME(OP) TWIN_NAME_##OP
#define ATOMIC(OP, P, V) twin::TWIN_NAME(OP)(P, V)
#define ATOMIC_LDS(OP, P, V) ATOMIC(OP, P, V)
#define ATOMIC_SWAP(P, V) twin::swap(P, V)
template <class T> bool atomicReplace(T *p, T &expected, T desired) {
  if (*p == expected) {
    *p = desired;
    return true;
  }
  expected = *p;
  return false;
}

/// 113 bits hold the exact product and sum of any three halves, so this rounds once.
inline f16 fused(f16 a, f16 b, f16 c) { return f16(__float128(a) * __float128(b) + __float128(c)); }
inline f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
inline f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
inline f16 root(f16 a) { return f16(__builtin_sqrtf(f32(a))); }
inline f32 root(f32 a) { return __builtin_sqrtf(a); }
inline f64 root(f64 a) { return __builtin_sqrt(a); }

/// Missing from the runtime library of older compilers.
extern "C" __attribute__((weak)) bf16 __truncsfbf2(f32 v) {
  u32 b = __builtin_bit_cast(u32, v);
  u32 rounded = v != v ? b >> 16 | 0x40 : (b + 0x7fff + (b >> 16 & 1)) >> 16;
  return __builtin_bit_cast(bf16, u16(rounded));
}
