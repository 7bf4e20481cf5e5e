// Operations over the lanes of a wave. All lanes are there unless a program says otherwise.
#include "twin.h"

PROGRAM(reads_of_lanes, "u32 -> u32*4 ; wave", const u32 *a, u32 *o) {
  u32 v = a[ITEM];
  o[ITEM * 4] = readFirst(v), o[ITEM * 4 + 1] = readLane(v, 5), o[ITEM * 4 + 2] = readLane(v, WAVE - 1);
  o[ITEM * 4 + 3] = readLane(v, readFirst(v) & 31);
}
PROGRAM(lane_numbers, "-> u32*2 ; wave block=128", u32 *o) { o[ITEM * 2] = lane(), o[ITEM * 2 + 1] = WAVE; }
PROGRAM(ballots, "u32 -> u64*4 ; wave", const u32 *a, u64 *o) {
  o += ITEM * 4;
  o[0] = ballot(a[ITEM] & 1), o[1] = ballot(a[ITEM] > 0x80000000u), o[2] = ballot(true), o[3] = ballot(lane() % 3 == 1);
}
PROGRAM(votes, "u32 -> u32*3 ; wave", const u32 *a, u32 *o) {
  u64 all = ballot(true), some = ballot((a[ITEM] & 63) == 7);
  u32 below = u32(__builtin_popcountl(some & ((1ul << lane()) - 1)));
  o[ITEM * 3] = some != 0, o[ITEM * 3 + 1] = below, o[ITEM * 3 + 2] = u32(__builtin_popcountl(all));
}
PROGRAM(ballots_in_branches, "u32 -> u64*2 ; wave", const u32 *a, u64 *o) {
  // On the device only the lanes that took the branch vote; the host says so in the condition.
  bool odd = a[ITEM] & 1, high = a[ITEM] >> 31;
  o[ITEM * 2] = 0, o[ITEM * 2 + 1] = 0;
#ifdef __AMDGCN__
  if (odd)
    o[ITEM * 2] = ballot(high);
  else
    o[ITEM * 2 + 1] = ballot(!high);
#else
  u64 x = ballot(odd && high), y = ballot(!odd && !high);
  o[ITEM * 2] = odd ? x : 0, o[ITEM * 2 + 1] = odd ? 0 : y;
#endif
}
PROGRAM(first_active_lane, "u32 -> u32 ; wave", const u32 *a, u32 *o) {
  bool chosen = a[ITEM] % 3 == 0;
#ifdef __AMDGCN__
  o[ITEM] = 0;
  if (chosen)
    o[ITEM] = readFirst(a[ITEM] ^ lane());
#else
  u64 who = ballot(chosen);
  u32 v = shuffle(a[ITEM] ^ lane(), who ? u32(__builtin_ctzl(who)) : 0);
  o[ITEM] = chosen ? v : 0;
#endif
}
PROGRAM(shuffles, "u32 u32 -> u32*4 ; wave", const u32 *a, const u32 *b, u32 *o) {
  u32 v = a[ITEM];
  o[ITEM * 4] = shuffle(v, b[ITEM] & 31), o[ITEM * 4 + 1] = shuffle(v, lane() ^ 1);
  o[ITEM * 4 + 2] = shuffle(v, (lane() & 31) ^ 17), o[ITEM * 4 + 3] = shuffle(v, (lane() & 32) | ((lane() + 9) & 31));
}
PROGRAM(pushes, "u32 -> u32*2 ; wave w32", const u32 *a, u32 *o) {
  o[ITEM * 2] = push(a[ITEM], (lane() * 7 + 3) & 31), o[ITEM * 2 + 1] = push(a[ITEM], 31 - lane());
}
PROGRAM(pushes_of_64, "u32 -> u32*2 ; wave w64 only=gfx9", const u32 *a, u32 *o) {
  o[ITEM * 2] = push(a[ITEM], (lane() * 7 + 3) & 63), o[ITEM * 2 + 1] = push(a[ITEM], 63 - lane());
}
PROGRAM(sum_by_shuffles, "u32 u64 -> u32 u64 ; wave", const u32 *a, const u64 *b, u32 *o, u64 *w) {
  u32 v = a[ITEM];
  u64 u = b[ITEM];
  for (u32 step = 16; step; step /= 2) {
    v += shuffle(v, lane() ^ step);
    u += u64(shuffle(u32(u >> 32), lane() ^ step)) << 32 | shuffle(u32(u), lane() ^ step);
  }
  o[ITEM] = v, w[ITEM] = u;
}
PROGRAM(loop_over_lanes, "u32 -> u32 ; wave", const u32 *a, u32 *o) {
  u32 s = 0;
  for (u32 i = 0; i < WAVE; ++i)
    s = s * 3 + readLane(a[ITEM], i);
  o[ITEM] = s;
}

/// DPP as the ISA manuals (section "data parallel primitives") define it: what lane `l` gets.
enum { QuadPerm = 0, RowShl = 0x100, RowShr = 0x110, RowRor = 0x120, RowMirror = 0x140, RowHalfMirror = 0x141 };
template <u32 Control, u32 Rows = 15, u32 Banks = 15, bool Bound = false> DEVICE u32 dpp(u32 old, u32 v) {
#ifdef __AMDGCN__
  return __builtin_amdgcn_update_dpp(old, v, Control, Rows, Banks, Bound);
#else
  u32 l = lane(), row = l / 16, at = l % 16;
  i32 from;
  if (Control < 0x100)
    from = i32(at & ~3u) + i32(Control >> (2 * (at & 3)) & 3);
  else if (Control < RowShr)
    from = i32(at) + i32(Control & 15);
  else if (Control < RowRor)
    from = i32(at) - i32(Control & 15);
  else if (Control < 0x130)
    from = i32((at - (Control & 15)) & 15);
  else if (Control == RowMirror)
    from = 15 - i32(at);
  else if (Control == RowHalfMirror)
    from = i32(at & 8) + 7 - i32(at & 7);
  else if (Control < 0x160)
    from = i32(Control & 15); // row_newbcast of gfx9, row_share of the others: both give one lane of the row
  else
    from = i32(at ^ (Control & 15));
  const u64 *all = twin::exchange(v);
  if (!(Rows >> (row & 3) & 1) || !(Banks >> (at / 4) & 1))
    return old;
  if (from < 0 || from > 15)
    return Bound ? 0 : old;
  return u32(all[row * 16 + u32(from)]);
#endif
}
PROGRAM(quads, "u32 -> u32*3 ; wave", const u32 *a, u32 *o) {
  u32 v = a[ITEM];
  o[ITEM * 3] = dpp<0x1b>(7, v), o[ITEM * 3 + 1] = dpp<0xb1>(7, v), o[ITEM * 3 + 2] = dpp<0x93, 15, 15, true>(v, v) + v;
}
PROGRAM(rows, "u32 -> u32*8 ; wave", const u32 *a, u32 *o) {
  u32 v = a[ITEM];
  o += ITEM * 8;
  o[0] = dpp<RowShl + 1>(100, v), o[1] = dpp<RowShr + 3>(v, v), o[2] = dpp<RowRor + 5>(0, v),
  o[3] = dpp<RowMirror>(0, v);
  o[4] = dpp<RowHalfMirror>(0, v), o[5] = dpp<RowShr + 1, 15, 15, true>(9, v) + v, o[6] = dpp<RowShl + 8, 5, 15>(4, v);
  o[7] = dpp<RowShr + 2, 15, 6>(v ^ 1, v);
}
PROGRAM(one_lane_of_the_row, "u32 -> u32*2 ; wave", const u32 *a, u32 *o) {
  o[ITEM * 2] = dpp<0x150 + 3>(1, a[ITEM]), o[ITEM * 2 + 1] = dpp<0x150 + 15>(1, a[ITEM]) ^ a[ITEM];
}
PROGRAM(rows_exchanged, "u32 -> u32*2 ; wave only=gfx11,gfx12", const u32 *a, u32 *o) {
#if defined(__AMDGCN__) && defined(__GFX9__)
#else
  o[ITEM * 2] = dpp<0x160 + 1>(1, a[ITEM]), o[ITEM * 2 + 1] = dpp<0x160 + 10>(1, a[ITEM]) + a[ITEM];
#endif
}
PROGRAM(rows_and_waves_of_gfx9, "u32 -> u32*6 ; wave only=gfx9", const u32 *a, u32 *o) {
  u32 v = a[ITEM];
  o += ITEM * 6;
#if !defined(__AMDGCN__)
  const u64 *all = twin::exchange(v);
  u32 l = lane(), row = l / 16;
  o[0] = l < 63 ? u32(all[l + 1]) : 5, o[1] = l ? u32(all[l - 1]) : 6, o[2] = u32(all[(l + 1) & 63]);
  o[3] = u32(all[(l - 1) & 63]), o[4] = row ? u32(all[row * 16 - 1]) : 7, o[5] = l >= 32 ? u32(all[31]) : 8;
#elif defined(__GFX9__)
  o[0] = __builtin_amdgcn_update_dpp(5, v, 0x130, 15, 15, false); // wave_shl:1
  o[1] = __builtin_amdgcn_update_dpp(6, v, 0x138, 15, 15, false); // wave_shr:1
  o[2] = __builtin_amdgcn_update_dpp(0, v, 0x134, 15, 15, false); // wave_rol:1
  o[3] = __builtin_amdgcn_update_dpp(0, v, 0x13c, 15, 15, false); // wave_ror:1
  o[4] = __builtin_amdgcn_update_dpp(7, v, 0x142, 15, 15, false); // row_bcast:15
  o[5] = __builtin_amdgcn_update_dpp(8, v, 0x143, 15, 15, false); // row_bcast:31
#endif
}
PROGRAM(scan_by_dpp, "u32 -> u32 f32 ; wave", const u32 *a, u32 *o, f32 *f) {
  u32 v = a[ITEM];
  v += dpp<RowShr + 1, 15, 15, true>(0, v);
  v += dpp<RowShr + 2, 15, 15, true>(0, v);
  v += dpp<RowShr + 4, 15, 15, true>(0, v);
  v += dpp<RowShr + 8, 15, 15, true>(0, v);
  o[ITEM] = v;
  f32 x = f32(a[ITEM] & 255);
  x = x + as<f32>(dpp<RowRor + 4>(0, as<u32>(x)));
  f[ITEM] = __builtin_fmaxf(x, as<f32>(dpp<0x4e>(0, as<u32>(x))));
}
PROGRAM(eights, "u32 -> u32*2 ; wave only=gfx11,gfx12", const u32 *a, u32 *o) {
#if defined(__AMDGCN__) && defined(__GFX9__)
#else
  constexpr u32 reversal = 7 | 6 << 3 | 5 << 6 | 4 << 9 | 3 << 12 | 2 << 15 | 1 << 18;
  constexpr u32 pattern = 2 | 2 << 3 | 0 << 6 | 7 << 9 | 1 << 12 | 1 << 15 | 5 << 18 | 3u << 21;
#ifdef __AMDGCN__
  o[ITEM * 2] = __builtin_amdgcn_mov_dpp8(a[ITEM], reversal),
           o[ITEM * 2 + 1] = __builtin_amdgcn_mov_dpp8(a[ITEM], pattern);
#else
  const u64 *all = twin::exchange(a[ITEM]);
  u32 base = lane() & ~7u, at = lane() & 7;
  o[ITEM * 2] = u32(all[base + (reversal >> (3 * at) & 7)]),
           o[ITEM * 2 + 1] = u32(all[base + (pattern >> (3 * at) & 7)]);
#endif
#endif
}
/// ds_swizzle_b32 in its bit-mode: lane = ((lane & and) | or) ^ xor within 32; in quad mode two bits a lane.
template <u32 Pattern> DEVICE u32 swizzle(u32 v) {
#ifdef __AMDGCN__
  return __builtin_amdgcn_ds_swizzle(v, Pattern);
#else
  const u64 *all = twin::exchange(v);
  u32 l = lane() & 31, base = lane() & 32, from = (l & ~3u) + (Pattern >> (2 * (l & 3)) & 3);
  if (!(Pattern & 0x8000))
    from = (((l & (Pattern & 31)) | (Pattern >> 5 & 31)) ^ (Pattern >> 10 & 31));
  return u32(all[base + from]);
#endif
}
PROGRAM(swizzles, "u32 -> u32*4 ; wave", const u32 *a, u32 *o) {
  u32 v = a[ITEM];
  o[ITEM * 4] = swizzle<0x041f>(v), o[ITEM * 4 + 1] = swizzle<0x401f>(v), o[ITEM * 4 + 2] = swizzle<0x0018>(v);
  o[ITEM * 4 + 3] = swizzle<0x80b1>(v);
}
PROGRAM(row_permutations, "u32 -> u32*3 ; wave only=gfx11,gfx12", const u32 *a, u32 *o) {
#if defined(__AMDGCN__) && defined(__GFX9__)
#elif defined(__AMDGCN__)
  o[ITEM * 3] = __builtin_amdgcn_permlane16(9, a[ITEM], 0x01234567, 0x89abcdef, false, false);
  o[ITEM * 3 + 1] = __builtin_amdgcn_permlanex16(9, a[ITEM], 0x76543210, 0xfedcba98, false, false);
  o[ITEM * 3 + 2] = __builtin_amdgcn_permlane64(a[ITEM]);
#else
  const u64 *all = twin::exchange(a[ITEM]);
  u32 l = lane(), at = l & 15, row = l & ~15u;
  u64 first = 0x89abcdef01234567, second = 0xfedcba9876543210;
  o[ITEM * 3] = u32(all[row + (first >> (4 * at) & 15)]),
           o[ITEM * 3 + 1] = u32(all[(row ^ 16) + (second >> (4 * at) & 15)]);
  o[ITEM * 3 + 2] = WAVE == 64 ? u32(all[l ^ 32]) : a[ITEM];
#endif
}
PROGRAM(swaps_of_lanes, "u32 u32 -> u32*4 ; wave only=gfx950", const u32 *a, const u32 *b, u32 *o) {
#ifdef __gfx950__
  auto x = __builtin_amdgcn_permlane16_swap(a[ITEM], b[ITEM], false, false);
  auto y = __builtin_amdgcn_permlane32_swap(a[ITEM], b[ITEM], false, false);
  o[ITEM * 4] = x[0], o[ITEM * 4 + 1] = x[1], o[ITEM * 4 + 2] = y[0], o[ITEM * 4 + 3] = y[1];
#elif !defined(__AMDGCN__)
  // Odd rows of the first change places with even rows of the second; then halves likewise.
  u32 l = lane(), p = shuffle(a[ITEM], l ^ 16), q = shuffle(b[ITEM], l ^ 16);
  o[ITEM * 4] = l & 16 ? q : a[ITEM], o[ITEM * 4 + 1] = l & 16 ? b[ITEM] : p;
  p = shuffle(a[ITEM], l ^ 32), q = shuffle(b[ITEM], l ^ 32);
  o[ITEM * 4 + 2] = l & 32 ? q : a[ITEM], o[ITEM * 4 + 3] = l & 32 ? b[ITEM] : p;
#endif
}
PROGRAM(writes_of_lanes, "u32 -> u32 ; wave", const u32 *a, u32 *o) {
#ifdef __AMDGCN__
  u32 v = a[ITEM], first = readFirst(v);
  asm volatile("v_writelane_b32 %0, 17, 7" : "+v"(v));
  asm volatile("v_writelane_b32 %0, %1, 30" : "+v"(v) : "s"(__builtin_amdgcn_readfirstlane(first)));
  o[ITEM] = v;
#else
  u32 first = readFirst(a[ITEM]);
  o[ITEM] = lane() == 7 ? 17 : lane() == 30 ? first : a[ITEM];
#endif
}
PROGRAM(unique_values, "u32.s -> u32 u32 ; wave", const u32 *a, u32 *o, u32 *n) {
  // A loop that takes one value of the wave in each round.
  u32 v = a[ITEM] & 7;
#ifdef __AMDGCN__
  u32 rounds = 0;
  for (;;) {
    u32 chosen = readFirst(v), same = u32(__builtin_popcountl(ballot(chosen == v)));
    ++rounds;
    if (chosen == v) {
      o[ITEM] = same;
      break;
    }
  }
  n[ITEM] = rounds;
#else
  u32 same = 0, rounds = 0, seen = 0;
  u64 before = 0;
  for (u32 i = 0; i < WAVE; ++i) {
    u32 w = readLane(v, i);
    same += w == v;
    if (!(seen >> w & 1)) {
      seen |= 1u << w;
      rounds += !before;
      before |= w == v;
    }
  }
  o[ITEM] = same, n[ITEM] = rounds;
#endif
}
PROGRAM(partial_waves, "u32 -> u64*2 u32 ; wave block=40 grid=2", const u32 *a, u64 *o, u32 *s) {
  o[ITEM * 2] = ballot(true), o[ITEM * 2 + 1] = ballot(a[ITEM] & 1), s[ITEM] = readFirst(a[ITEM]);
}
