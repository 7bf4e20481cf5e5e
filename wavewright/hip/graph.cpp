//===- hip/graph.cpp - graphs: capture, building by hand, replay ----------------------------------===//
//
// A graph is a list of nodes with their dependencies. An executable graph is the same work in one order that respects
// them (that of the nodes' making, where there is a choice), so a replay is a walk over it.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/hip/state.h"

#include <fmt/format.h>

#include <algorithm>

using namespace wavewright;
using namespace wavewright::hip;

namespace {

Result noGraph(const void *graph) {
  return {hipErrorInvalidValue, fmt::format("0x{:x} is no live graph", reinterpret_cast<uintptr_t>(graph))};
}

/// Runs the body with the live graph; the mutex is held.
template <class Body> hipError_t withGraph(const char *function, hipGraph_t graph, Body body) {
  return api(function, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    return runtime.graphs.count(graph) ? body(runtime) : noGraph(graph);
  });
}

bool holds(const ihipGraph &graph, hipGraphNode_t node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto &own) { return own.get() == node; });
}

Result addNode(const char *function, hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
               size_t count, hipGraphNodeType type, Work work, std::unique_ptr<ihipGraph> child = nullptr) {
  return Result(withGraph(function, graph, [&](Runtime &) -> Result {
    if (!node || (count && !dependencies))
      return {hipErrorInvalidValue, "a pointer is null"};
    for (size_t i = 0; i < count; ++i)
      if (!holds(*graph, dependencies[i]))
        return {hipErrorInvalidValue, fmt::format("dependency {} is no node of the graph", i)};
    auto made = std::make_unique<hipGraphNode>();
    made->type = type;
    made->work = std::move(work);
    made->dependencies.assign(dependencies, dependencies + count);
    made->graph = graph;
    made->child = std::move(child);
    *node = made.get();
    graph->nodes.push_back(std::move(made));
    return {};
  }));
}

std::unique_ptr<ihipGraph> clone(const ihipGraph &graph) {
  auto copy = std::make_unique<ihipGraph>();
  std::map<const hipGraphNode *, hipGraphNode_t> twins;
  for (const auto &node : graph.nodes) {
    auto twin = std::make_unique<hipGraphNode>();
    twin->type = node->type;
    twin->work = node->work;
    twin->graph = copy.get();
    if (node->child)
      twin->child = clone(*node->child);
    twins[node.get()] = twin.get();
    copy->nodes.push_back(std::move(twin));
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (hipGraphNode_t dependency : graph.nodes[i]->dependencies)
      copy->nodes[i]->dependencies.push_back(twins[dependency]);
  return copy;
}

/// Appends the graph's work in order; false when its dependencies go round in a circle.
bool flatten(const ihipGraph &graph, std::vector<std::pair<hipGraphNode_t, Work>> &steps) {
  std::set<const hipGraphNode *> placed;
  while (placed.size() < graph.nodes.size()) {
    auto ready = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto &node) {
      return !placed.count(node.get()) &&
             std::all_of(node->dependencies.begin(), node->dependencies.end(),
                         [&](hipGraphNode_t dependency) { return placed.count(dependency); });
    });
    if (ready == graph.nodes.end())
      return false;
    placed.insert(ready->get());
    if ((*ready)->child) {
      if (!flatten(*(*ready)->child, steps))
        return false;
    } else {
      steps.emplace_back(ready->get(), (*ready)->work);
    }
  }
  return true;
}

Result kernelWork(Runtime &runtime, const hipKernelNodeParams *p, KernelWork &work) {
  if (!p)
    return {hipErrorInvalidValue, "the parameters are null"};
  std::shared_ptr<runtime::Function> function;
  if (Result result = findKernel(p->func, function); result.code != hipSuccess)
    return result;
  return makeKernelWork(runtime, function, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, p->extra, work);
}

Result fillWork(Runtime &runtime, const hipMemsetParams *p, FillWork &work) {
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return {hipErrorInvalidValue, p ? fmt::format("elements of {} bytes; they have 1, 2 or 4", p->elementSize)
                                    : std::string("the parameters are null")};
  return makeFill(runtime, p->dst, p->value, p->elementSize, p->width, std::max<size_t>(p->height, 1), p->pitch, work);
}

Result copyWork(Runtime &runtime, void *to, const void *from, size_t bytes, hipMemcpyKind kind, CopyWork &work) {
  bool toPageable;
  return makeCopy(runtime, {to, from, bytes, 1, 0, 0, kind}, false, work, toPageable);
}

/// Replaces the work of one step of an executable graph.
template <class Make> hipError_t replace(const char *function, hipGraphExec_t exec, hipGraphNode_t node, Make make) {
  return api(function, [&](Runtime &runtime) -> Result {
    {
      std::lock_guard guard(runtime.mutex);
      if (!runtime.graphExecs.count(exec))
        return noGraph(exec);
    }
    for (auto &[from, work] : exec->steps)
      if (from == node)
        return make(runtime, work);
    return {hipErrorInvalidValue, "the node is none of the executable graph"};
  });
}

template <class T> Result changeStep(Work &work, Result made, T changed, const char *kind) {
  if (made.code != hipSuccess)
    return made;
  if (!std::holds_alternative<T>(work))
    return {hipErrorInvalidValue, fmt::format("the node is no {} node", kind)};
  work = std::move(changed);
  return {};
}

} // namespace

// Capture --------------------------------------------------------------------------------------------

hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    ihipStream_t *stream = streamOf(runtime, handle);
    if (!stream)
      return {hipErrorInvalidHandle, fmt::format("0x{:x} is no live stream", reinterpret_cast<uintptr_t>(handle))};
    if (stream == &runtime.null)
      return {hipErrorStreamCaptureUnsupported, "the default stream cannot be captured; create one"};
    if (stream->capture)
      return {hipErrorIllegalState, "the stream is capturing already"};
    stream->capture = new ihipGraph();
    stream->origin = stream;
    stream->tail.clear();
    stream->captureBroken = false;
    return {};
  });
}

hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t *graph) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    ihipStream_t *stream = streamOf(runtime, handle);
    if (!stream || !stream->capture)
      return {stream ? hipErrorIllegalState : hipErrorInvalidHandle, "the stream is not capturing"};
    if (stream->origin != stream)
      return {hipErrorStreamCaptureUnmatched, "the capture began in another stream; end it there"};
    hipGraph_t captured = stream->capture;
    // Every node must be one that the origin's next node would come after.
    std::set<const hipGraphNode *> reached(stream->tail.begin(), stream->tail.end());
    for (size_t i = captured->nodes.size(); i-- > 0;)
      if (reached.count(captured->nodes[i].get()))
        reached.insert(captured->nodes[i]->dependencies.begin(), captured->nodes[i]->dependencies.end());
    bool joined = reached.size() == captured->nodes.size(), broken = false;
    for (hipStream_t other : runtime.streams)
      if (other->capture == captured) {
        broken |= other->captureBroken;
        other->capture = nullptr;
        other->origin = nullptr;
        other->tail.clear();
        other->captureBroken = false;
      }
    if (broken || !joined || !graph) {
      delete captured;
      if (graph)
        *graph = nullptr;
      return broken  ? Result(hipErrorStreamCaptureInvalidated, "a call during the capture could not be captured")
             : graph ? Result(hipErrorStreamCaptureUnjoined, "work of another stream was not waited for before the end")
                     : Result(hipErrorInvalidValue, "the pointer for the graph is null");
    }
    runtime.graphs.insert(captured);
    *graph = captured;
    return {};
  });
}

hipError_t hipStreamGetCaptureInfo(hipStream_t handle, hipStreamCaptureStatus *status, unsigned long long *id) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    ihipStream_t *stream = streamOf(runtime, handle);
    if (!stream || !status)
      return {stream ? hipErrorInvalidValue : hipErrorInvalidHandle, "the stream is not live, or a pointer is null"};
    *status = !stream->capture        ? hipStreamCaptureStatusNone
              : stream->captureBroken ? hipStreamCaptureStatusInvalidated
                                      : hipStreamCaptureStatusActive;
    if (id)
      *id = reinterpret_cast<uintptr_t>(stream->capture);
    return {};
  });
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  return hipStreamGetCaptureInfo(stream, status, nullptr);
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  static thread_local hipStreamCaptureMode current = hipStreamCaptureModeGlobal;
  if (!mode)
    return conclude(__func__, {hipErrorInvalidValue, "the pointer for the mode is null"});
  std::swap(*mode, current);
  return hipSuccess;
}

// Building -------------------------------------------------------------------------------------------

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!graph || flags)
      return {hipErrorInvalidValue, graph ? "flags must be 0" : "the pointer for the graph is null"};
    std::lock_guard guard(runtime.mutex);
    runtime.graphs.insert(*graph = new ihipGraph());
    return {};
  });
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  return withGraph(__func__, graph, [&](Runtime &runtime) -> Result {
    runtime.graphs.erase(graph);
    delete graph;
    return {};
  });
}
hipError_t hipGraphClone(hipGraph_t *copy, hipGraph_t graph) {
  return withGraph(__func__, graph, [&](Runtime &runtime) -> Result {
    if (!copy)
      return {hipErrorInvalidValue, "the pointer for the graph is null"};
    runtime.graphs.insert(*copy = clone(*graph).release());
    return {};
  });
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                 size_t count, const hipKernelNodeParams *parameters) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    KernelWork work;
    if (Result result = kernelWork(runtime, parameters, work); result.code != hipSuccess)
      return result;
    return addNode("hipGraphAddKernelNode", node, graph, dependencies, count, hipGraphNodeTypeKernel, std::move(work));
  });
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                   size_t count, void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    CopyWork work;
    if (Result result = copyWork(runtime, to, from, bytes, kind, work); result.code != hipSuccess)
      return result;
    return addNode("hipGraphAddMemcpyNode1D", node, graph, dependencies, count, hipGraphNodeTypeMemcpy, work);
  });
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                 size_t count, const hipMemsetParams *parameters) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    FillWork work;
    if (Result result = fillWork(runtime, parameters, work); result.code != hipSuccess)
      return result;
    return addNode("hipGraphAddMemsetNode", node, graph, dependencies, count, hipGraphNodeTypeMemset, work);
  });
}
hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                               const hipHostNodeParams *parameters) {
  if (!parameters || !parameters->fn)
    return conclude(__func__, {hipErrorInvalidValue, "the function is null"});
  HostWork work{[p = *parameters](hipError_t) { p.fn(p.userData); }};
  return addNode(__func__, node, graph, dependencies, count, hipGraphNodeTypeHost, std::move(work)).code;
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                size_t count) {
  return addNode(__func__, node, graph, dependencies, count, hipGraphNodeTypeEmpty, EmptyWork{}).code;
}
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                     size_t count, hipGraph_t child) {
  std::unique_ptr<ihipGraph> copy;
  if (hipError_t error = withGraph(__func__, child,
                                   [&](Runtime &) -> Result {
                                     copy = clone(*child);
                                     return {};
                                   });
      error != hipSuccess)
    return error;
  return addNode(__func__, node, graph, dependencies, count, hipGraphNodeTypeGraph, EmptyWork{}, std::move(copy)).code;
}

static hipError_t addEventNode(const char *function, hipGraphNode_t *node, hipGraph_t graph,
                               const hipGraphNode_t *dependencies, size_t count, hipEvent_t event, bool record) {
  std::shared_ptr<EventMark> mark;
  hipError_t error = api(function, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    if (!runtime.events.count(event))
      return {hipErrorInvalidHandle, "the event is not live"};
    if (!event->mark)
      event->mark = std::make_shared<EventMark>();
    mark = event->mark;
    return {};
  });
  if (error != hipSuccess)
    return error;
  return record
             ? addNode(function, node, graph, dependencies, count, hipGraphNodeTypeEventRecord, RecordWork{mark}).code
             : addNode(function, node, graph, dependencies, count, hipGraphNodeTypeWaitEvent, WaitWork{mark}).code;
}
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                      size_t count, hipEvent_t event) {
  return addEventNode(__func__, node, graph, dependencies, count, event, true);
}
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                    size_t count, hipEvent_t event) {
  return addEventNode(__func__, node, graph, dependencies, count, event, false);
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                   size_t count) {
  return withGraph(__func__, graph, [&](Runtime &) -> Result {
    for (size_t i = 0; i < count; ++i)
      if (!holds(*graph, from[i]) || !holds(*graph, to[i]))
        return {hipErrorInvalidValue, fmt::format("edge {} has an end outside of the graph", i)};
    for (size_t i = 0; i < count; ++i)
      to[i]->dependencies.push_back(from[i]);
    return {};
  });
}
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                      size_t count) {
  return withGraph(__func__, graph, [&](Runtime &) -> Result {
    for (size_t i = 0; i < count; ++i) {
      if (!holds(*graph, to[i]))
        return {hipErrorInvalidValue, fmt::format("edge {} has an end outside of the graph", i)};
      auto &list = to[i]->dependencies;
      list.erase(std::remove(list.begin(), list.end(), from[i]), list.end());
    }
    return {};
  });
}

/// The usual two calls: a null array asks for the count.
template <class Keep>
static hipError_t listNodes(const char *function, hipGraph_t graph, hipGraphNode_t *nodes, size_t *count, Keep keep) {
  return withGraph(function, graph, [&](Runtime &) -> Result {
    if (!count)
      return {hipErrorInvalidValue, "the pointer for the count is null"};
    size_t found = 0;
    for (const auto &node : graph->nodes)
      if (keep(*node)) {
        if (nodes && found < *count)
          nodes[found] = node.get();
        ++found;
      }
    *count = found;
    return {};
  });
}
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  return listNodes(__func__, graph, nodes, count, [](const hipGraphNode &) { return true; });
}
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  return listNodes(__func__, graph, nodes, count, [](const hipGraphNode &node) { return node.dependencies.empty(); });
}
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count) {
  return withGraph(__func__, graph, [&](Runtime &) -> Result {
    if (!count)
      return {hipErrorInvalidValue, "the pointer for the count is null"};
    size_t found = 0;
    for (const auto &node : graph->nodes)
      for (hipGraphNode_t dependency : node->dependencies) {
        if (from && to && found < *count) {
          from[found] = dependency;
          to[found] = node.get();
        }
        ++found;
      }
    *count = found;
    return {};
  });
}
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
  if (!node || !type)
    return conclude(__func__, {hipErrorInvalidValue, "a pointer is null"});
  *type = node->type;
  return hipSuccess;
}
hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  if (!node)
    return conclude(__func__, {hipErrorInvalidValue, "the node is null"});
  return withGraph(__func__, node->graph, [&](Runtime &) -> Result {
    auto &nodes = node->graph->nodes;
    for (auto &other : nodes) {
      auto &list = other->dependencies;
      list.erase(std::remove(list.begin(), list.end(), node), list.end());
    }
    nodes.erase(std::find_if(nodes.begin(), nodes.end(), [&](const auto &own) { return own.get() == node; }));
    return {};
  });
}

// Replay ---------------------------------------------------------------------------------------------

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long) {
  return withGraph(__func__, graph, [&](Runtime &runtime) -> Result {
    if (!exec)
      return {hipErrorInvalidValue, "the pointer for the executable graph is null"};
    auto made = std::make_unique<hipGraphExec>();
    if (!flatten(*graph, made->steps))
      return {hipErrorInvalidValue, "the dependencies of the graph go round in a circle"};
    runtime.graphExecs.insert(*exec = made.release());
    return {};
  });
}
hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *, char *, size_t) {
  return hipGraphInstantiateWithFlags(exec, graph, 0);
}
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    {
      std::lock_guard guard(runtime.mutex);
      if (!runtime.graphExecs.count(exec))
        return noGraph(exec);
    }
    for (const auto &[node, work] : exec->steps)
      if (Result result = runtime.submit(stream, work, hipGraphNodeTypeGraph); result.code != hipSuccess)
        return result;
    return {};
  });
}
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    return runtime.graphExecs.count(exec) ? Result() : noGraph(exec);
  });
}
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    if (!runtime.graphExecs.erase(exec))
      return noGraph(exec);
    delete exec;
    return {};
  });
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams *parameters) {
  return replace(__func__, exec, node, [&](Runtime &runtime, Work &work) {
    KernelWork changed;
    Result made = kernelWork(runtime, parameters, changed);
    return changeStep(work, std::move(made), std::move(changed), "kernel");
  });
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to, const void *from,
                                             size_t bytes, hipMemcpyKind kind) {
  return replace(__func__, exec, node, [&](Runtime &runtime, Work &work) {
    CopyWork changed;
    Result made = copyWork(runtime, to, from, bytes, kind, changed);
    return changeStep(work, std::move(made), std::move(changed), "memcpy");
  });
}
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams *parameters) {
  return replace(__func__, exec, node, [&](Runtime &runtime, Work &work) {
    FillWork changed;
    Result made = fillWork(runtime, parameters, changed);
    return changeStep(work, std::move(made), std::move(changed), "memset");
  });
}
