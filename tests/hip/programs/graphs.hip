// Graphs: captured from streams, with a fork and a join; built node by node; replayed and changed.
#include "check.h"

__global__ void fill(int *x, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = value;
}
__global__ void add(int *x, const int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += y[i];
}

int main() {
  constexpr int n = 100;
  int *a, *b, *pinned;
  HIP(hipMalloc(&a, n * sizeof(int)));
  HIP(hipMalloc(&b, n * sizeof(int)));
  HIP(hipHostMalloc(&pinned, n * sizeof(int)));
  HIP(hipMemset(a, 0, n * sizeof(int)));
  hipStream_t stream, side;
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamCreate(&side));
  hipEvent_t fork, join;
  HIP(hipEventCreate(&fork));
  HIP(hipEventCreate(&join));

  // a += 5 and b = 5, the second in another stream.
  hipGraph_t graph;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP(hipEventRecord(fork, stream));
  HIP(hipStreamWaitEvent(side, fork, 0));
  fill<<<1, 128, 0, side>>>(b, 5, n);
  HIP(hipEventRecord(join, side));
  HIP(hipStreamWaitEvent(stream, join, 0));
  add<<<1, 128, 0, stream>>>(a, b, n);
  HIP(hipMemcpyAsync(pinned, a, n * sizeof(int), hipMemcpyDeviceToHost, stream));
  hipStreamCaptureStatus status;
  HIP(hipStreamIsCapturing(side, &status));
  expect("the other stream captures too", status == hipStreamCaptureStatusActive);
  HIP(hipStreamEndCapture(stream, &graph));
  HIP(hipDeviceSynchronize());
  expect("capture runs nothing", pinned[0] == 0);
  size_t nodes = 0, edges = 0, roots = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  HIP(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  HIP(hipGraphGetRootNodes(graph, nullptr, &roots));
  expect("three nodes in a row", nodes == 3 && edges == 2 && roots == 1);
  hipGraphExec_t exec;
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 4; ++i)
    HIP(hipGraphLaunch(exec, stream));
  HIP(hipStreamSynchronize(stream));
  expect("four replays", pinned[0] == 20 && pinned[n - 1] == 20);

  // Another value in the kernel that fills.
  std::vector<hipGraphNode_t> list(nodes);
  HIP(hipGraphGetNodes(graph, list.data(), &nodes));
  int value = 100, size = n;
  void *arguments[] = {&b, &value, &size};
  hipKernelNodeParams kernel = {};
  kernel.func = (void *)fill;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(128);
  kernel.kernelParams = arguments;
  HIP(hipGraphExecKernelNodeSetParams(exec, list[0], &kernel));
  HIP(hipGraphLaunch(exec, stream));
  HIP(hipStreamSynchronize(stream));
  expect("changed kernel", pinned[0] == 120);
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));

  // memset -> kernel -> copy -> host function, added in another order than they depend on each other.
  HIP(hipGraphCreate(&graph, 0));
  hipGraphNode_t copied, cleared, added, told;
  HIP(hipGraphAddMemcpyNode1D(&copied, graph, nullptr, 0, pinned, a, n * sizeof(int), hipMemcpyDeviceToHost));
  hipMemsetParams zero = {};
  zero.dst = a, zero.elementSize = 4, zero.height = 1, zero.value = 3, zero.width = n;
  HIP(hipGraphAddMemsetNode(&cleared, graph, nullptr, 0, &zero));
  void *addArguments[] = {&a, &b, &size};
  kernel.func = (void *)add;
  kernel.kernelParams = addArguments;
  HIP(hipGraphAddKernelNode(&added, graph, &cleared, 1, &kernel));
  HIP(hipGraphAddDependencies(graph, &added, &copied, 1));
  static int seen = 0;
  hipHostNodeParams host = {[](void *data) { seen = *(int *)data; }, pinned};
  HIP(hipGraphAddHostNode(&told, graph, &copied, 1, &host));
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(exec, stream));
  HIP(hipStreamSynchronize(stream));
  expect("nodes by hand", seen == 103);
  // A circle cannot be instantiated; the message on stderr says so.
  HIP(hipGraphAddDependencies(graph, &told, &cleared, 1));
  hipGraphExec_t circle;
  expect("a circle is refused", hipGraphInstantiate(&circle, graph, nullptr, nullptr, 0) == hipErrorInvalidValue);
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));
  return finish("graphs");
}
