//===- emulator/entry.cpp - the state in which a kernel starts ------------------------------------===//
#include "wavewright/emulator/launch_state.h"

#include <string_view>

namespace wavewright::emulator {

namespace scalar = codeobject::scalar;

namespace {

template <class T> void put(std::vector<std::byte> &bytes, size_t at, T value) {
  if (at + sizeof(T) <= bytes.size())
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}
void putSized(std::vector<std::byte> &bytes, size_t at, size_t size, uint64_t value) {
  if (at + size <= bytes.size() && size <= 8)
    std::memcpy(bytes.data() + at, &value, size);
}

/// Hidden arguments by their kind in the metadata. What is not listed here (hostcall buffers, heaps, queues for device
/// enqueue) is 0: there is no host behind them.
uint64_t hiddenArgument(const LaunchState &l, std::string_view kind) {
  const Dim3 &grid = l.config.grid, &block = l.config.block;
  struct Row {
    std::string_view kind;
    uint64_t value;
  };
  unsigned dimensions = grid.z * block.z > 1 ? 3 : grid.y * block.y > 1 ? 2 : 1;
  const Row rows[] = {
      {"hidden_block_count_x", grid.x},
      {"hidden_block_count_y", grid.y},
      {"hidden_block_count_z", grid.z},
      {"hidden_group_size_x", block.x},
      {"hidden_group_size_y", block.y},
      {"hidden_group_size_z", block.z},
      {"hidden_grid_dims", dimensions},
      {"hidden_dynamic_lds_size", l.config.dynamicLdsBytes},
      {"hidden_private_base", Context::PrivateAperture},
      {"hidden_shared_base", Context::SharedAperture},
      {"hidden_queue_ptr", QueueAddress},
      {"hidden_printf_buffer", l.options.printfBuffer},
  };
  for (const Row &row : rows)
    if (row.kind == kind)
      return row.value;
  return 0;
}

/// hsa_kernel_dispatch_packet_t (HSA runtime specification 1.2, section 2.9.6).
void fillPacket(LaunchState &l) {
  const Dim3 &grid = l.config.grid, &block = l.config.block;
  auto &p = l.dispatchPacket;
  p.assign(64, std::byte(0));
  put(p, 2, uint16_t(3));
  put(p, 4, uint16_t(block.x));
  put(p, 6, uint16_t(block.y));
  put(p, 8, uint16_t(block.z));
  put(p, 12, uint32_t(grid.x * block.x));
  put(p, 16, uint32_t(grid.y * block.y));
  put(p, 20, uint32_t(grid.z * block.z));
  put(p, 24, l.scratchBytes);
  put(p, 28, l.ldsBytes);
  put(p, 32, uint64_t(l.loadBias + l.kernel->descriptorAddress));
  put(p, 40, KernargAddress);
}

/// Bits of the descriptor's properties, in the order in which user SGPRs are filled.
enum Property : unsigned {
  PrivateSegmentBuffer = 0,
  DispatchPtr = 1,
  QueuePtr = 2,
  KernargPtr = 3,
  DispatchId = 4,
  FlatScratchInit = 5,
  PrivateSegmentSize = 6,
};

} // namespace

/// Work-item ids, packed: x in bits 9:0, y in 19:10, z in 29:20.
void spreadItems(LaunchState &l) {
  const Dim3 &block = l.config.block;
  l.itemIds.assign(l.wavesPerGroup, Row{});
  l.itemMask.assign(l.wavesPerGroup, 0);
  for (uint64_t flat = 0; flat < block.count(); ++flat) {
    uint32_t x = uint32_t(flat % block.x), y = uint32_t(flat / block.x % block.y),
             z = uint32_t(flat / block.x / block.y);
    l.itemIds[flat / l.waveSize].lane[flat % l.waveSize] = x | y << 10 | z << 20;
    l.itemMask[flat / l.waveSize] |= 1ull << flat % l.waveSize;
  }
}

void prepareLaunchMemory(LaunchState &l) {
  spreadItems(l);
  for (const codeobject::KernelArgument &a : l.kernel->arguments)
    if (a.hidden())
      putSized(l.kernarg, a.offset, a.size, hiddenArgument(l, a.valueKind));
  fillPacket(l);
  l.queue.assign(256, std::byte(0));
  put(l.queue, 0x40, Context::SharedAperture); // group_segment_aperture_base_hi and private_..., amd_queue_t
  put(l.queue, 0x44, Context::PrivateAperture);
  l.launchMemory = {Extent{KernargAddress, l.kernarg.size(), l.kernarg.data(), nullptr, true},
                    Extent{PacketAddress, l.dispatchPacket.size(), l.dispatchPacket.data(), nullptr, true},
                    Extent{QueueAddress, l.queue.size(), l.queue.data(), nullptr, true}};
}

void resetWave(const LaunchState &l, Wave &w, unsigned waveInGroup) {
  std::memset(w.sgpr, 0, sizeof(w.sgpr));
  std::memset(w.splat, 0, sizeof(w.splat)); // as the rows are
  w.scc = 0;
  w.pc = l.code->entry;
  w.state = WaveState::Running;
  w.lanes = l.waveSize;
  w.laneMask = l.waveSize == 64 ? ~0ull : 0xffffffffull;
  w.indexInGroup = waveInGroup;
  w.barrierSignals = w.barrierWaits = 0;
  std::fill(std::begin(w.named), std::end(w.named), NamedBarrier());
  w.joined = 0;
  w.waitsNamed = false;
  w.ticks = 0;
  w.spreadValid = false;
}

void enterWave(const LaunchState &l, Wave &w, Dim3 group, unsigned waveInGroup) {
  const codeobject::KernelDescriptor &d = l.kernel->descriptor;
  resetWave(l, w, waveInGroup);

  // MODE: float_mode is rsrc1[19:12]; gfx12 has neither IEEE nor DX10_CLAMP and behaves as clamp on, IEEE off.
  bool gfx12 = l.target->generation == Generation::Rdna4;
  uint32_t mode = d.rsrc1 >> 12 & 0xff;
  if (gfx12 || d.rsrc1 >> 21 & 1)
    mode |= mode::Dx10Clamp;
  if (!gfx12 && d.rsrc1 >> 23 & 1)
    mode |= mode::Ieee;
  mode |= (d.rsrc1 >> 26 & 1) << 23;
  w.setMode(mode);

  // User SGPRs.
  unsigned next = 0, limit = std::min(d.userSgprs(), 32u);
  auto give = [&](unsigned property, std::initializer_list<uint32_t> values) {
    if (!(d.properties >> property & 1))
      return;
    for (uint32_t value : values)
      w.sgpr[next++] = value;
  };
  auto low = [](uint64_t x) { return uint32_t(x); };
  auto high = [](uint64_t x) { return uint32_t(x >> 32); };
  give(PrivateSegmentBuffer, {0, 0, 0, 0});
  give(DispatchPtr, {low(PacketAddress), high(PacketAddress)});
  give(QueuePtr, {low(QueueAddress), high(QueueAddress)});
  give(KernargPtr, {low(KernargAddress), high(KernargAddress)});
  give(DispatchId, {0, 0});
  give(FlatScratchInit, {0, 0});
  give(PrivateSegmentSize, {l.scratchBytes});
  // Preloaded arguments: length in bits 6:0, offset in bits 15:7, both in dwords.
  unsigned preload = d.kernargPreload & 0x7f, from = d.kernargPreload >> 7;
  for (unsigned i = 0; i < preload && next < limit; ++i, ++next)
    if ((from + i) * 4 + 4 <= l.kernarg.size())
      std::memcpy(&w.sgpr[next], l.kernarg.data() + (from + i) * 4, 4);
  next = std::max(next, limit);

  // Work-group ids: after the user SGPRs, or in TTMPs on gfx12.
  if (gfx12) {
    w.sgpr[scalar::Ttmp0 + 9] = group.x;
    w.sgpr[scalar::Ttmp0 + 7] = (group.y & 0xffff) | group.z << 16;
    w.sgpr[scalar::Ttmp0 + 8] = (waveInGroup & 31) << 25;
  } else {
    const uint32_t ids[3] = {group.x, group.y, group.z};
    for (unsigned axis = 0; axis < 3; ++axis)
      if (d.rsrc2 >> (7 + axis) & 1)
        w.sgpr[next++] = ids[axis];
    if (d.rsrc2 >> 10 & 1)
      w.sgpr[next++] = l.wavesPerGroup; // work-group info: the waves in bits 5:0
  }

  w.vgpr[0] = l.itemIds[waveInGroup];
  w.setPair(scalar::ExecLo, l.itemMask[waveInGroup]);
}

} // namespace wavewright::emulator
