//===- tests/unit/hip_kernels.h - HIP kernels compiled at test time, run on the built-in device ---===//
#pragma once

#include "wavewright/emulator/machine.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace hiptest {

using namespace wavewright;
using emulator::AddressSpace;
using emulator::LaunchConfig;
using emulator::LaunchOptions;
using emulator::LaunchStatistics;
using emulator::LoadedModule;

/// What a HIP header would bring, as far as the kernels here need it.
inline const char *prelude = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
typedef unsigned int u32; typedef unsigned long long u64; typedef long long i64; typedef _Float16 f16;
#define TID __builtin_amdgcn_workitem_id_x()
#define TIDY __builtin_amdgcn_workitem_id_y()
#define TIDZ __builtin_amdgcn_workitem_id_z()
#define BID __builtin_amdgcn_workgroup_id_x()
#define BIDY __builtin_amdgcn_workgroup_id_y()
#define BIDZ __builtin_amdgcn_workgroup_id_z()
__device__ inline void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define KERNEL extern "C" __global__ void
)";

struct Variant {
  std::string arch, opt;
  std::string extra; ///< "-mwavefrontsize64"
  std::string name() const {
    return arch + "_" + opt.substr(1) + (extra.find("64") != std::string::npos ? "_wave64" : "");
  }
};

inline void PrintTo(const Variant &v, std::ostream *os) { *os << v.name(); }

inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const char *opt : {"-O0", "-O3"}) {
    for (const char *arch : {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"})
      all.push_back({arch, opt, ""});
    for (const char *arch : {"gfx1100", "gfx1201"})
      all.push_back({arch, opt, "-mwavefrontsize64"});
  }
  return all;
}

inline std::vector<std::byte> readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::byte> out(bytes.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

/// Compiles once for each variant and test binary run.
inline std::shared_ptr<const codeobject::CodeObject> compile(const std::string &source, const Variant &v,
                                                             const std::string &flags = "") {
  std::string dir = ::testing::TempDir() + "wavewright-hip-XXXXXX";
  if (!mkdtemp(dir.data()))
    return nullptr;
  std::string in = dir + "/k.hip", out = dir + "/k.hsaco";
  std::ofstream(in) << prelude << source;
  std::string command = "clang++-22 -x hip --offload-arch=" + v.arch + " " + v.opt + " " + v.extra + " " + flags +
                        " -g1 --cuda-device-only -nogpulib -nogpuinc --no-gpu-bundle-output -Wno-everything " + in +
                        " -o " + out + " > " + dir + "/log 2>&1";
  int status = std::system(command.c_str());
  std::string log;
  if (status != 0) {
    std::ifstream text(dir + "/log");
    log.assign(std::istreambuf_iterator<char>(text), {});
  }
  std::vector<std::byte> bytes = status == 0 ? readFile(out) : std::vector<std::byte>{};
  std::filesystem::remove_all(dir);
  if (status != 0) {
    ADD_FAILURE() << command << "\n" << log;
    return nullptr;
  }
  auto object = codeobject::CodeObject::read(bytes, v.name() + ".hsaco");
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return nullptr;
  }
  return *object;
}

/// Kernel arguments in the order of the parameters, each at its natural alignment.
class Arguments {
public:
  template <class T> Arguments &add(T value) {
    while (bytes.size() % sizeof(T))
      bytes.push_back(std::byte(0));
    size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &value, sizeof(T));
    return *this;
  }
  std::span<const std::byte> span() const { return bytes; }

private:
  std::vector<std::byte> bytes;
};

/// One module with its own memory.
class Device {
public:
  explicit Device(std::shared_ptr<const codeobject::CodeObject> object) : object(std::move(object)) {
    auto loaded = LoadedModule::load(memory, this->object);
    if (!loaded)
      ADD_FAILURE() << llvm::toString(loaded.takeError());
    else
      module = *loaded;
  }
  template <class T> uint64_t wrap(std::vector<T> &data, std::string label = "") {
    auto address = memory.wrap(data.data(), data.size() * sizeof(T), std::move(label));
    return address ? *address : 0;
  }
  llvm::Expected<LaunchStatistics> launch(const char *name, LaunchConfig config, const Arguments &arguments,
                                          LaunchOptions options = {}) {
    auto kernel = object->kernel(name);
    if (!kernel)
      return kernel.takeError();
    return emulator::launch(*module, memory, **kernel, config, arguments.span(), options);
  }
  /// Launches and expects success.
  LaunchStatistics run(const char *name, LaunchConfig config, const Arguments &arguments, LaunchOptions options = {}) {
    auto statistics = launch(name, config, arguments, options);
    if (!statistics) {
      ADD_FAILURE() << llvm::toString(statistics.takeError());
      return {};
    }
    return *statistics;
  }
  /// Launches and gives the failure.
  Failure failure(const char *name, LaunchConfig config, const Arguments &arguments, LaunchOptions options = {}) {
    auto statistics = launch(name, config, arguments, options);
    if (statistics) {
      ADD_FAILURE() << "the launch succeeded";
      return Failure(ErrorKind::Usage, "");
    }
    return takeFailure(statistics.takeError(), ErrorKind::Usage);
  }

  std::shared_ptr<const codeobject::CodeObject> object;
  AddressSpace memory;
  std::shared_ptr<LoadedModule> module;
};

} // namespace hiptest
