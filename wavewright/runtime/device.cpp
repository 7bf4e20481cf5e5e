#include "wavewright/runtime/device.h"

#include "wavewright/runtime/devices.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace wavewright::runtime {

std::vector<std::string> availableDevices() {
  std::vector<std::string> names;
  for (const Target *target : allTargets())
    if (target->emulated)
      names.push_back("emu:" + std::string(target->name));
  auto count = countHipDevices();
  if (!count) {
    llvm::consumeError(count.takeError());
    return names;
  }
  for (unsigned i = 0; i < *count; ++i)
    names.push_back(fmt::format("hip:{}", i));
  return names;
}

llvm::Expected<std::shared_ptr<Device>> openDevice(llvm::StringRef name) {
  auto refuse = [&](const std::string &why) {
    return fail(ErrorKind::Usage, fmt::format("no device \"{}\": {}; here work {}", name.str(), why,
                                              llvm::join(availableDevices(), ", ")));
  };
  auto [kind, which] = name.split(':');
  if (kind == "emu") {
    auto device = openEmulator(which);
    if (device)
      return device;
    return refuse(takeFailure(device.takeError()).message);
  }
  unsigned index = 0;
  if (kind == "hip") {
    if (which.getAsInteger(10, index))
      return refuse("hip: wants the number of a GPU after the colon, as in hip:0");
    auto device = openHip(index);
    if (device)
      return device;
    return refuse(takeFailure(device.takeError()).message);
  }
  return refuse("a device is emu:<chip> or hip:<number>");
}

llvm::Expected<std::shared_ptr<Buffer>> Device::wrapInPlace(void *host, uint64_t bytes, std::string label, bool) {
  return fail(ErrorKind::Launch,
              fmt::format("{} cannot use {} bytes of host memory at 0x{:x}{} in place; copy them", name(), bytes,
                          reinterpret_cast<uintptr_t>(host), label.empty() ? "" : " for " + label));
}

llvm::Error checkChip(const codeobject::CodeObject &object, const Target &target, const std::string &device) {
  if (object.target().name == target.name)
    return llvm::Error::success();
  return fail(ErrorKind::Launch,
              fmt::format("{} is for {}, the device {} is a {}; open emu:{}, or build for {}", object.name(),
                          object.target().name, device, target.name, object.target().name, target.name));
}

} // namespace wavewright::runtime
