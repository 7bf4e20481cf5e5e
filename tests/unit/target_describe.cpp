// What `wavewright targets` prints, as text and as JSON.
#include "wavewright/target/describe.h"

#include "llvm/IR/Intrinsics.h"

#include <gtest/gtest.h>

using namespace wavewright;

namespace {
const Target &chip(llvm::StringRef name) { return *llvm::cantFail(findTarget(name)); }
} // namespace

TEST(Describe, ThePageNamesTheFacts) {
  std::string page = describeTarget(chip("gfx950"));
  for (const char *fact : {"gfx950  CDNA4  Instinct MI350X, MI355X", "emu:gfx950", "160 KiB a work-group", "0x00027000",
                           "8:64 7:72 6:80 5:96 4:128 3:168 2:256 1:512", "0-3 12-15 20-27", "lgkmcnt   to 15",
                           "1, 2, 4, 12, 16 bytes a lane", "mfma_f32_16x16x32_bf16"})
    EXPECT_NE(page.find(fact), std::string::npos) << fact << "\n" << page;
  EXPECT_NE(describeTarget(chip("gfx1250")).find("not emulated"), std::string::npos);
  EXPECT_NE(describeTarget(chip("gfx1100")).find("wave64: waves a SIMD by VGPRs: 16:48 12:60"), std::string::npos);
}

TEST(Describe, EveryChipsLinesAreTidy) {
  for (const Target *target : allTargets()) {
    std::string copy = describeTarget(*target);
    llvm::SmallVector<llvm::StringRef, 64> lines;
    llvm::StringRef(copy).split(lines, '\n');
    EXPECT_TRUE(lines.back().empty());
    for (llvm::StringRef line : llvm::ArrayRef(lines).drop_back()) {
      EXPECT_FALSE(line.empty()) << target->name;
      EXPECT_EQ(line, line.rtrim()) << target->name;
    }
  }
}

TEST(Describe, TheJsonReadsBackAndAgrees) {
  for (const Target *target : allTargets()) {
    std::string printed;
    llvm::raw_string_ostream(printed) << targetToJson(*target);
    llvm::Expected<llvm::json::Value> read = llvm::json::parse(printed);
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    const llvm::json::Object &json = *read->getAsObject();
    EXPECT_EQ(json.getString("name"), llvm::StringRef(target->name));
    EXPECT_EQ(json.getInteger("elfMachine"), target->elfMachine);
    EXPECT_EQ(json.getObject("memory")->getInteger("bufferWord3"), target->memory.bufferWord3);
    EXPECT_EQ(json.getObject("registers")->getInteger("vgprGranule"), target->registers.vgprGranule);
    const llvm::json::Array &atoms = *json.getArray("atoms");
    ASSERT_EQ(atoms.size(), target->atoms.size());
    for (auto [written, atom] : llvm::zip(atoms, target->atoms)) {
      const llvm::json::Object &row = *written.getAsObject();
      EXPECT_EQ(row.getString("name"), llvm::StringRef(atom.name));
      EXPECT_EQ(row.getString("a"), llvm::StringRef(dtypeName(atom.a)));
      const llvm::json::Array &lanes = *row.getObject("layoutA")->getArray("lanes");
      ASSERT_EQ(lanes.size(), atom.layoutA.lanes.size());
      for (auto [image, base] : llvm::zip(lanes, atom.layoutA.lanes)) {
        EXPECT_EQ((*image.getAsArray())[0].getAsInteger(), base.d0);
        EXPECT_EQ((*image.getAsArray())[1].getAsInteger(), base.d1);
      }
    }
    EXPECT_EQ(json.getObject("lds")->getArray("phases")->size(), target->lds.phases.size());
  }
}

TEST(Atoms, IntrinsicsExistInThisLlvm) {
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms) {
      llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(atom.intrinsic);
      ASSERT_NE(id, llvm::Intrinsic::not_intrinsic) << atom.intrinsic;
      EXPECT_EQ(llvm::Intrinsic::getBaseName(id), llvm::StringRef(atom.intrinsic));
    }
}
