//===- python/module/ir.cpp - building MLIR from Python -------------------------------------------===//
//
// Just enough for a tracer: types and attributes from text (cached), operations by name, blocks and regions that are
// built first and moved into their operation when what it returns is known. Every handle shares the module's state,
// so none dangles.
//
//===----------------------------------------------------------------------------------------------===//
#include "bindings.h"

#include "wavewright/ir/hk.h"
#include "wavewright/ir/rocke.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <nanobind/operators.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#ifdef WAVEWRIGHT_HAVE_CODEGEN
#include "wavewright/codegen/compile.h"
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace wavewright::python {

//===----------------------------------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------------------------------===//

nb::object errorObject(const Failure &failure) {
  nb::object cls = nb::module_::import_("wavewright.errors").attr(std::string(errorKindName(failure.kind)).c_str());
  nb::object place = nb::none();
  if (failure.place)
    place = nb::make_tuple(failure.place.file, failure.place.line, failure.place.column);
  return cls(failure.message, place);
}

void raise(const Failure &failure) {
  nb::object error = errorObject(failure);
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

void raise(llvm::Error error, ErrorKind kind) { raise(takeFailure(std::move(error), kind)); }

static SourcePlace placeOf(mlir::Location location) {
  SourcePlace place;
  location->walk([&](mlir::Location inner) {
    auto file = llvm::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file)
      return mlir::WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return mlir::WalkResult::interrupt();
  });
  return place;
}

namespace {

/// Collects what MLIR says while it lives; `fail` raises the first error with its notes.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return mlir::success();
          if (text.empty())
            place = placeOf(diagnostic.getLocation());
          text += (text.empty() ? "" : "\n") + diagnostic.str();
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            text += "\n  " + note.str();
          return mlir::success();
        }) {}

  [[noreturn]] void fail(ErrorKind kind, const std::string &fallback) {
    raise(Failure(kind, text.empty() ? fallback : text, place));
  }

private:
  std::string text;
  SourcePlace place;
  mlir::ScopedDiagnosticHandler handler;
};

struct Type {
  std::shared_ptr<Context> context;
  mlir::Type type;
};
struct Attribute {
  std::shared_ptr<Context> context;
  mlir::Attribute attribute;
};
struct Location {
  std::shared_ptr<Context> context;
  mlir::Location location;
};
struct Value {
  std::shared_ptr<ModuleState> state;
  mlir::Value value;
};
struct Block {
  std::shared_ptr<ModuleState> state;
  mlir::Block *block;
};
struct Operation {
  std::shared_ptr<ModuleState> state;
  mlir::Operation *op;
};

/// A region with one block that is not in an operation yet, or is (then `owned` is null).
struct Region {
  std::shared_ptr<ModuleState> state;
  mlir::Region *region;
};

template <typename T> std::string text(T &printable) {
  std::string result;
  llvm::raw_string_ostream os(result);
  printable.print(os);
  return result;
}

} // namespace

//===----------------------------------------------------------------------------------------------===//
// Contexts and modules
//===----------------------------------------------------------------------------------------------===//

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registry
      .insert<hk::HkDialect, rocke::RockeDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
              mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect, mlir::LLVM::LLVMDialect>();
#ifdef WAVEWRIGHT_HAVE_CODEGEN
  codegen::registerDialects(registry);
#endif
  return registry;
}

Context::Context() : mlir(makeRegistry()) { mlir.loadAllAvailableDialects(); }

ModuleState::~ModuleState() {
  for (std::unique_ptr<mlir::Region> &region : detached)
    region->dropAllReferences();
  detached.clear();
}

Module Module::clone() const {
  auto copy = std::make_shared<ModuleState>();
  copy->context = state->context;
  copy->op = op().clone();
  return {std::move(copy)};
}

std::string print(mlir::ModuleOp module, bool locations) {
  mlir::OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, /*prettyForm=*/false);
  std::string result;
  llvm::raw_string_ostream os(result);
  module->print(os, flags);
  os << "\n";
  return result;
}

static Module createModule(std::shared_ptr<Context> context, const Location &location) {
  auto state = std::make_shared<ModuleState>();
  state->context = std::move(context);
  state->op = mlir::ModuleOp::create(location.location);
  return {std::move(state)};
}

static Module parseModule(std::shared_ptr<Context> context, const std::string &source, const std::string &name) {
  Diagnostics diagnostics(context->mlir);
  mlir::OwningOpRef<mlir::ModuleOp> op =
      mlir::parseSourceString<mlir::ModuleOp>(source, mlir::ParserConfig(&context->mlir), name);
  if (!op)
    diagnostics.fail(ErrorKind::Verify, "the module does not parse");
  auto state = std::make_shared<ModuleState>();
  state->context = std::move(context);
  state->op = std::move(op);
  return {std::move(state)};
}

static void verifyModule(const Module &module) {
  Diagnostics diagnostics(module.state->context->mlir);
  if (failed(mlir::verify(module.op())))
    diagnostics.fail(ErrorKind::Verify, "the module does not verify");
}

static Type parseType(const std::shared_ptr<Context> &context, const std::string &source) {
  Diagnostics diagnostics(context->mlir);
  mlir::Type type = mlir::parseType(source, &context->mlir);
  if (!type)
    diagnostics.fail(ErrorKind::Verify, "'" + source + "' is no type");
  return {context, type};
}

static Attribute parseAttribute(const std::shared_ptr<Context> &context, const std::string &source) {
  Diagnostics diagnostics(context->mlir);
  mlir::Attribute attribute = mlir::parseAttribute(source, &context->mlir);
  if (!attribute)
    diagnostics.fail(ErrorKind::Verify, "'" + source + "' is no attribute");
  return {context, attribute};
}

static Location makeLocation(const std::shared_ptr<Context> &context, const std::string &file, unsigned line,
                             unsigned column, const Location *caller) {
  mlir::Location location = mlir::FileLineColLoc::get(&context->mlir, file, line, column);
  if (caller)
    location = mlir::CallSiteLoc::get(location, caller->location);
  return {context, location};
}

//===----------------------------------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------------------------------===//

static Region newRegion(const Module &module) {
  module.state->detached.push_back(std::make_unique<mlir::Region>());
  mlir::Region *region = module.state->detached.back().get();
  region->push_back(new mlir::Block());
  return {module.state, region};
}

/// A region that a retraced loop does not want: its uses of values outside go, its memory stays.
static void discardRegion(const Region &region) { region.region->dropAllReferences(); }

/// Arguments whose index is not in `kept` go; what used them uses `replacements` (one an argument) instead.
static void keepArguments(const Region &region, const std::vector<bool> &kept, const std::vector<Value> &replacements,
                          unsigned first) {
  mlir::Block &block = region.region->front();
  llvm::BitVector gone(block.getNumArguments());
  for (auto [index, keep] : llvm::enumerate(kept)) {
    if (keep)
      continue;
    block.getArgument(first + index).replaceAllUsesWith(replacements[index].value);
    gone.set(first + index);
  }
  block.eraseArguments(gone);
}

static std::unique_ptr<mlir::Region> takeRegion(ModuleState &state, mlir::Region *region) {
  for (std::unique_ptr<mlir::Region> &owned : state.detached)
    if (owned.get() == region) {
      std::unique_ptr<mlir::Region> taken = std::move(owned);
      state.detached.erase(state.detached.begin() + (&owned - state.detached.data()));
      return taken;
    }
  return nullptr;
}

static Operation create(const Block &block, std::string_view name, const std::vector<Value> &operands,
                        const std::vector<Type> &results, nb::handle attributes, const Location &location,
                        const std::vector<Region> &regions) {
  mlir::MLIRContext &context = block.state->context->mlir;
  if (!mlir::RegisteredOperationName::lookup(llvm::StringRef(name), &context))
    raise(Failure(ErrorKind::Verify, "unknown operation '" + std::string(name) + "'", placeOf(location.location)));
  mlir::OperationState state(location.location, llvm::StringRef(name));
  for (const Value &operand : operands)
    state.operands.push_back(operand.value);
  for (const Type &type : results)
    state.types.push_back(type.type);
  if (!attributes.is_none())
    for (auto [key, value] : nb::cast<nb::dict>(attributes))
      state.addAttribute(nb::cast<std::string_view>(key), nb::cast<const Attribute &>(value).attribute);
  for (const Region &region : regions) {
    std::unique_ptr<mlir::Region> taken = takeRegion(*block.state, region.region);
    if (!taken)
      throw nb::value_error("the region is in an operation already");
    state.addRegion(std::move(taken));
  }
  mlir::Operation *op = mlir::Operation::create(state);
  block.block->push_back(op);
  return {block.state, op};
}

static std::vector<Value> resultsOf(const Operation &operation) {
  std::vector<Value> results;
  for (mlir::Value result : operation.op->getResults())
    results.push_back({operation.state, result});
  return results;
}

/// The operations of `from` come before those of `to`; `from` is empty afterwards.
static void prepend(const Block &to, const Block &from) {
  to.block->getOperations().splice(to.block->begin(), from.block->getOperations());
}

void bindIr(nb::module_ &root) {
  nb::module_ m = root.def_submodule("ir", "Contexts, modules and their building");

  nb::class_<Location>(m, "Location").def("__str__", [](const Location &self) { return text(self.location); });
  nb::class_<Type>(m, "Type")
      .def("__str__", [](const Type &self) { return text(self.type); })
      .def("__eq__", [](const Type &self, const Type &other) { return self.type == other.type; })
      .def("__hash__", [](const Type &self) { return mlir::hash_value(self.type); });
  nb::class_<Attribute>(m, "Attribute")
      .def("__str__", [](const Attribute &self) { return text(self.attribute); })
      .def("__eq__", [](const Attribute &self, const Attribute &other) { return self.attribute == other.attribute; })
      .def("__hash__", [](const Attribute &self) { return mlir::hash_value(self.attribute); });

  nb::class_<Context>(m, "Context", "One MLIR context; operations of dialects that it does not know are refused")
      .def("__init__", [](Context *self) { new (self) Context(); })
      .def(
          "type", [](std::shared_ptr<Context> self, const std::string &source) { return parseType(self, source); },
          "source"_a, "Parses a type; VerifyError with MLIR's words")
      .def(
          "attribute",
          [](std::shared_ptr<Context> self, const std::string &source) { return parseAttribute(self, source); },
          "source"_a, "Parses an attribute; VerifyError with MLIR's words")
      .def(
          "location",
          [](std::shared_ptr<Context> self, const std::string &file, unsigned line, unsigned column,
             const Location *caller) { return makeLocation(self, file, line, column, caller); },
          "file"_a, "line"_a, "column"_a = 0, "caller"_a.none() = nb::none(),
          "A place in a file, called from `caller` where that is given")
      .def(
          "knows",
          [](Context &self, std::string_view name) {
            return bool(mlir::RegisteredOperationName::lookup(llvm::StringRef(name), &self.mlir));
          },
          "name"_a, "Whether an operation of this name is registered");

  nb::class_<Value>(m, "Value")
      .def_prop_ro("type", [](const Value &self) { return Type{self.state->context, self.value.getType()}; })
      .def_prop_ro("used", [](const Value &self) { return !self.value.use_empty(); })
      .def("__eq__", [](const Value &self, const Value &other) { return self.value == other.value; })
      .def("__hash__", [](const Value &self) { return mlir::hash_value(self.value); })
      .def("__str__", [](const Value &self) { return text(self.value); });

  nb::class_<Block>(m, "Block")
      .def(
          "add_argument",
          [](const Block &self, const Type &type, const Location &location) {
            return Value{self.state, self.block->addArgument(type.type, location.location)};
          },
          "type"_a, "location"_a)
      .def("create", &create, "name"_a, "operands"_a, "results"_a, "attributes"_a.none(), "location"_a,
           "regions"_a = std::vector<Region>(),
           "Appends an operation. Regions move into it. VerifyError for a name that is not registered")
      .def(
          "value",
          [](const Block &self, std::string_view name, const std::vector<Value> &operands, const Type &type,
             nb::handle attributes, const Location &location) {
            return Value{self.state, create(self, name, operands, {type}, attributes, location, {}).op->getResult(0)};
          },
          "name"_a, "operands"_a, "type"_a, "attributes"_a.none(), "location"_a,
          "Appends an operation of one result and gives that")
      .def("prepend", &prepend, "other"_a, "Moves the operations of `other` to the front of this block");

  nb::class_<Region>(m, "Region", "A region of one block, to be filled before the operation that it goes into")
      .def("__init__", [](Region *self, const Module &module) { new (self) Region(newRegion(module)); })
      .def_prop_ro("block", [](const Region &self) { return Block{self.state, &self.region->front()}; })
      .def("keep_arguments", &keepArguments, "kept"_a, "replacements"_a, "first"_a = 0)
      .def("discard", &discardRegion);

  nb::class_<Operation>(m, "Operation")
      .def_prop_ro("name", [](const Operation &self) { return self.op->getName().getStringRef().str(); })
      .def_prop_ro("results", &resultsOf)
      .def("__str__", [](const Operation &self) { return text(*self.op); });

  nb::class_<Module>(m, "Module")
      .def_static("create", &createModule, "context"_a, "location"_a)
      .def_static("parse", &parseModule, "context"_a, "source"_a, "name"_a = "<module>")
      .def_prop_ro("body", [](const Module &self) { return Block{self.state, self.op().getBody()}; })
      .def(
          "set",
          [](const Module &self, const std::string &name, const Attribute &attribute) {
            self.op()->setAttr(name, attribute.attribute);
          },
          "name"_a, "attribute"_a, "Sets an attribute of the module itself")
      .def("verify", &verifyModule, "VerifyError at the place of the first operation that is wrong")
      .def("clone", &Module::clone)
      .def(
          "str", [](const Module &self, bool locations) { return print(self.op(), locations); }, "locations"_a = false)
      .def("__str__", [](const Module &self) { return print(self.op()); });
}

} // namespace wavewright::python
