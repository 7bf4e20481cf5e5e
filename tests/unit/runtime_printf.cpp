// The records of a printf buffer, as clang's HIP and LLVM's OpenCL lowering write them.
#include "wavewright/runtime/printf.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace wavewright;

namespace {

class Records {
public:
  std::vector<std::byte> bytes;
  template <class T> Records &put(T value) {
    auto *from = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
    return *this;
  }
  Records &text(const char *text, size_t padded) {
    std::vector<char> buffer(padded);
    std::strncpy(buffer.data(), text, padded - 1);
    for (char c : buffer)
      put(c);
    return *this;
  }
};

std::string format(const Records &records, std::vector<std::string> formats) {
  return runtime::formatPrintf(records.bytes, formats).out;
}

} // namespace

TEST(Printf, HipRecordsWithFormatsInTheMetadata) {
  Records r;
  r.put(uint32_t(28 << 2 | 2)).put(uint64_t(0xabc)).put(uint64_t(uint32_t(-7))).put(2.5);
  r.put(uint32_t(20 << 2 | 2)).put(uint64_t(0xdef)).text("gfx", 8);
  EXPECT_EQ(format(r, {"0:0:abc,%d and %g, 100%%\n", "0:0:def,<%-5s>\n"}), "-7 and 2.5, 100%\n<gfx  >\n");
}

TEST(Printf, HipRecordsThatCarryTheirFormat) {
  Records r;
  r.put(uint32_t(20 << 2)).text("n=%u\n", 8).put(uint64_t(9));
  EXPECT_EQ(format(r, {"0:0:ffffffff,\"Non const format string\""}), "n=9\n");
}

TEST(Printf, OpenClRecords) {
  Records r;
  r.put(uint32_t(2)).put(int32_t(-3)).put(int64_t(1) << 40);
  r.put(uint32_t(1)).put(1.5f).put(-2.f).put(0.25f).put(8.f);
  r.put(uint32_t(3)).text("abc", 4);
  EXPECT_EQ(format(r, {"1:1:16:%v4f\\n", "2:2:4:8:a\\72 %d %ld\\n", "3:1:4:%s!\\n"}),
            "a: -3 1099511627776\n1.500000,-2.000000,0.250000,8.000000\nabc!\n");
}

TEST(Printf, DamagedBuffersEndWithASentence) {
  Records unknown, cut, longer, few;
  unknown.put(uint32_t(12 << 2 | 2)).put(uint64_t(1));
  EXPECT_NE(format(unknown, {"0:0:2,x"}).find("a record has a format that is not in the metadata"), std::string::npos);
  longer.put(uint32_t(400 << 2 | 2)).put(uint64_t(2));
  EXPECT_NE(format(longer, {"0:0:2,x"}).find("a record is longer than the buffer"), std::string::npos);
  few.put(uint32_t(12 << 2 | 2)).put(uint64_t(2));
  EXPECT_NE(format(few, {"0:0:2,%d"}).find("a record has fewer arguments than its format"), std::string::npos);
  cut.put(uint32_t(1)).put(uint16_t(0));
  EXPECT_NE(format(cut, {"1:1:4:%d"}).find("a record is cut off"), std::string::npos);
  EXPECT_NE(format(Records().put(uint32_t(7)), {"1:1:4:%d"}).find("an id that is not in the metadata"),
            std::string::npos);
}

TEST(Printf, AssertionsAreKeptApart) {
  Records r;
  r.put(uint32_t(20 << 2 | 2)).put(uint64_t(1)).text("x", 8);
  std::vector<std::string> formats{"0:0:1,f: Device-side assertion `%s' failed.\n"};
  emulator::PrintedText text = runtime::formatPrintf(r.bytes, formats);
  EXPECT_EQ(text.out, "");
  EXPECT_EQ(text.assertion, "f: Device-side assertion `x' failed.\n");
}
