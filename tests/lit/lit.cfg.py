"""lit: MLIR tests of the dialects, the passes and the code generator. Run with `ninja check-lit`."""

import lit.formats

config.name = "wavewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = config.wavewright_source + "/tests/lit"
config.test_exec_root = config.wavewright_build + "/tests/lit"

# The tools under test come first, then LLVM's FileCheck, not, split-file, llvm-objdump.
config.environment["PATH"] = ":".join(
    [config.wavewright_build + "/tools", config.llvm_tools, config.environment["PATH"]]
)
