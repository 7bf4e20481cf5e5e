//===- hip/hip_cooperative_groups.h - groups of work-items ----------------------------------------===//
#pragma once

#include "hip_runtime.h"

#if defined(__HIP__) && defined(__cplusplus)

/// Arrivals and generation of the barrier over a grid; each translation unit has its own. The last work-group to arrive
/// sets the count back, so that every launch starts with 0.
static __attribute__((device)) unsigned __hip_grid_barrier[2];

namespace cooperative_groups {

#define HIP_GROUP __attribute__((device, always_inline)) inline

/// All work-items of a work-group.
class thread_block {
public:
  HIP_GROUP void sync() const { __syncthreads(); }
  HIP_GROUP unsigned thread_rank() const { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  HIP_GROUP unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  HIP_GROUP unsigned num_threads() const { return size(); }
  HIP_GROUP dim3 group_index() const { return blockIdx; }
  HIP_GROUP dim3 thread_index() const { return threadIdx; }
  HIP_GROUP dim3 group_dim() const { return blockDim; }
};
HIP_GROUP thread_block this_thread_block() { return {}; }

/// All work-items of a cooperative launch.
class grid_group {
public:
  HIP_GROUP unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  HIP_GROUP unsigned long long block_rank() const {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  HIP_GROUP unsigned long long size() const { return num_blocks() * this_thread_block().size(); }
  HIP_GROUP unsigned long long thread_rank() const {
    return block_rank() * this_thread_block().size() + this_thread_block().thread_rank();
  }
  HIP_GROUP bool is_valid() const { return true; }
  HIP_GROUP void sync() const {
    __syncthreads();
    if (this_thread_block().thread_rank() == 0) {
      __threadfence();
      unsigned *count = &__hip_grid_barrier[0], *generation = &__hip_grid_barrier[1];
      unsigned before = __hip_atomic_load(generation, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      if (__hip_atomic_fetch_add(count, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) + 1 == num_blocks()) {
        __hip_atomic_store(count, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        __hip_atomic_store(generation, before + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
      } else {
        while (__hip_atomic_load(generation, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == before)
          __builtin_amdgcn_s_sleep(2);
      }
      __threadfence();
    }
    __syncthreads();
  }
};
HIP_GROUP grid_group this_grid() { return {}; }

/// `Size` neighbouring lanes of a wave, a power of two.
template <unsigned Size, class Parent = thread_block> class thread_block_tile {
  static_assert(Size && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16, 32 or 64 work-items");

public:
  HIP_GROUP unsigned thread_rank() const { return __lane_id() & (Size - 1); }
  static constexpr __attribute__((device)) unsigned size() { return Size; }
  static constexpr __attribute__((device)) unsigned num_threads() { return Size; }
  HIP_GROUP unsigned meta_group_rank() const { return this_thread_block().thread_rank() / Size; }
  HIP_GROUP unsigned meta_group_size() const { return (this_thread_block().size() + Size - 1) / Size; }
  HIP_GROUP void sync() const { __syncwarp(); }
  template <class T> HIP_GROUP T shfl(T value, int lane) const { return __shfl(value, lane, Size); }
  template <class T> HIP_GROUP T shfl_up(T value, unsigned delta) const { return __shfl_up(value, delta, Size); }
  template <class T> HIP_GROUP T shfl_down(T value, unsigned delta) const { return __shfl_down(value, delta, Size); }
  template <class T> HIP_GROUP T shfl_xor(T value, unsigned mask) const { return __shfl_xor(value, int(mask), Size); }
  HIP_GROUP unsigned long long ballot(int predicate) const { return (__ballot(predicate) >> base()) & mask(); }
  HIP_GROUP int any(int predicate) const { return ballot(predicate) != 0; }
  HIP_GROUP int all(int predicate) const { return ballot(!predicate) == 0; }
  template <class T> HIP_GROUP unsigned long long match_any(T value) const {
    return __match_any_sync(mask() << base(), value) >> base();
  }

private:
  HIP_GROUP static unsigned base() { return __lane_id() & ~(Size - 1); }
  HIP_GROUP static unsigned long long mask() { return Size == 64 ? ~0ull : (1ull << Size) - 1; }
};
template <unsigned Size, class Parent> HIP_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}

/// The lanes of a wave that are active where it is made.
class coalesced_group {
public:
  HIP_GROUP explicit coalesced_group(unsigned long long lanes) : lanes(lanes) {}
  HIP_GROUP unsigned size() const { return __popcll(lanes); }
  HIP_GROUP unsigned num_threads() const { return size(); }
  HIP_GROUP unsigned thread_rank() const { return __popcll(lanes & __lanemask_lt()); }
  HIP_GROUP void sync() const { __syncwarp(); }
  template <class T> HIP_GROUP T shfl(T value, int rank) const { return __hip_from_lane(value, lane(rank)); }
  template <class T> HIP_GROUP T shfl_up(T value, unsigned delta) const {
    int rank = thread_rank();
    return shfl(value, rank < int(delta) ? rank : rank - int(delta));
  }
  template <class T> HIP_GROUP T shfl_down(T value, unsigned delta) const {
    int rank = thread_rank();
    return shfl(value, rank + delta >= size() ? rank : rank + int(delta));
  }
  HIP_GROUP unsigned long long ballot(int predicate) const {
    unsigned long long set = __ballot(predicate) & lanes, packed = 0;
    for (unsigned rank = 0, n = size(); rank < n; ++rank)
      packed |= (set >> lane(rank) & 1) << rank;
    return packed;
  }
  HIP_GROUP int any(int predicate) const { return __any_sync(lanes, predicate); }
  HIP_GROUP int all(int predicate) const { return __all_sync(lanes, predicate); }

private:
  /// The lane of a rank.
  HIP_GROUP int lane(int rank) const {
    unsigned long long left = lanes;
    for (int i = 0; i < rank; ++i)
      left &= left - 1;
    return left ? __builtin_ctzll(left) : 0;
  }
  unsigned long long lanes;
};
HIP_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class T> struct plus {
  HIP_GROUP T operator()(T a, T b) const { return a + b; }
};
template <class T> struct greater {
  HIP_GROUP T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T> struct less {
  HIP_GROUP T operator()(T a, T b) const { return a < b ? a : b; }
};
/// The same value in every work-item of the tile.
template <unsigned Size, class Parent, class T, class Op>
HIP_GROUP T reduce(const thread_block_tile<Size, Parent> &tile, T value, Op op) {
  for (unsigned mask = Size / 2; mask; mask /= 2)
    value = op(value, tile.shfl_xor(value, mask));
  return value;
}
template <unsigned Size, class Parent, class T, class Op>
HIP_GROUP T inclusive_scan(const thread_block_tile<Size, Parent> &tile, T value, Op op) {
  for (unsigned delta = 1; delta < Size; delta *= 2) {
    T below = tile.shfl_up(value, delta);
    value = tile.thread_rank() >= delta ? op(below, value) : value;
  }
  return value;
}
template <class Group> HIP_GROUP void sync(const Group &group) { group.sync(); }

#undef HIP_GROUP

} // namespace cooperative_groups

#endif
