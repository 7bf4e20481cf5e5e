//===- python/module/module.cpp - wavewright._core ------------------------------------------------===//
#include "bindings.h"

namespace wavewright::python {

NB_MODULE(_core, m) {
  m.doc() = "The compiled half of Wavewright: building IR, compiling it, devices";
  bindIr(m);
#ifdef WAVEWRIGHT_HAVE_RUNTIME
  bindRuntime(m);
  bindRaw(m);
  bindDebug(m);
#endif
}

} // namespace wavewright::python
