// RUN: hk-opt %s --split-input-file --verify-diagnostics --rocke-lower-lanes

module attributes {wavewright.arch = "gfx1100"} {
  func.func @k(%x: f32) -> f32 {
    // expected-error @+1 {{'math.atan' op has no lowering; there are abs}}
    %y = math.atan %x : f32
    return %y : f32
  }
}

// -----

module attributes {wavewright.arch = "gfx1100"} {
  func.func @k(%x: f64) -> f64 {
    // expected-error @+1 {{exists for f32, f16 and bf16 only}}
    %y = math.exp %x : f64
    return %y : f64
  }
}

// -----

module attributes {wavewright.arch = "gfx1100"} {
  // expected-error @+1 {{needs rocke.block_size, 1 to 1024 work-items on gfx1100}}
  func.func @k() attributes {rocke.kernel, rocke.block_size = 2048 : i32} {
    return
  }
}

// -----

module attributes {wavewright.arch = "gfx1100"} {
  func.func @k(%v: vector<16xbf16>, %acc: vector<4xf32>) -> vector<4xf32> {
    // expected-error @+1 {{wmma_f32_16x16x16_bf16_w64 is an instruction of a wave64; kernels for gfx1100 run as wave32}}
    %d = rocke.mma "wmma_f32_16x16x16_bf16_w64" %v, %v, %acc : vector<16xbf16>, vector<16xbf16>, vector<4xf32>
    return %d : vector<4xf32>
  }
}
