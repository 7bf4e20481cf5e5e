module attributes {wavewright.arch = "gfx1100"} {
  func.func @gemm(%arg0: !hk.tensor<bf16, align = 16, cols = 8> {hk.name = "a"}, %arg1: !hk.tensor<bf16, align = 16, cols = 8> {hk.name = "b"}, %arg2: !hk.tensor<f32, align = 16, cols = 4> {hk.name = "c"}) attributes {hk.kernel, hk.warps = 4 : i32} {
    %0 = hk.block_id  x
    %1 = hk.block_id  y
    %2 = hk.block_id  z
    %3 = hk.warp_id
    %c2_i32 = arith.constant 2 : i32
    %c1_i32 = arith.constant 1 : i32
    %4 = hk.lds_alloc : <128x32xbf16>
    %5 = hk.lds_alloc : <128x32xbf16>
    %cst = arith.constant 0.000000e+00 : f32
    %6 = hk.extent %arg0  cols : <bf16, align = 16, cols = 8>
    %c0_i32 = arith.constant 0 : i32
    %c32_i32 = arith.constant 32 : i32
    %c5_i32 = arith.constant 5 : i32
    %7 = arith.shrsi %3, %c1_i32 : i32
    %8 = arith.andi %3, %c1_i32 : i32
    %9 = hk.splat %cst : f32 -> !hk.rt<64x64xf32>
    %10 = arith.subi %c0_i32, %6 : i32
    %11 = arith.shrsi %10, %c5_i32 : i32
    %12 = arith.subi %c0_i32, %11 : i32
    %13 = scf.for %arg3 = %c0_i32 to %12 step %c1_i32 iter_args(%arg4 = %9) -> (!hk.rt<64x64xf32>)  : i32 {
      hk.group_load %4, %arg0[%2, %c0_i32, %1, %arg3] in  tiles waves 4 : <128x32xbf16>, <bf16, align = 16, cols = 8>
      hk.group_load %5, %arg1[%2, %c0_i32, %0, %arg3] in  tiles waves 4 : <128x32xbf16>, <bf16, align = 16, cols = 8>
      hk.barrier
      %18 = hk.lds_sub %4[%7, %c0_i32] : <128x32xbf16> -> <64x32xbf16, of 128x32>
      %19 = hk.lds_load %18 : <64x32xbf16, of 128x32> -> <64x32xbf16>
      %20 = hk.lds_sub %5[%8, %c0_i32] : <128x32xbf16> -> <64x32xbf16, of 128x32>
      %21 = hk.lds_load %20 : <64x32xbf16, of 128x32> -> <64x32xbf16>
      %22 = hk.mma %19, %21 trans, %arg4 : !hk.rt<64x32xbf16>, !hk.rt<64x32xbf16>, <64x64xf32>
      hk.barrier
      scf.yield %22 : !hk.rt<64x64xf32>
    }
    %14 = arith.muli %1, %c2_i32 : i32
    %15 = arith.addi %14, %7 : i32
    %16 = arith.muli %0, %c2_i32 : i32
    %17 = arith.addi %16, %8 : i32
    hk.store %13, %arg2[%2, %c0_i32, %15, %17] in  tiles : !hk.rt<64x64xf32>, <f32, align = 16, cols = 4>
    return
  }
}

