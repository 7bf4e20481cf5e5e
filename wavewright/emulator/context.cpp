//===- emulator/context.cpp - the memory functions, and how a wave fails --------------------------===//
#include "wavewright/emulator/address_space.h"
#include "wavewright/emulator/code.h"

#include <fmt/format.h>

#include <cfenv>

namespace wavewright::emulator {

std::byte *Context::global(uint64_t address, uint64_t bytes, AccessKind kind) {
  uint64_t within = address - last.address;
  if (within > last.bytes || bytes > last.bytes - within) {
    const Extent *found = nullptr;
    for (const Extent &extent : launchMemory)
      if (address - extent.address < extent.bytes)
        found = &extent;
    if (!found)
      if (const AddressSpace::Impl::Allocation *a = memory->impl().table->find(address))
        found = &a->extent;
    if (!found)
      return nullptr;
    within = address - found->address;
    if (bytes > found->bytes - within)
      return nullptr;
    last = *found;
  }
  if (kind != AccessKind::Read) {
    if (last.readOnly)
      return nullptr;
    if (last.written && !last.written->load(std::memory_order_relaxed))
      last.written->store(true, std::memory_order_relaxed);
  }
  return last.host + within;
}

void Context::outside(Wave &wave, const MicroOp &op, Space space, AccessKind kind, unsigned lane, uint64_t address,
                      uint64_t bytes) {
  const char *verb = kind == AccessKind::Read ? "reads" : kind == AccessKind::Write ? "writes" : "changes";
  std::string where;
  switch (space) {
  case Space::Global:
    where = fmt::format("{} {} bytes at 0x{:x} outside of live memory: {}", verb, bytes, address,
                        memory->describe(address));
    break;
  case Space::Lds:
    where = fmt::format("{} {} bytes at LDS offset {} outside of the work-group's {} bytes", verb, bytes, address,
                        ldsBytes);
    break;
  case Space::Private:
    where = fmt::format("{} {} bytes at private offset {} outside of the {} bytes of scratch a lane", verb, bytes,
                        address, wave.scratchBytes);
    break;
  }
  fail(wave, op, where, lane == ~0u ? -1 : int(lane));
  fault.kind = options->checks == CheckMode::On ? ErrorKind::Check : ErrorKind::Launch;
}

void Context::fail(Wave &wave, const MicroOp &op, std::string message, int lane) {
  wave.state = WaveState::Failed;
  if (fault.set)
    return;
  fault = {true, ErrorKind::Launch, std::move(message), &op, wave.indexInGroup, lane};
}

void Context::withRounding(Wave &wave, const MicroOp &op, Type result) {
  static constexpr int hostModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  bool single = result == Type::F32 || result == Type::PkF32;
  int before = std::fegetround();
  uint8_t rounding = wave.rounding;
  std::fesetround(hostModes[single ? wave.mode & 3 : wave.mode >> 2 & 3]);
  wave.rounding = RoundingEntered;
  op.handler(*this, wave, op);
  wave.rounding = rounding;
  std::fesetround(before);
}

uint64_t Context::special(const Wave &wave, const MicroOp &op, codeobject::SpecialSource which) const {
  using codeobject::SpecialSource;
  switch (which) {
  case SpecialSource::Scc:
    return wave.scc;
  case SpecialSource::Vccz:
    return wave.vcc() == 0;
  case SpecialSource::Execz:
    return wave.exec() == 0;
  case SpecialSource::SharedBase:
    return uint64_t(SharedAperture) << 32;
  case SpecialSource::SharedLimit:
    return uint64_t(SharedAperture) << 32 | 0xffffffffu;
  case SpecialSource::PrivateBase:
    return uint64_t(PrivateAperture) << 32;
  case SpecialSource::PrivateLimit:
    return uint64_t(PrivateAperture) << 32 | 0xffffffffu;
  case SpecialSource::PopsExitingWaveId:
  case SpecialSource::LdsDirect:
    break;
  }
  return 0;
}

} // namespace wavewright::emulator
