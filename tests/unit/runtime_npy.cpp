// numpy's file format: what is read, what is refused, and that writing back keeps the rest of the file.
#include "wavewright/runtime/files.h"
#include "wavewright/runtime/npy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

using namespace wavewright;
using namespace wavewright::runtime;

namespace {

std::vector<char> npy(const std::string &header, size_t data, int version = 1) {
  std::string content = "\x93NUMPY";
  content += char(version);
  content += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    content += char(header.size() >> (8 * i));
  content += header;
  for (size_t i = 0; i < data; ++i)
    content += char(i);
  return {content.begin(), content.end()};
}

const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

std::string replace(std::string text, const std::string &from, const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Npy, ReadsEveryVersion) {
  for (int version : {1, 2, 3}) {
    auto file = NpyFile::parse(npy(good, 24, version), "a.npy");
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    EXPECT_EQ((*file)->shape(), (std::vector<uint64_t>{2, 3}));
    EXPECT_EQ((*file)->descr(), "<f4");
    EXPECT_EQ((*file)->bytes(), 24u);
    EXPECT_EQ(uintptr_t((*file)->data()) % 64, 0u);
    EXPECT_EQ(static_cast<char *>((*file)->data())[23], 23);
  }
}

TEST(Npy, ReadsKeysInAnyOrderAndEveryNumber) {
  auto file = NpyFile::parse(npy("{\"shape\":(),\"fortran_order\" : False,'descr':'|V2'}", 2), "a.npy");
  ASSERT_TRUE(bool(file));
  EXPECT_EQ((*file)->bytes(), 2u);
  for (auto [descr, size] : {std::pair("|b1", 1), {"|u1", 1}, {"<i8", 8}, {"<f2", 2}, {"<c16", 16}, {"=u4", 4}}) {
    auto number = NpyFile::parse(npy(replace(good, "<f4", descr), 6 * size), "a.npy");
    ASSERT_TRUE(bool(number)) << descr;
    EXPECT_EQ((*number)->bytes(), 6u * size) << descr;
  }
  auto none = NpyFile::parse(npy(replace(good, "(2, 3)", "(0, 3)"), 0), "a.npy");
  ASSERT_TRUE(bool(none));
  EXPECT_EQ((*none)->bytes(), 0u);
}

TEST(Npy, NeverReadsOutsideAndSaysWhatIsWrong) {
  auto whole = npy(good, 24);
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    auto file = NpyFile::parse({whole.begin(), whole.begin() + cut}, "cut.npy");
    ASSERT_FALSE(bool(file)) << cut;
    EXPECT_EQ(llvm::toString(file.takeError()).rfind("cut.npy: ", 0), 0u);
  }
  for (size_t at = 0; at < whole.size(); ++at)
    for (int value : {0, 1, 0x27, 0x28, 0x5b, 0x39, 0x7f, 0xff}) {
      auto damaged = whole;
      damaged[at] = char(value);
      auto file = NpyFile::parse(std::move(damaged), "x.npy");
      if (!file)
        llvm::consumeError(file.takeError());
    }
}

TEST(Npy, WritesBackInPlace) {
  std::string path = ::testing::TempDir() + "wavewright-npy-test.npy";
  auto content = npy(good, 24);
  content.push_back('!'); // what follows the elements stays
  ASSERT_FALSE(bool(writeFile(path, {llvm::ArrayRef<char>(content)})));
  auto file = NpyFile::read(path);
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  std::memset((*file)->data(), 7, 24);
  ASSERT_FALSE(bool((*file)->writeBack()));
  std::memset(content.data() + content.size() - 25, 7, 24);
  auto after = readFile(path);
  ASSERT_TRUE(bool(after));
  EXPECT_EQ(*after, content);
  std::remove(path.c_str());
}

TEST(Files, ErrorsNameTheFileAndLeaveNothing) {
  EXPECT_NE(llvm::toString(readFile("/no/such/file").takeError()).find("/no/such/file"), std::string::npos);
  EXPECT_NE(llvm::toString(readFile("/tmp").takeError()).find("directory"), std::string::npos);
  llvm::ArrayRef<char> part("x", 1);
  EXPECT_NE(llvm::toString(writeFile("/no/such/file", {part})).find("/no/such/file"), std::string::npos);
  EXPECT_NE(llvm::toString(writeFile("/tmp", {part})).find("directory"), std::string::npos);
}

} // namespace
