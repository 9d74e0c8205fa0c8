#include "report/csv.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample.h"

namespace lanescope::report {
namespace {

TEST(Access, IsReadFromTheInstruction) {
  struct Case {
    const char *text, *space, *operation;
    int bits;
  };
  const Case cases[] = {
      {"LDS R1, [R2]", "Shared", "Load", 32},
      {"@!P0 LDS.128 R4, [R2+0x10]", "Shared", "Load", 128},
      {"STS.U8 [R2], R1", "Shared", "Store", 8},
      {"ATOMS.POPC.INC.32 RZ, [R2+URZ]", "Shared", "Atomic", 32},
      {"ATOMS.CAST.SPIN.64 R2, [R4], R2, R6", "Shared", "Atomic", 64},
      {"LDSM.16.M88.4 R4, [R2]", "Shared", "Load", 128},
      {"LDSM.16.MT88.2 R4, [R2]", "Shared", "Load", 64},
      {"LDG.E.U8.CONSTANT R1, desc[UR4][R2.64]", "Global", "Load", 8},
      {"LDG.E.LTC128B.64 R2, desc[UR4][R2.64]", "Global", "Load", 64},
      {"STG.E.128 desc[UR4][R2.64], R4", "Global", "Store", 128},
      {"REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", "Global", "Reduction", 32},
      {"ATOMG.E.CAS.STRONG.GPU PT, R0, [R2], R4, R5", "Global", "Atomic", 32},
      {"RED.E.ADD.F64.RN.STRONG.GPU [R2.64], R4", "Global", "Reduction", 64},
      {"LDL.128 R4, [R1]", "Local", "Load", 128},
      {"STL.U16 [R1+0x4], R4", "Local", "Store", 16},
      {"LD.E.S16 R4, desc[UR4][R2.64]", "Global,Shared", "Load", 16},
      {"LDGSTS.E.BYPASS.LTC128B.128 [R1], desc[UR4][R2.64]", "Global,Shared", "Load,Store", 128},
      {"LDC R1, c[0x0][0x28]", "", "", 0},
      {"FADD R1, R2, R3", "", "", 0},
      {"@P0", "", "", 0},
      {"", "", "", 0},
  };
  for (const Case& c : cases) {
    const AccessText access = access_of(c.text);
    EXPECT_EQ(access.space, c.space) << c.text;
    EXPECT_EQ(access.operation, c.operation) << c.text;
    EXPECT_EQ(access.bits, c.bits) << c.text;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

// Written with ' for ", to be readable.
std::string line(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

TEST(Csv, IsLaidOutAsNsightComputesSourcePage) {
  const auto lines = lines_of(to_csv(sample::document(), Rules::kNcu));
  ASSERT_EQ(lines.size(), 8u + 4u + 4u);  // each launch on its own, alike or not
  EXPECT_EQ(lines[0], line("'Kernel Name','void transpose_tile<(int)0>(const float *, float *, int)'"));
  EXPECT_EQ(lines[1], line("'Address','Source','Instructions Executed','Thread Instructions Executed',"
                           "'Predicated-On Thread Instructions Executed','Divergent Branches','Address Space',"
                           "'Access Operation','Access Size','L1 Tag Requests Global','L1 Conflicts Shared N-Way',"
                           "'L1 Wavefronts Shared Excessive','L1 Wavefronts Shared','L1 Wavefronts Shared Ideal',"
                           "'L2 Theoretical Sectors Global Excessive','L2 Theoretical Sectors Global',"
                           "'L2 Theoretical Sectors Global Ideal','L2 Theoretical Sectors Local'"));
  EXPECT_EQ(lines[2], line("'0x0','S2R R0, SR_TID.X','512','16384','16384','0','-','-','-',"
                           "'0','0','0','0','0','0','0','0','0'"));
  EXPECT_EQ(lines[5], line("'0x30','LDS R7, [R6]','2048','65536','65536','0','Shared','Load','32',"
                           "'0','32','63488','65536','2048','0','0','0','0'"));
  EXPECT_EQ(lines[8], line("'Kernel Name','scale(float *, float, int)'"));
  EXPECT_EQ(lines[10], line("'0x0','LDG.E R0, desc[UR4][R2.64]','512','16384','16384','0','Global','Load','32',"
                            "'512','0','0','0','0','0','2048','2048','0'"));
}

TEST(Csv, TakesEitherRule) {
  Document document = sample::document();
  observe::MemoryCounts& load = *document.processes[0].launches[0].rows[3].memory;
  load.wavefronts_ncu = 70000;
  load.wavefronts_ideal_ncu = 2000;
  const auto row = [&](Rules rules) { return lines_of(to_csv(document, rules))[5]; };
  EXPECT_NE(row(Rules::kNcu).find(line("'34.18','68000','70000','2000'")), std::string::npos);
  EXPECT_NE(row(Rules::kHardware).find(line("'32','63488','65536','2048'")), std::string::npos);
}

TEST(Csv, DoublesQuotes) {
  Document document = sample::document();
  document.processes[0].launches[0].kernel = "a\"b";
  EXPECT_EQ(lines_of(to_csv(document, Rules::kNcu))[0], line("'Kernel Name','a''b'"));
}

}  // namespace
}  // namespace lanescope::report
