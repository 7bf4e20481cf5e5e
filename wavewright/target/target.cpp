//===- target/target.cpp - finding a chip, and what fits on it ------------------------------------===//
#include "wavewright/target/target.h"

#include "wavewright/target/tables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <tuple>

namespace wavewright {

std::string_view generationName(Generation generation) {
  switch (generation) {
  case Generation::Cdna3:
    return "CDNA3";
  case Generation::Cdna4:
    return "CDNA4";
  case Generation::Rdna3:
    return "RDNA3";
  case Generation::Rdna35:
    return "RDNA3.5";
  case Generation::Rdna4:
    return "RDNA4";
  case Generation::Cdna5:
    return "CDNA5";
  }
  return "?";
}

namespace {
struct DTypeRow {
  std::string_view name;
  unsigned bits;
};
/// In the order of DType. xf32 is f32 in memory: the matrix unit reads 19 of its bits.
constexpr DTypeRow dtypes[] = {{"f64", 64}, {"f32", 32}, {"f16", 16}, {"bf16", 16}, {"fp8", 8},  {"bf8", 8},
                               {"fp6", 6},  {"bf6", 6},  {"fp4", 4},  {"xf32", 32}, {"i32", 32}, {"i16", 16},
                               {"i8", 8},   {"i4", 4},   {"u32", 32}, {"u16", 16},  {"u8", 8},   {"i1", 1}};
static_assert(std::size(dtypes) == size_t(DType::I1) + 1);

constexpr const Target *targets[] = {&tables::gfx942,  &tables::gfx950,  &tables::gfx1100,
                                     &tables::gfx1151, &tables::gfx1201, &tables::gfx1250};
} // namespace

std::string_view dtypeName(DType dtype) { return dtypes[size_t(dtype)].name; }
unsigned dtypeBits(DType dtype) { return dtypes[size_t(dtype)].bits; }

llvm::ArrayRef<const Target *> allTargets() { return targets; }

const Target *findTargetByElfMachine(uint32_t mach) {
  auto found = llvm::find_if(targets, [&](const Target *target) { return target->elfMachine == mach; });
  return found == std::end(targets) ? nullptr : *found;
}

llvm::Expected<const Target *> findTarget(llvm::StringRef gfx) {
  // The engineering name of MI300; every product reports gfx942.
  llvm::StringRef name = gfx == "gfx940" ? llvm::StringRef("gfx942") : gfx;
  for (const Target *target : targets)
    if (name == llvm::StringRef(target->name))
      return target;

  // Among equally near chips the longer common beginning wins: gfx1200 is rather gfx1201 than gfx1100.
  auto commonPrefix = [&](llvm::StringRef other) {
    size_t length = 0;
    while (length < name.size() && length < other.size() && llvm::toLower(name[length]) == other[length])
      ++length;
    return length;
  };
  llvm::SmallVector<std::tuple<unsigned, size_t, unsigned>, 6> nearest; // distance, rest after the prefix, index
  for (auto [index, target] : llvm::enumerate(targets)) {
    llvm::StringRef other(target->name);
    nearest.push_back({name.edit_distance_insensitive(other), other.size() - commonPrefix(other), unsigned(index)});
  }
  llvm::sort(nearest);
  const Target &first = *targets[std::get<2>(nearest[0])], &second = *targets[std::get<2>(nearest[1])];
  std::string all;
  for (const Target *target : targets)
    all += fmt::format("{}{}", all.empty() ? "" : ", ", target->name);
  return fail(ErrorKind::Usage, fmt::format("unknown chip \"{}\": the nearest are {} ({}) and {} ({}); known are {}",
                                            gfx.str(), first.name, first.products, second.name, second.products, all));
}

const MatrixAtom *Target::findAtom(std::string_view name) const {
  auto found = llvm::find_if(atoms, [&](const MatrixAtom &atom) { return atom.name == name; });
  return found == atoms.end() ? nullptr : &*found;
}

Occupancy Target::occupancy(int vgprs, int sgprs, int ldsBytes, int groupSize, int requestedWaveSize) const {
  int lanes = requestedWaveSize ? requestedWaveSize : waveSize;
  if (lanes != waveSize && !(lanes == 32 && wave32) && !(lanes == 64 && wave64))
    return {0, "waves"};

  Occupancy best = {registers.maxWavesPerSimd, "waves"};
  auto limitTo = [&](int waves, std::string_view what) {
    if (waves < best.wavesPerSimd)
      best = {waves, what};
  };

  // A wave of twice the native size finds half as many registers, allocated in half the granule.
  int share = std::max(lanes / waveSize, 1);
  int allocated = llvm::alignTo(std::max(vgprs, 1), registers.vgprGranule / share);
  // Rounded up, the most that a wave may have is more: 256 of gfx11 are allocated as 264.
  int most = llvm::alignTo(registers.maxVgprsPerWave, registers.vgprGranule / share);
  limitTo(allocated > most ? 0 : registers.vgprsPerSimd / share / allocated, "VGPRs");

  // `sgprs` includes VCC and what else the descriptor reserves. LLVM divides without rounding to the granule: 100 are
  // eight waves of 800, 101 are seven.
  if (registers.sgprsPerSimd)
    limitTo(registers.sgprsPerSimd / std::max(sgprs, 1), "SGPRs");

  int wavesPerGroup = llvm::divideCeil(std::max(groupSize, 1), lanes);
  if (ldsBytes > lds.bytesPerGroup) {
    limitTo(0, "LDS");
  } else if (ldsBytes > 0) {
    int groups = lds.bytesPerUnit / int(llvm::alignTo(ldsBytes, lds.granule));
    limitTo(llvm::divideCeil(groups * wavesPerGroup, registers.simdsPerUnit), "LDS");
  }

  // All waves of a group must be resident at once.
  if (groupSize > maxWorkGroupSize || best.wavesPerSimd * registers.simdsPerUnit < wavesPerGroup)
    limitTo(0, "work-group size");
  return best;
}

} // namespace wavewright
