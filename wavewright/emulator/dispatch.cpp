//===- emulator/dispatch.cpp - the semantics that suit this host ----------------------------------===//
#include "wavewright/emulator/code.h"
#include "wavewright/emulator/semantics/scalar/scalar.h"

#include <array>
#include <unordered_map>

namespace wavewright::emulator {

#define WAVEWRIGHT_LEVEL(NAMESPACE)                                                                                    \
  namespace NAMESPACE {                                                                                                \
  extern const SemanticsLevel level;                                                                                   \
  }
WAVEWRIGHT_LEVELS
#undef WAVEWRIGHT_LEVEL

#if defined(__x86_64__)
static bool supported(std::string_view name) {
  __builtin_cpu_init();
  if (name == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
  if (name == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3");
  return true;
}
#else
static bool supported(std::string_view) { return true; }
#endif

/// The levels are listed from the least to the best.
const SemanticsLevel &semanticsLevel() {
  static const SemanticsLevel &chosen = []() -> const SemanticsLevel & {
    const SemanticsLevel *best = nullptr;
#define WAVEWRIGHT_LEVEL(NAMESPACE)                                                                                    \
  if (!best || supported(NAMESPACE::level.name))                                                                       \
    best = &NAMESPACE::level;
    WAVEWRIGHT_LEVELS
#undef WAVEWRIGHT_LEVEL
    return *best;
  }();
  return chosen;
}

const Semantics *findSemantics(std::string_view name, Generation generation) {
  static constexpr unsigned generations = 8;
  using Row = std::array<const Semantics *, generations>;
  static const std::unordered_map<std::string_view, Row> table = [] {
    std::unordered_map<std::string_view, Row> built;
    auto add = [&](llvm::ArrayRef<Semantics> family) {
      for (const Semantics &s : family)
        for (unsigned g = 0; g < generations; ++g)
          if (s.chips >> g & 1)
            built.try_emplace(s.name, Row{}).first->second[g] = &s;
    };
    const SemanticsLevel &level = semanticsLevel();
    for (unsigned i = 0; i < level.familyCount; ++i)
      add(level.families[i]());
    add(scalar_semantics::saluFamily());
    add(scalar_semantics::scalarFloatFamily());
    add(scalar_semantics::scalarMemoryFamily());
    add(scalar_semantics::controlFamily());
    return built;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second[unsigned(generation)];
}

} // namespace wavewright::emulator
