#include "report/gates.h"

#include <gtest/gtest.h>

#include "sample.h"

namespace lanescope::report {
namespace {

std::vector<std::string> breaches(const std::string& gate, const Document& document = sample::document()) {
  const auto parsed = parse_gate(gate);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? check(document, {*parsed}, Rules::kHardware) : std::vector<std::string>{};
}

TEST(Gates, HoldUpToTheirLimit) {
  // 63,488 of 67,584 wavefronts are 93.94 %.
  EXPECT_EQ(breaches("conflicts=93%").size(), 1u);
  EXPECT_EQ(breaches("conflicts=94%").size(), 0u);
  EXPECT_EQ(breaches("conflicts=0%").size(), 1u);  // a kernel without conflicts holds it
}

TEST(Gates, ApplyToKernelsByPattern) {
  EXPECT_EQ(breaches("transpose*:conflicts=10%").size(), 1u);
  EXPECT_EQ(breaches("scale:conflicts=10%").size(), 0u);
  EXPECT_EQ(breaches("*float*, int):conflicts=10%").size(), 1u);  // the whole name counts as well
  EXPECT_EQ(breaches("ns::*:conflicts=10%").size(), 0u);
}

TEST(Gates, MeasureSectorsAgainstTheNeeded) {
  Document document = sample::document();
  EXPECT_TRUE(breaches("sectors=1x", document).empty());
  EXPECT_TRUE(breaches("uncoalesced", document).empty());
  observe::MemoryCounts& load = *document.processes[0].launches[0].rows[1].memory;
  load.sectors = 8 * load.sectors_ideal;  // 65,536 and the store's 8,192, for 16,384
  EXPECT_EQ(breaches("sectors=4x", document).size(), 1u);
  EXPECT_EQ(breaches("sectors=4.5x", document).size(), 0u);
  EXPECT_EQ(breaches("uncoalesced", document).size(), 1u);
}

TEST(Gates, FailOnWhatCouldNotBeRun) {
  Document document = sample::document();
  EXPECT_TRUE(breaches("unsupported", document).empty());
  document.processes[0].problems = {"unsupported: transpose: HMMA", "a copy was refused"};
  EXPECT_EQ(breaches("unsupported", document), std::vector<std::string>{"unsupported: transpose: HMMA"});
  EXPECT_TRUE(breaches("scale*:unsupported", document).empty());
}

TEST(Gates, SayWhatIsWrongWithThem) {
  for (const char* text : {"", "conflicts", "conflicts=10", "conflicts=-1%", "sectors=2", "sectors=x", "uncoalesced=1",
                           "x:", "conflicts=10%%", "conflicts=nan%", "bogus=1%"}) {
    const auto gate = parse_gate(text);
    ASSERT_FALSE(gate) << text;
    EXPECT_EQ(gate.error().fault, Fault::kUsage);
  }
}

TEST(Baseline, IsNoWorseThanItself) {
  EXPECT_TRUE(compare(sample::document(), sample::document(), 0, Rules::kHardware).empty());
}

TEST(Baseline, NamesEachFigureThatGotWorse) {
  Document now = sample::document();
  now.processes[0].launches[0].rows[3].memory->wavefronts += 676;  // 1.0003 % of 67,584
  EXPECT_EQ(compare(now, sample::document(), 0.01, Rules::kHardware).size(), 1u);
  EXPECT_EQ(compare(now, sample::document(), 0.02, Rules::kHardware).size(), 0u);
  EXPECT_EQ(compare(sample::document(), now, 0.01, Rules::kHardware).size(), 0u);  // better
}

TEST(Baseline, ComparesALaunchWithALaunch) {
  Document now = sample::document();
  for (std::uint64_t id = 4; id < 10; ++id) now.processes[0].launches.push_back(sample::scale(id));
  EXPECT_TRUE(compare(now, sample::document(), 0.01, Rules::kHardware).empty());
}

TEST(Baseline, ANewKernelIsNoBreach) {
  Document old = sample::document();
  old.processes[0].launches.resize(1);
  EXPECT_TRUE(compare(sample::document(), old, 0.01, Rules::kHardware).empty());
}

TEST(Percent, IsParsed) {
  EXPECT_DOUBLE_EQ(*parse_percent("1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_percent("12.5%"), 0.125);
  EXPECT_FALSE(parse_percent("1"));
  EXPECT_FALSE(parse_percent("%"));
}

}  // namespace
}  // namespace lanescope::report
