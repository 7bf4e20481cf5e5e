module attributes {wavewright.arch = "gfx1100"} {
  func.func @add(%arg0: !hk.tensor<bf16, align = 16, cols = 8> {hk.name = "a"}, %arg1: !hk.tensor<bf16, align = 16, cols = 8> {hk.name = "b"}, %arg2: !hk.tensor<bf16, align = 16, cols = 8> {hk.name = "o"}) attributes {hk.kernel, hk.warps = 1 : i32} {
    %0 = hk.block_id  z
    %1 = hk.block_id  y
    %2 = hk.block_id  x
    %c0_i32 = arith.constant 0 : i32
    %3 = hk.load %arg0[%0, %c0_i32, %1, %2] in  tiles : <bf16, align = 16, cols = 8> -> !hk.rt<16x64xbf16>
    %4 = hk.load %arg1[%0, %c0_i32, %1, %2] in  tiles : <bf16, align = 16, cols = 8> -> !hk.rt<16x64xbf16>
    %5 = arith.addf %3, %4 : !hk.rt<16x64xbf16>
    hk.store %5, %arg2[%0, %c0_i32, %1, %2] in  tiles : !hk.rt<16x64xbf16>, <bf16, align = 16, cols = 8>
    return
  }
}

