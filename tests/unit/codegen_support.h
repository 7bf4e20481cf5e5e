//===- tests/unit/codegen_support.h - modules as text, compiled -----------------------------------===//
#pragma once

#include "wavewright/codegen/compile.h"

#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wavewright::codegen {

/// A context with every dialect, and modules parsed in it.
class Source {
public:
  Source() : context(registry()) { context.loadAllAvailableDialects(); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text, const std::string &file = "kernel.mlir") {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), file);
    EXPECT_TRUE(module) << text;
    return module;
  }
  llvm::Expected<Compiled> compile(const std::string &text, const CompileOptions &options = {},
                                   const std::string &file = "kernel.mlir") {
    auto module = parse(text, file);
    if (!module)
      return fail(ErrorKind::Usage, "the text does not parse");
    return codegen::compile(*module, options);
  }
  /// The error that compiling must end with.
  Failure refuse(const std::string &text, const CompileOptions &options = {}) {
    llvm::Expected<Compiled> compiled = compile(text, options);
    if (!compiled)
      return takeFailure(compiled.takeError());
    ADD_FAILURE() << "compiled, though it must not";
    return Failure(ErrorKind::Check, "");
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  mlir::MLIRContext context;
};

/// A module of one kernel with a pointer %p, the buffer %r behind it, the constant %c0 and the lane's offset %o.
inline std::string kernel(const std::string &arch, const std::string &body, int blockSize = 64) {
  return fmt::format(R"(module attributes {{wavewright.arch = "{}"}} {{
  func.func @k(%p: !llvm.ptr<1> {{rocke.name = "p"}}) attributes {{rocke.kernel, rocke.block_size = {} : i32}} {{
    %c0 = arith.constant 0 : i32
    %bytes = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %bytes : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %c16 = arith.constant 16 : i32
    %o = arith.muli %t, %c16 : i32
{}
    return
  }}
}}
)",
                     arch, blockSize, body);
}

/// Adds one to four floats of each lane.
inline const std::string addOne = R"(    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> vector<4xf32>
    %one = arith.constant dense<1.0> : vector<4xf32>
    %y = arith.addf %x, %one : vector<4xf32>
    rocke.buffer_store %y, %r[%o, %c0] : vector<4xf32>, !llvm.ptr<8>)";

} // namespace wavewright::codegen
