// Damaged files: an error or a module, never a crash, a hang or a huge allocation. The sanitizer builds give these
// tests their teeth; tests/fuzz goes further.
#include <gtest/gtest.h>

#include <random>

#include "loader/ptx.h"
#include "support.h"

namespace lanescope::loader::test {
namespace {

// One sentence that names the file; a loaded module must be safe to use.
void try_cubin(Bytes bytes) {
  auto module = load_cubin(bytes, "damaged.cubin");
  if (module) {
    place_globals(*module, 0x7f0000000000, 0x7f1000000000);
    for (const Function& function : module->functions) {
      ASSERT_LE(std::uint64_t{function.first} + function.count, module->code.size());
      for (const std::int32_t position : function.positions)
        ASSERT_LT(position, static_cast<std::int64_t>(module->positions.size()));
    }
    for (std::size_t i = 0; i < module->positions.size(); ++i) {
      ASSERT_LT(module->positions[i].inlined_at, static_cast<std::int64_t>(i));  // so that chains end
      ASSERT_LT(module->positions[i].file, module->files.size());
    }
  } else {
    ASSERT_TRUE(module.error().message.starts_with("damaged.cubin: ")) << module.error().message;
  }
}

void try_program(Bytes bytes) {
  const auto entries = read_program(bytes, "damaged");
  if (!entries) {
    ASSERT_TRUE(entries.error().message.starts_with("damaged: ")) << entries.error().message;
  }
}

TEST(Hostile, CubinCutAtEveryByte) {
  const auto cubin = cubin_of("lines.fatbin", 90);
  // Past the headers in steps that still meet every section.
  for (std::size_t size = 0; size < cubin.size(); size += size < 256 ? 1 : 61) try_cubin(Bytes(cubin).first(size));
}

// Every byte of the headers and tables, some of the rest.
TEST(Hostile, CubinWithOneByteChanged) {
  for (const char* file : {"shared.fatbin", "linked.sm_90.fatbin"}) {
    auto cubin = cubin_of(file, 90);
    for (std::size_t at = 0; at < cubin.size(); at += 3) {
      const std::uint8_t was = cubin[at];
      for (const std::uint8_t now : {std::uint8_t{0xff}, static_cast<std::uint8_t>(was ^ 0x80), std::uint8_t{1}}) {
        cubin[at] = now;
        try_cubin(cubin);
      }
      cubin[at] = was;
    }
  }
}

TEST(Hostile, CubinWithManyBytesChanged) {
  std::mt19937 random(1);
  for (const char* file : {"relocations.fatbin", "lines.fatbin"}) {
    const auto cubin = cubin_of(file, 90);
    for (int round = 0; round < 300; ++round) {
      auto damaged = cubin;
      for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
      try_cubin(damaged);
    }
  }
}

TEST(Hostile, FatbinsCutAndChanged) {
  for (const char* file : {"mode_size.fatbin", "mode_speed.fatbin", "library.a"}) {
    auto bytes = read_file(std::string("data/loader/") + file);
    for (std::size_t size = 0; size < bytes.size(); size += size < 512 ? 1 : 37) try_program(Bytes(bytes).first(size));
    for (std::size_t at = 0; at < bytes.size(); at += at < 512 ? 1 : 37) {
      const std::uint8_t was = bytes[at];
      for (const std::uint8_t now : {std::uint8_t{0xff}, static_cast<std::uint8_t>(was ^ 1)}) {
        bytes[at] = now;
        try_program(bytes);
      }
      bytes[at] = was;
    }
  }
}

TEST(Hostile, HugeClaimsCostNothing) {
  auto fatbin = read_file("data/loader/mode_size.fatbin");
  // The decompressed size of the first entry, at 56 of its header.
  for (std::size_t i = 0; i < 8; ++i) fatbin[16 + 56 + i] = i < 5 ? 0xff : 0;
  const auto entries = read_program(fatbin, "bomb");
  ASSERT_FALSE(entries);
  EXPECT_NE(entries.error().message.find("claim to become"), std::string::npos) << entries.error().message;
}

TEST(Hostile, PtxOfAnyShape) {
  std::string text = "{{{}.shared";
  for (const char* piece : {".entry", ".func (", ".shared .align 99999999999 .b8 a[99999999999][99999999999];", "/*",
                            "\"", "}}}}}}", ".shared .b8 x[", "//"}) {
    text += piece;
    read_ptx(text);
    read_ptx(piece);
  }
  const PtxFile file = read_ptx(".entry k() { .shared .align 4 .b8 a[99999999999], b[-1], c[4]; }");
  Function kernel{.name = "k"};
  EXPECT_TRUE(lay_out_shared(file, kernel).empty());
}

}  // namespace
}  // namespace lanescope::loader::test
