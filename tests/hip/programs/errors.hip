// One misuse a run: prints what HIP gives back; the message goes to stderr.
#include "check.h"
#include <string.h>

__device__ int variable[4];
__global__ void write(int *x, int at) { x[at] = 1; }
__global__ void __launch_bounds__(64) narrow(int *x) { *x = 1; }
__global__ void trap() { __builtin_trap(); }

static void say(const char *what, hipError_t error) { printf("%s: %s\n", what, hipGetErrorName(error)); }

static int pointer() {
  int *x, *y;
  HIP(hipMalloc(&x, 16));
  write<<<1, 1>>>(x, 5);
  say("launch", hipGetLastError());
  say("synchronise", hipDeviceSynchronize());
  say("later", hipMalloc(&y, 16));
  say("last", hipGetLastError());
  say("last", hipGetLastError());
  say("reset", hipDeviceReset());
  HIP(hipMalloc(&x, 16));
  write<<<1, 1>>>(x, 3);
  say("again", hipDeviceSynchronize());
  return 0;
}
static int hostPointer() {
  int own = 0;
  write<<<1, 1>>>(&own, 0);
  say("a host's variable", hipDeviceSynchronize());
  return 0;
}
static int trapped() {
  trap<<<1, 1>>>();
  say("trap", hipDeviceSynchronize());
  return 0;
}
static int copies() {
  Device<char> x(100);
  std::vector<char> host(200);
  say("too much", hipMemcpy(x, host.data(), 101, hipMemcpyHostToDevice));
  say("too far", hipMemcpy(host.data(), x + 60, 50, hipMemcpyDeviceToHost));
  say("no device memory", hipMemcpy(host.data(), host.data() + 100, 10, hipMemcpyHostToDevice));
  say("null", hipMemcpy(nullptr, x, 10, hipMemcpyDeviceToHost));
  say("direction", hipMemcpy(host.data(), x, 10, (hipMemcpyKind)9));
  say("pitch", hipMemcpy2D(x, 5, host.data(), 20, 10, 4, hipMemcpyHostToDevice));
  say("set", hipMemset(x + 90, 0, 11));
  int four[5] = {};
  say("symbol", hipMemcpyToSymbol(HIP_SYMBOL(variable), four, 20));
  say("no symbol", hipMemcpyToSymbol((const void *)&host, four, 4));
  return 0;
}
static int memory() {
  void *x;
  say("1 EiB", hipMalloc(&x, 1ull << 60));
  say("pinned", hipHostMalloc(&x, 1ull << 60));
  HIP(hipMalloc(&x, 64));
  say("middle", hipFree((char *)x + 8));
  say("free", hipFree(x));
  say("twice", hipFree(x));
  int own[4];
  HIP(hipHostRegister(own, sizeof(own), 0));
  say("registered twice", hipHostRegister(own + 1, 8, 0));
  say("unregister", hipHostUnregister(own));
  say("not registered", hipHostUnregister(own));
  return 0;
}
static int configuration() {
  Device<int> x(1);
  write<<<1, 2048>>>(x, 0);
  say("2048 work-items", hipGetLastError());
  write<<<0, 64>>>(x, 0);
  say("no groups", hipGetLastError());
  write<<<1, 64, 1 << 20>>>(x, 0);
  say("1 MiB of LDS", hipGetLastError());
  narrow<<<1, 128>>>(x);
  say("launch bounds", hipGetLastError());
  int *pointer = x, at = 0;
  void *arguments[] = {&pointer, &at};
  say("cooperative", hipLaunchCooperativeKernel(write, dim3(1 << 20), dim3(64), arguments, 0, nullptr));
  say("not a kernel", hipLaunchKernel((const void *)&at, dim3(1), dim3(1), arguments, 0, nullptr));
  say("no arguments", hipLaunchKernel(write, dim3(1), dim3(1), nullptr, 0, nullptr));
  return 0;
}
static int handles() {
  int something[64] = {};
  say("stream", hipStreamSynchronize((hipStream_t)something));
  say("event", hipEventRecord((hipEvent_t)something, nullptr));
  say("module", hipModuleUnload((hipModule_t)something));
  say("graph", hipGraphDestroy((hipGraph_t)something));
  say("device", hipSetDevice(3));
  HIP(hipLaunchHostFunc(nullptr, [](void *) { say("wait in a host function", hipDeviceSynchronize()); }, nullptr));
  HIP(hipDeviceSynchronize());
  hipEvent_t event;
  float time;
  HIP(hipEventCreate(&event));
  say("unrecorded", hipEventElapsedTime(&time, event, event));
  return 0;
}
static int capture() {
  hipStream_t stream, side;
  hipGraph_t graph;
  hipEvent_t event;
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamCreate(&side));
  HIP(hipEventCreate(&event));
  Device<int> x(1);
  say("default stream", hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  say("begin twice", hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  say("synchronise", hipStreamSynchronize(stream));
  say("end", hipStreamEndCapture(stream, &graph));
  say("end twice", hipStreamEndCapture(stream, &graph));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP(hipEventRecord(event, stream));
  HIP(hipStreamWaitEvent(side, event, 0));
  write<<<1, 1, 0, side>>>(x, 0);
  say("not joined", hipStreamEndCapture(stream, &graph));
  return 0;
}
static int modules(const char *path) {
  hipModule_t module;
  hipFunction_t function;
  hipDeviceptr_t global;
  size_t bytes;
  say("file", hipModuleLoad(&module, "/nowhere/x.hsaco"));
  std::vector<char> garbage(256, 'x');
  say("garbage", hipModuleLoadData(&module, garbage.data()));
  hipError_t loaded = hipModuleLoad(&module, path);
  say("load", loaded);
  if (loaded != hipSuccess)
    return 0;
  say("function", hipModuleGetFunction(&function, module, "missing"));
  say("global", hipModuleGetGlobal(&global, &bytes, module, "missing"));
  HIP(hipModuleGetFunction(&function, module, "scale"));
  char little[8] = {};
  size_t size = sizeof(little);
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, little, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  say("short arguments", hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  return 0;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  const struct {
    const char *name;
    int (*run)();
  } modes[] = {{"pointer", pointer}, {"host", hostPointer}, {"trap", trapped}, {"copies", copies}, {"memory", memory},
               {"configuration", configuration}, {"handles", handles}, {"capture", capture}};
  for (const auto &m : modes)
    if (!strcmp(m.name, mode))
      return m.run();
  if (argc > 2)
    return modules(argv[2]);
  int count = -1;
  hipError_t error = hipGetDeviceCount(&count);
  printf("%d devices: %s\n", count, hipGetErrorName(error));
  return 0;
}
