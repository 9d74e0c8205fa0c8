#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace lanescope::loader::test {
namespace {

using Kind = FatbinEntry::Kind;

TEST(Fatbin, ListsEveryArchitectureAndThePtx) {
  const auto entries = entries_of("data/loader/attributes.fatbin");
  std::vector<std::uint32_t> cubins;
  std::string ptx;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind == Kind::kCubin)
      cubins.push_back(entry.sm);
    else
      ptx.assign(entry.data.begin(), entry.data.end());
  }
  EXPECT_EQ(cubins, (std::vector<std::uint32_t>(std::begin(kArchitectures), std::end(kArchitectures))));
  EXPECT_NE(ptx.find(".target sm_90"), std::string::npos);
  EXPECT_NE(ptx.find(".entry _Z8barriersPi("), std::string::npos);
  EXPECT_EQ(ptx.find('\0'), std::string::npos);
}

// The vendor's packer wrote one cubin three ways.
TEST(Fatbin, CompressionChangesNothing) {
  const auto plain = entries_of("data/loader/mode_none.fatbin");
  const auto lz4 = entries_of("data/loader/mode_speed.fatbin");
  const auto zstd = entries_of("data/loader/mode_size.fatbin");
  ASSERT_EQ(plain.size(), 2u);
  ASSERT_EQ(lz4.size(), 2u);
  ASSERT_EQ(zstd.size(), 2u);
  // Padding follows the plain entries.
  const auto starts_with = [](const std::vector<std::uint8_t>& longer, const std::vector<std::uint8_t>& shorter) {
    return longer.size() - shorter.size() < 16 && std::equal(shorter.begin(), shorter.end(), longer.begin());
  };
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(starts_with(plain[i].data, lz4[i].data)) << i;
    EXPECT_EQ(lz4[i].data, zstd[i].data) << i;
    EXPECT_EQ(plain[i].kind, zstd[i].kind);
    EXPECT_EQ(plain[i].sm, zstd[i].sm);
  }
}

TEST(Fatbin, UnwantedEntriesAreListedWithoutData) {
  const auto file = read_file("data/loader/attributes.fatbin");
  const auto entries = read_program(file, "attributes", [](const FatbinEntry& entry) { return entry.sm == 80; });
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->size(), entries_of("data/loader/attributes.fatbin").size());
  for (const FatbinEntry& entry : *entries) EXPECT_EQ(entry.data.empty(), entry.sm != 80);
}

TEST(Fatbin, FoundInProgramsObjectsAndLibraries) {
  const auto has = [](const std::vector<FatbinEntry>& entries, const std::string& kernel) {
    return std::any_of(entries.begin(), entries.end(), [&](const FatbinEntry& entry) {
      if (entry.kind != Kind::kCubin) return false;
      const auto module = load_cubin(entry.data, "part");
      return module && module->find(kernel) != nullptr;
    });
  };
  EXPECT_TRUE(has(entries_of("data/programs/textbook"), "_Z18reduce_interleavedPfS_i"));
  EXPECT_TRUE(has(entries_of("data/loader/shared.o"), "_Z3ownPVj"));
  EXPECT_TRUE(has(entries_of("data/loader/library.a"), "_Z3ownPVj"));
  EXPECT_TRUE(has(entries_of("data/loader/lines.cubin"), "_Z4loopPfi"));

  const auto members = entries_of("data/loader/library.a");
  EXPECT_NE(members.front().container, members.back().container);
}

TEST(Fatbin, SeveralInOneSection) {
  const auto entries = entries_of("data/programs/textbook");
  EXPECT_EQ(entries.front().container, 0u);
  EXPECT_GT(entries.back().container, 0u);
  EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end(),
                             [](const FatbinEntry& a, const FatbinEntry& b) { return a.container < b.container; }));
}

TEST(Fatbin, SizeIsThatOfTheFileWhateverFollows) {
  auto file = read_file("data/loader/mode_size.fatbin");
  const std::size_t size = file.size();
  file.resize(size + 100, 0xcc);
  const auto found = fatbin_size(file);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, size);
}

TEST(Fatbin, ErrorsSayWhatToDo) {
  const auto relocatable = read_program(read_file("data/loader/relocatable.o"), "relocatable.o");
  ASSERT_FALSE(relocatable);
  EXPECT_NE(relocatable.error().message.find("-rdc=true"), std::string::npos);
  const auto none = read_program(read_file("data/loader/lines.cu"), "lines.cu");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message.substr(0, 10), "lines.cu: ");
}

}  // namespace
}  // namespace lanescope::loader::test
