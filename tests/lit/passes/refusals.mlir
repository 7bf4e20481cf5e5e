// RUN: hk-opt %s --split-input-file --verify-diagnostics --hk-tile-pipeline --hk-lower-tiles

module attributes {wavewright.arch = "gfx1100"} {
  func.func @no_such_product(%a: !hk.tensor<f32, align = 16, cols = 4>) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %t = hk.load %a[%c0, %c0, %c0, %c0] in tiles : !hk.tensor<f32, align = 16, cols = 4> -> !hk.rt<16x16xf32>
    // expected-error @+1 {{gfx1100 has no matrix instruction that multiplies 'f32' by 'f32' into 'f32'; bf16 and f16 into f32 work on every chip}}
    %y = hk.mma %t, %t trans, %t : !hk.rt<16x16xf32>, !hk.rt<16x16xf32>, !hk.rt<16x16xf32>
    hk.store %y, %a[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x16xf32>, !hk.tensor<f32, align = 16, cols = 4>
    return
  }
}

// -----

module attributes {wavewright.arch = "gfx942"} {
  // expected-error @+1 {{20 waves of 64 work-items: a work-group of gfx942 has at most 1024}}
  func.func @too_many_waves() attributes {hk.kernel, hk.warps = 20 : i32} {
    return
  }
}

// -----

module attributes {wavewright.arch = "gfx942"} {
  func.func @too_large() attributes {hk.kernel} {
    // expected-error @+1 {{needs 131072 bytes of LDS: a work-group of gfx942 has 65536; take smaller or fewer shared tiles}}
    %s = hk.lds_alloc : !hk.st<256x256xbf16>
    return
  }
}

// -----

module attributes {wavewright.arch = "gfx1201"} {
  func.func @too_many_in_the_group(%a: !hk.tensor<bf16, align = 16, cols = 8>) attributes {hk.kernel, hk.warps = 2 : i32} {
    %c0 = arith.constant 0 : i32
    %s = hk.lds_alloc : !hk.st<16x64xbf16>
    // expected-error @+1 {{a group of 4 waves in a kernel of 2}}
    hk.group_load %s, %a[%c0, %c0, %c0, %c0] in tiles waves 4 : !hk.st<16x64xbf16>, !hk.tensor<bf16, align = 16, cols = 8>
    return
  }
}

// -----

module attributes {wavewright.arch = "gfx950"} {
  func.func @too_many() attributes {hk.kernel} {
    %s = hk.lds_alloc : !hk.st<256x256xbf16>
    // expected-error @+1 {{needs 65536 bytes of LDS beside the kernel's other 131072: a work-group of gfx950 has 163840}}
    %t = hk.lds_alloc : !hk.st<128x256xbf16>
    return
  }
}

// -----

// expected-error @+1 {{unknown chip "gfx1101"}}
module attributes {wavewright.arch = "gfx1101"} {
}
