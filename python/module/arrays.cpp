//===- python/module/arrays.cpp - arrays of other libraries, and the chips' names -----------------===//
#include "bindings.h"

#include "wavewright/target/target.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace wavewright::python {

namespace {

/// An array that speaks DLPack; the exporter's memory lives as long as this does.
struct DLPackView {
  nb::ndarray<nb::ro> array;
  bool readonly;

  nb::tuple extents(bool strides) const {
    nb::list result;
    for (size_t i = 0; i < array.ndim(); ++i)
      result.append(strides ? array.stride(i) : static_cast<int64_t>(array.shape(i)));
    return nb::tuple(result);
  }
};

/// One that cannot be had writable is read-only.
DLPackView view(nb::handle array) {
  nb::ndarray<> writable;
  if (nb::try_cast(array, writable))
    return {nb::ndarray<nb::ro>(writable), false};
  return {nb::cast<nb::ndarray<nb::ro>>(array), true};
}

} // namespace

void bindArrays(nb::module_ &m) {
  nb::class_<DLPackView>(m, "DLPackView", "An array that speaks DLPack, as it lies in memory")
      .def_prop_ro("pointer", [](const DLPackView &self) { return reinterpret_cast<uintptr_t>(self.array.data()); })
      .def_prop_ro("code", [](const DLPackView &self) { return int(self.array.dtype().code); })
      .def_prop_ro("bits", [](const DLPackView &self) { return int(self.array.dtype().bits); })
      .def_prop_ro("lanes", [](const DLPackView &self) { return int(self.array.dtype().lanes); })
      .def_prop_ro("device_type", [](const DLPackView &self) { return self.array.device_type(); })
      .def_prop_ro("shape", [](const DLPackView &self) { return self.extents(false); })
      .def_prop_ro("strides", [](const DLPackView &self) { return self.extents(true); }, "In elements")
      .def_ro("readonly", &DLPackView::readonly);
  m.def("dlpack", &view, "array"_a, "The DLPack view of an array; TypeError where it has none");
  m.def("chip", [](const std::string &name) {
          return std::string(unwrap(findTarget(name), ErrorKind::Usage)->name);
        }, "name"_a, "A chip's own name; UsageError names the nearest ones");
}

} // namespace wavewright::python
