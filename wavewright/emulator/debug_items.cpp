//===- emulator/debug_items.cpp - names of registers, and events as text --------------------------===//
#include "wavewright/emulator/debug.h"

#include "wavewright/emulator/wave.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace wavewright::emulator {

namespace scalar = codeobject::scalar;
using Bank = StateItem::Bank;

namespace {

struct NamedItem {
  const char *name;
  StateItem item;
};
const NamedItem namedItems[] = {
    {"vcc", {Bank::Mask, scalar::VccLo, 1}},
    {"exec", {Bank::Mask, scalar::ExecLo, 1}},
    {"vcc_lo", {Bank::Scalar, scalar::VccLo, 1}},
    {"vcc_hi", {Bank::Scalar, scalar::VccHi, 1}},
    {"exec_lo", {Bank::Scalar, scalar::ExecLo, 1}},
    {"exec_hi", {Bank::Scalar, scalar::ExecHi, 1}},
    {"m0", {Bank::Scalar, scalar::M0, 1}},
    {"null", {Bank::Scalar, scalar::Null, 1}},
    {"scc", {Bank::Scc, 0, 1}},
    {"mode", {Bank::Mode, 0, 1}},
    {"pc", {Bank::Pc, 0, 1}},
};

/// Numbered files, the longest prefix first.
struct File {
  llvm::StringRef prefix;
  Bank bank;
  uint32_t base, count;
};
const File files[] = {{"ttmp", Bank::Scalar, scalar::Ttmp0, 16},
                      {"v", Bank::Vgpr, 0, 256},
                      {"a", Bank::Agpr, 0, 256},
                      {"s", Bank::Scalar, 0, scalar::VccLo}};

std::optional<StateItem> parseOne(llvm::StringRef text) {
  for (const NamedItem &named : namedItems)
    if (text == named.name)
      return named.item;
  for (auto [name, bank] : {std::pair("lds", Bank::Lds), std::pair("scratch", Bank::Scratch)}) {
    llvm::StringRef rest = text;
    if (!rest.consume_front(name))
      continue;
    uint32_t first, last;
    if (!rest.consume_front("[") || !rest.consume_back("]"))
      return std::nullopt;
    auto [low, high] = rest.split(':');
    if (low.getAsInteger(0, first) || high.getAsInteger(0, last) || last <= first)
      return std::nullopt;
    return StateItem{bank, first, last - first};
  }
  for (const File &file : files) {
    llvm::StringRef rest = text;
    if (!rest.consume_front(file.prefix))
      continue;
    llvm::StringRef low, high;
    if (rest.consume_front("[") && rest.consume_back("]")) {
      std::tie(low, high) = rest.split(':');
    } else {
      std::tie(low, high) = rest.split('-');
      if (!high.empty() && !high.consume_front(file.prefix))
        return std::nullopt;
    }
    uint32_t first, last;
    if (low.getAsInteger(10, first))
      return std::nullopt;
    last = first;
    if (!high.empty() && high.getAsInteger(10, last))
      return std::nullopt;
    if (last < first || last >= file.count)
      return std::nullopt;
    return StateItem{file.bank, file.base + first, last - first + 1};
  }
  return std::nullopt;
}

} // namespace

std::string StateItem::name(uint32_t i) const {
  switch (bank) {
  case Bank::Vgpr:
    return fmt::format("v{}", first + i);
  case Bank::Agpr:
    return fmt::format("a{}", first + i);
  case Bank::Lds:
    return fmt::format("lds[{}:{}]", first, first + count);
  case Bank::Scratch:
    return fmt::format("scratch[{}:{}]", first, first + count);
  case Bank::Scalar:
    if (first + i < scalar::VccLo)
      return fmt::format("s{}", first + i);
    if (first + i >= scalar::Ttmp0 && first + i < scalar::Ttmp0 + 16)
      return fmt::format("ttmp{}", first + i - scalar::Ttmp0);
    break;
  default:
    break;
  }
  for (const NamedItem &named : namedItems)
    if (named.item.bank == bank && named.item.first == first + i)
      return named.name;
  return "?";
}

llvm::Expected<std::vector<StateItem>> parseItems(llvm::StringRef text) {
  std::vector<StateItem> items;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto item = parseOne(part.trim());
    if (!item)
      return fail(ErrorKind::Usage,
                  fmt::format("\"{}\" is nothing that can be shown; there are v0-v15, a0, s0-s7, ttmp9, vcc, exec, m0, "
                              "scc, mode, pc, lds[0:256] and scratch[0:16], with commas between",
                              part.trim().str()));
    items.push_back(*item);
  }
  return items;
}

std::vector<StateItem> singleItems(const std::vector<StateItem> &items) {
  std::vector<StateItem> result;
  for (const StateItem &item : items) {
    if (item.bank == Bank::Lds || item.bank == Bank::Scratch) {
      result.push_back(item);
      continue;
    }
    for (uint32_t i = 0; i < item.count; ++i)
      result.push_back({item.bank, item.first + i, 1});
  }
  return result;
}

// Text -----------------------------------------------------------------------------------------------------

namespace {

/// The bits, and the float that they would be where that is a plain number.
std::string word(uint32_t bits) {
  float number = std::bit_cast<float>(bits);
  if (std::isfinite(number) && std::fabs(number) >= 1e-6f && std::fabs(number) < 1e9f)
    return fmt::format("{:08x} ({:g})", bits, number);
  return fmt::format("{:08x}", bits);
}

bool allAlike(const std::vector<uint64_t> &values) {
  return std::all_of(values.begin(), values.end(), [&](uint64_t v) { return v == values.front(); });
}

std::string vectorText(const std::vector<uint64_t> &values) {
  if (allAlike(values))
    return "every lane " + word(uint32_t(values.front()));
  std::string text;
  for (size_t lane = 0; lane < values.size(); ++lane) {
    if (lane % 8 == 0)
      text += fmt::format("\n      {:>2}:", lane);
    text += fmt::format(" {:08x}", values[lane]);
  }
  return text;
}

std::string bytesText(const std::vector<std::byte> &bytes, uint32_t first) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % 32 == 0)
      text += fmt::format("\n    {:>6}:", first + i);
    text += fmt::format("{}{:02x}", i % 4 ? "" : " ", unsigned(bytes[i]));
  }
  return text;
}

std::string scalarText(const StateItem &item, uint64_t value, unsigned lanes) {
  if (item.bank == Bank::Mask)
    return fmt::format("{:0{}x}", value, lanes / 4);
  if (item.bank == Bank::Pc)
    return fmt::format("0x{:x}", value);
  if (item.bank == Bank::Scc)
    return fmt::format("{}", value);
  return word(uint32_t(value));
}

std::string changeText(const StateChange &c, unsigned lanes) {
  std::string text;
  if (c.before.size() == 1) {
    return fmt::format("    {:<8} {} -> {}\n", c.item.name(), scalarText(c.item, c.before[0], lanes),
                       scalarText(c.item, c.now[0], lanes));
  }
  if (c.item.bank == Bank::Lds) {
    std::vector<std::byte> before, now;
    for (size_t i = 0; i < c.before.size(); ++i)
      before.push_back(std::byte(c.before[i])), now.push_back(std::byte(c.now[i]));
    return fmt::format("    {} was{}\n      is{}\n", c.item.name(), bytesText(before, c.item.first),
                       bytesText(now, c.item.first));
  }
  // Lanes that changed in the same way stand together.
  std::vector<bool> told(c.before.size());
  for (size_t lane = 0; lane < c.before.size(); ++lane) {
    if (told[lane] || !(c.lanes >> lane & 1))
      continue;
    std::string list;
    for (size_t other = lane; other < c.before.size();) {
      auto same = [&](size_t l) {
        return l < c.before.size() && (c.lanes >> l & 1) && c.before[l] == c.before[lane] && c.now[l] == c.now[lane];
      };
      if (!same(other)) {
        ++other;
        continue;
      }
      size_t last = other;
      while (same(last + 1))
        ++last;
      for (size_t l = other; l <= last; ++l)
        told[l] = true;
      list += list.empty() ? "" : ",";
      list += other == last ? fmt::format("{}", other) : fmt::format("{}-{}", other, last);
      other = last + 1;
    }
    text += fmt::format("    {:<8} lane{} {}: {} -> {}\n", c.item.name(),
                        list.find_first_of(",-") == std::string::npos ? "" : "s", list, word(uint32_t(c.before[lane])),
                        word(uint32_t(c.now[lane])));
  }
  return text;
}

} // namespace

std::string formatValue(const StateValue &v, unsigned lanes) {
  std::string text = fmt::format("    {:<8} ", v.item.name());
  if (v.item.bank == Bank::Lds || v.item.bank == Bank::Scratch) {
    text = fmt::format("    {}", v.item.name());
    if (v.item.bank == Bank::Lds)
      return text + bytesText(v.bytes, v.item.first) + "\n";
    for (size_t lane = 0; lane * v.item.count < v.bytes.size(); ++lane)
      text += fmt::format("\n      lane {}:", lane) + bytesText({v.bytes.begin() + long(lane * v.item.count),
                                                                 v.bytes.begin() + long((lane + 1) * v.item.count)},
                                                                v.item.first);
    return text + "\n";
  }
  return text + (v.perLane ? vectorText(v.values) : scalarText(v.item, v.values.front(), lanes)) + "\n";
}

std::string formatEvent(const DebugEvent &e) {
  std::string where = e.place ? "  " + e.place.str() : "";
  std::string text = fmt::format(
      "{}({},{},{}) wave {}  {:>6x}: {}{}\n",
      e.kind == DebugEvent::Kind::Break ? fmt::format("break at {} in {}: ", e.breakpoint, e.kernel) : std::string(),
      e.group.x, e.group.y, e.group.z, e.wave, e.address, e.instruction, where);
  for (const StateValue &v : e.values)
    text += formatValue(v, e.lanes);
  for (const StateChange &c : e.changes)
    text += changeText(c, e.lanes);
  return text;
}

} // namespace wavewright::emulator
