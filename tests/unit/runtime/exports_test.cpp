// The libraries' names: every entry point is exported, under the version that programs ask for.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <unistd.h>

#include <set>
#include <string>

namespace {

const std::string kLibraries = std::string(LANESCOPE_BINARY_DIR) + "/lib/libcudart.so.";

std::set<std::string> listed_names(int version) {
  std::set<std::string> both, twelve, thirteen;
#define LANESCOPE_IMPLEMENTED(name) both.insert(#name);
#define LANESCOPE_UNSUPPORTED(name) both.insert(#name);
#define LANESCOPE_IMPLEMENTED_12(name) twelve.insert(#name);
#define LANESCOPE_UNSUPPORTED_12(name) twelve.insert(#name);
#define LANESCOPE_IMPLEMENTED_13(name) thirteen.insert(#name);
#define LANESCOPE_UNSUPPORTED_13(name) thirteen.insert(#name);
#include "runtime/entry_points.inc"
  both.merge(version == 12 ? twelve : thirteen);
  return both;
}

// The functions that a shared library defines for others.
std::set<std::string> exported_names(const std::string& path) {
  std::set<std::string> names;
  elf_version(EV_CURRENT);
  const int file = open(path.c_str(), O_RDONLY);
  Elf* elf = elf_begin(file, ELF_C_READ, nullptr);
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    gelf_getshdr(section, &header);
    if (header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
        names.insert(elf_strptr(elf, header.sh_link, symbol.st_name));
    }
  }
  elf_end(elf);
  close(file);
  return names;
}

class Exports : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Versions, Exports, testing::Values(12, 13));

TEST_P(Exports, AreTheListAndNothingElse) {
  EXPECT_EQ(exported_names(kLibraries + std::to_string(GetParam())), listed_names(GetParam()));
}

TEST_P(Exports, CarryTheVersion) {
  const std::string name = "libcudart.so." + std::to_string(GetParam());
  void* library = dlopen((kLibraries + std::to_string(GetParam())).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const std::string& symbol : listed_names(GetParam()))
    EXPECT_NE(dlvsym(library, symbol.c_str(), name.c_str()), nullptr) << symbol;
  auto* version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cudaRuntimeGetVersion"));
  int value = 0;
  EXPECT_EQ(version(&value), 0);
  EXPECT_EQ(value / 1000, GetParam());
}

TEST(Exports, CoverTheToolkits) {
  const std::string toolkit = LANESCOPE_TOOLKIT_CUDART;
  if (toolkit.empty()) GTEST_SKIP() << "no CUDA toolkit here";
  const auto theirs = exported_names(toolkit);
  ASSERT_GT(theirs.size(), 100u);
  const auto ours = exported_names(kLibraries + "13");
  for (const std::string& name : theirs) EXPECT_TRUE(ours.contains(name)) << name;
}

}  // namespace
