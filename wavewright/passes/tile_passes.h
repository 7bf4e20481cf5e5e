//===- passes/tile_passes.h - the passes over tiles, one by one -----------------------------------===//
//
// Internal to the room; `passes.h` strings them together. Each is a module pass in a file of its own name.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace wavewright::passes {

/// A fragment is loaded beside the matrix instruction that uses it, not a whole tile first:
///     %r = hk.lds_load %s        ->   %y = hk.mma %s, ...
///     %y = hk.mma %r, ...
/// where nothing between the two may write LDS and the element types agree.
std::unique_ptr<mlir::Pass> createFuseFragmentLoads();

/// Gives every register tile, vector and shared tile its layout, and every hk.mma its atom:
///     !hk.rt<16x64xbf16>         ->   !hk.rt<16x64xbf16, #hk.layout<...>>
/// Values that meet in one operation share a layout; matrix layouts win over those of memory accesses; where two
/// layouts must meet, an hk.convert_layout stands between them.
std::unique_ptr<mlir::Pass> createAssignLayouts();

/// The contract after the two: every tile, vector and shared tile has a layout, every hk.mma an atom.
std::unique_ptr<mlir::Pass> createVerifyTileLayouts();

/// hk -> rocke: a tile becomes the list of builtin vectors that a lane holds of it, block by block:
///     %t = hk.load %x[...]       ->   %0 = rocke.buffer_load %r[...] : vector<8xbf16> ...
std::unique_ptr<mlir::Pass> createLowerTiles();

/// Arithmetic between two loads, stores or matrix instructions goes element after element, so that an intermediate
/// tile is never whole in registers.
std::unique_ptr<mlir::Pass> createOrderValues();

/// The contract after it: no hk operation and no hk type is left.
std::unique_ptr<mlir::Pass> createVerifyLanes();

} // namespace wavewright::passes
