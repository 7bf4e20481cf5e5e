// Arguments as bytes: packing by the metadata, numbers as the command line spells them, extents.
#include "wavewright/runtime/arguments.h"

#include <gtest/gtest.h>

using namespace wavewright;
using namespace wavewright::runtime;

namespace {

codeobject::Kernel makeKernel() {
  codeobject::Kernel kernel;
  kernel.name = "k";
  kernel.arguments = {{"a", "global_buffer", 0, 8},
                      {"", "by_value", 8, 4},
                      {"h", "by_value", 12, 2},
                      {"", "hidden_block_count_x", 16, 4}};
  kernel.descriptor.kernargBytes = 280;
  return kernel;
}

std::string messageOf(llvm::Error error) { return error ? takeFailure(std::move(error)).message : ""; }
template <typename T> std::string messageOf(llvm::Expected<T> value) { return messageOf(value.takeError()); }

uint64_t bits(llvm::Expected<Argument> argument) {
  EXPECT_TRUE(bool(argument)) << messageOf(argument.takeError());
  if (!argument)
    return 0;
  uint64_t result = 0;
  __builtin_memcpy(&result, argument->bytes.data(), argument->bytes.size());
  return result;
}

TEST(Arguments, PackAtTheOffsetsOfTheMetadata) {
  auto kernel = makeKernel();
  std::vector<Argument> arguments{Argument::value(uint64_t(0x1122334455667788)), Argument::value(uint32_t(5)),
                                  Argument::value(uint16_t(6))};
  auto packed = packArguments(kernel, arguments);
  ASSERT_TRUE(bool(packed));
  ASSERT_EQ(packed->size(), 14u); // hidden arguments are the device's
  EXPECT_EQ((*packed)[0], std::byte(0x88));
  EXPECT_EQ((*packed)[8], std::byte(5));
  EXPECT_EQ((*packed)[12], std::byte(6));
}

TEST(Arguments, SayWhichOneIsWrongAndBothSizes) {
  auto kernel = makeKernel();
  std::vector<Argument> arguments{Argument::value(uint64_t(0)), Argument::value(uint64_t(0)),
                                  Argument::value(uint16_t(0))};
  EXPECT_EQ(messageOf(packArguments(kernel, arguments)),
            "argument 1 of kernel 'k' has 4 bytes in the kernel, 8 were given");
  arguments.pop_back();
  EXPECT_EQ(messageOf(packArguments(kernel, arguments)),
            "kernel 'k' takes 3 arguments (a: 8 bytes, 4 bytes, h: 2 bytes), 2 were given");
}

TEST(Arguments, WithoutMetadataLieAtTheirNaturalAlignment) {
  codeobject::Kernel kernel;
  kernel.name = "bare";
  kernel.descriptor.kernargBytes = 24;
  std::vector<Argument> arguments{Argument::value(uint32_t(1)), Argument::value(uint64_t(2)),
                                  Argument::value(uint16_t(3)), Argument::value(uint32_t(4))};
  auto packed = packArguments(kernel, arguments);
  ASSERT_TRUE(bool(packed));
  ASSERT_EQ(packed->size(), 24u);
  EXPECT_EQ((*packed)[8], std::byte(2));
  EXPECT_EQ((*packed)[16], std::byte(3));
  EXPECT_EQ((*packed)[20], std::byte(4));
  arguments.push_back(Argument::value(uint8_t(5)));
  EXPECT_NE(messageOf(packArguments(kernel, arguments)).find("24 bytes"), std::string::npos);
}

TEST(Arguments, NumbersTakeTheSizeOfTheKernel) {
  EXPECT_EQ(bits(parseArgument("512", 4, "x")), 512u);
  EXPECT_EQ(bits(parseArgument("-1", 2, "x")), 0xffffu);
  EXPECT_EQ(bits(parseArgument("+7", 1, "x")), 7u);
  EXPECT_EQ(bits(parseArgument("0x1e5", 4, "x")), 0x1e5u);
  EXPECT_EQ(bits(parseArgument("-9223372036854775808", 8, "x")), uint64_t(1) << 63);
  EXPECT_EQ(bits(parseArgument("18446744073709551615", 8, "x")), ~uint64_t(0));
  EXPECT_EQ(bits(parseArgument("0.5", 4, "x")), 0x3f000000u);
  EXPECT_EQ(bits(parseArgument("1e3", 8, "x")), 0x408f400000000000u);
  EXPECT_EQ(bits(parseArgument("1.", 2, "x")), 0x3c00u);
  EXPECT_EQ(bits(parseArgument("-inf", 4, "x")), 0xff800000u);
  EXPECT_EQ(bits(parseArgument("nan", 4, "x")), 0x7fc00000u);
  auto unknown = parseArgument("3", 0, "x");
  ASSERT_TRUE(bool(unknown));
  EXPECT_EQ(unknown->bytes.size(), 4u);
}

TEST(Arguments, PrefixesOverride) {
  struct Case {
    const char *text;
    size_t size;
    uint64_t bits;
  };
  const Case cases[] = {{"i8:-1", 1, 0xff},           {"u8:255", 1, 0xff},        {"i16:-2", 2, 0xfffe},
                        {"u16:65535", 2, 65535},      {"i32:-3", 4, 0xfffffffd},  {"u32:4294967295", 4, 0xffffffff},
                        {"i64:-1", 8, ~0ull},         {"u64:0x10", 8, 16},        {"f16:1", 2, 0x3c00},
                        {"bf16:1.0", 2, 0x3f80},      {"f32:0.5", 4, 0x3f000000}, {"f64:2", 8, 0x4000000000000000},
                        {"bytes:00ff10", 3, 0x10ff00}};
  for (const Case &c : cases) {
    auto argument = parseArgument(c.text, 4, "x");
    ASSERT_TRUE(bool(argument)) << c.text;
    EXPECT_EQ(argument->bytes.size(), c.size) << c.text;
    EXPECT_EQ(bits(std::move(argument)), c.bits) << c.text;
  }
  // Rounds to nearest even, once: 1 + 2^-8 is half way between two bf16.
  EXPECT_EQ(bits(parseArgument("bf16:1.00390625", 2, "x")), 0x3f80u);
  EXPECT_EQ(bits(parseArgument("bf16:1.01171875", 2, "x")), 0x3f82u);
}

TEST(Arguments, RefuseWhatIsNoNumberOrDoesNotFit) {
  for (const char *text : {"",
                           "-",
                           "fish",
                           "1.2.3",
                           "0x",
                           "0xg",
                           "1e",
                           "--1",
                           "i8:128",
                           "i8:-129",
                           "u8:-1",
                           "u8:256",
                           "i32:2147483648",
                           "f32:",
                           "i32:1.5",
                           "f99:1",
                           "bytes:0",
                           "bytes:zz",
                           "4294967296",
                           "-2147483649",
                           "18446744073709551616"})
    EXPECT_NE(messageOf(parseArgument(text, 4, "argument 3")).find("argument 3"), std::string::npos) << text;
  EXPECT_NE(messageOf(parseArgument("1.5", 1, "x")), "");
  EXPECT_NE(messageOf(parseArgument("1", 24, "x")).find("24 bytes"), std::string::npos);
}

TEST(Arguments, IntegersAndFloatsOfPython) {
  EXPECT_EQ(bits(integerArgument(-1, 4, "x")), 0xffffffffu);
  EXPECT_EQ(bits(integerArgument(4294967295, 4, "x")), 0xffffffffu);
  EXPECT_NE(messageOf(integerArgument(4294967296, 4, "x")), "");
  EXPECT_NE(messageOf(integerArgument(-2147483649, 4, "x")), "");
  EXPECT_NE(messageOf(integerArgument(1, 3, "x")), "");
  EXPECT_EQ(bits(floatArgument(0.1, 4, "x")), 0x3dcccccdu);
  EXPECT_EQ(bits(floatArgument(65520.0, 2, "x")), 0x7c00u);
  EXPECT_NE(messageOf(floatArgument(1, 1, "x")), "");
}

TEST(Extents, MissingOnesAreOne) {
  auto extents = parseExtents("8,4", "--grid");
  ASSERT_TRUE(bool(extents));
  EXPECT_EQ(extents->x, 8u);
  EXPECT_EQ(extents->y, 4u);
  EXPECT_EQ(extents->z, 1u);
  for (const char *text : {"", "0", "1,2,3,4", "-1", "a", "1,,1", "4294967296", "1,0"})
    EXPECT_NE(messageOf(parseExtents(text, "--grid")).find("--grid"), std::string::npos) << text;
}

TEST(Launch, RefusesWhatTheChipCannotHold) {
  const Target &chip = *cantFail(findTarget("gfx950"));
  auto kernel = makeKernel();
  kernel.maxWorkGroupSize = 256;
  kernel.descriptor.groupSegmentBytes = 100000;
  EXPECT_EQ(messageOf(checkLaunch(chip, kernel, {{1, 1, 1}, {16, 16, 1}, 63840})), "");
  EXPECT_NE(messageOf(checkLaunch(chip, kernel, {{1, 1, 1}, {16, 16, 1}, 63841})).find("163840"), std::string::npos);
  EXPECT_NE(messageOf(checkLaunch(chip, kernel, {{1, 1, 1}, {257, 1, 1}})).find("256"), std::string::npos);
  EXPECT_NE(messageOf(checkLaunch(chip, kernel, {{1, 1, 1}, {16, 17, 1}})).find("256"), std::string::npos);
  EXPECT_NE(messageOf(checkLaunch(chip, kernel, {{1, 0, 1}, {1, 1, 1}})).find("grid"), std::string::npos);
  // The product of these is 0 in 64 bits.
  EXPECT_NE(messageOf(checkLaunch(chip, kernel, {{1, 1, 1}, {1u << 31, 1u << 31, 4}})), "");
}

} // namespace
