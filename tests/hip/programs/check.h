// What the programs share: a failing HIP call ends the program; a result is held against its bound.
#pragma once

#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define HIP(call)                                                                                                      \
  do {                                                                                                                 \
    hipError_t error_ = (call);                                                                                        \
    if (error_ != hipSuccess) {                                                                                        \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_));                                   \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

__attribute__((unused)) static int failures = 0;

__attribute__((unused)) static void expect(const char *what, double error, double bound) {
  bool good = error <= bound;
  failures += !good;
  printf("%s: error %.3g, bound %.3g: %s\n", what, error, bound, good ? "ok" : "FAILED");
}
__attribute__((unused)) static void expect(const char *what, bool good) {
  failures += !good;
  printf("%s: %s\n", what, good ? "ok" : "FAILED");
}

/// FNV over the bytes: tests compare it between numbers of threads.
template <class T> __attribute__((unused)) static void digest(const std::vector<T> &values) {
  unsigned long long hash = 14695981039346656037ull;
  auto *bytes = reinterpret_cast<const unsigned char *>(values.data());
  for (size_t i = 0; i < values.size() * sizeof(T); ++i)
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  printf("digest %016llx\n", hash);
}

__attribute__((unused)) static int finish(const char *name) {
  printf("%s: %s\n", name, failures ? "FAILED" : "passed");
  return failures ? 1 : 0;
}

/// A small generator of reproducible numbers (splitmix64).
__attribute__((unused)) static unsigned long long seed_ = 1;
__attribute__((unused)) static unsigned randomBits() {
  unsigned long long z = seed_ += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return unsigned((z ^ z >> 31) >> 16);
}
__attribute__((unused)) static float randomFloat() { return float(randomBits() >> 8) / 8388608.f - 1; }

/// Device memory with the contents of a vector.
template <class T> struct Device {
  T *pointer = nullptr;
  size_t count;
  explicit Device(size_t count) : count(count) {
    HIP(hipMalloc(&pointer, count * sizeof(T)));
    HIP(hipMemset(pointer, 0, count * sizeof(T)));
  }
  explicit Device(const std::vector<T> &host) : count(host.size()) {
    HIP(hipMalloc(&pointer, count * sizeof(T)));
    HIP(hipMemcpy(pointer, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Device() { (void)hipFree(pointer); }
  operator T *() const { return pointer; }
  std::vector<T> read() const {
    std::vector<T> host(count);
    HIP(hipMemcpy(host.data(), pointer, count * sizeof(T), hipMemcpyDeviceToHost));
    return host;
  }
};
