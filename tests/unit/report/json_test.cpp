#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "report/json.h"
#include "report/spool.h"
#include "sample.h"

namespace lanescope::report {
namespace {

namespace fs = std::filesystem;

void expect_same(const Report& a, const Report& b) {
  EXPECT_EQ(dump(report_header(a)), dump(report_header(b)));
  EXPECT_EQ(a.notes, b.notes);
  ASSERT_EQ(a.launches.size(), b.launches.size());
  for (std::size_t i = 0; i < a.launches.size(); ++i) {
    EXPECT_EQ(dump(launch_header(a.launches[i])), dump(launch_header(b.launches[i])));
    const auto& rows = rows_of(a, a.launches[i]);
    const auto& others = rows_of(b, b.launches[i]);
    ASSERT_EQ(rows.size(), others.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      EXPECT_EQ(rows[r].offset, others[r].offset);
      EXPECT_EQ(rows[r].text, others[r].text);
      EXPECT_EQ(rows[r].function, others[r].function);
      EXPECT_EQ(rows[r].executed, others[r].executed);
      EXPECT_EQ(rows[r].threads, others[r].threads);
      EXPECT_EQ(rows[r].threads_on, others[r].threads_on);
      EXPECT_EQ(rows[r].divergent, others[r].divergent);
      EXPECT_EQ(rows[r].shared_array, others[r].shared_array);
      EXPECT_EQ(rows[r].timing_dependent, others[r].timing_dependent);
      ASSERT_EQ(rows[r].at.size(), others[r].at.size());
      for (std::size_t p = 0; p < rows[r].at.size(); ++p) {
        EXPECT_EQ(rows[r].at[p].file, others[r].at[p].file);
        EXPECT_EQ(rows[r].at[p].line, others[r].at[p].line);
      }
      ASSERT_EQ(rows[r].memory.has_value(), others[r].memory.has_value());
      if (!rows[r].memory) continue;
      const auto &m = *rows[r].memory, &n = *others[r].memory;
      EXPECT_EQ(m.access, n.access);
      EXPECT_EQ(m.spaces, n.spaces);
      EXPECT_EQ(m.bytes, n.bytes);
      EXPECT_EQ(m.estimate, n.estimate);
      EXPECT_EQ(m.accesses, n.accesses);
      EXPECT_EQ(m.wavefronts, n.wavefronts);
      EXPECT_EQ(m.wavefronts_ncu, n.wavefronts_ncu);
      EXPECT_EQ(m.wavefronts_ideal, n.wavefronts_ideal);
      EXPECT_EQ(m.wavefronts_ideal_ncu, n.wavefronts_ideal_ncu);
      EXPECT_EQ(m.conflicts, n.conflicts);
      EXPECT_EQ(m.sectors, n.sectors);
      EXPECT_EQ(m.sectors_ideal, n.sectors_ideal);
      EXPECT_EQ(m.tags, n.tags);
      EXPECT_EQ(m.local_sectors, n.local_sectors);
    }
  }
}

Report rich_report() {
  Report report = sample::process();
  report.notes = {"a note", "not UTF-8 is replaced"};
  InstructionRow& row = report.launches[0].rows[3];
  row.at.push_back({"inlined \"quoted\".h", 7});
  row.at.push_back({"transpose.cu", 3});
  row.timing_dependent = true;
  row.function = "helper(float)";
  row.divergent = std::uint64_t{1} << 60;
  row.memory->access = engine::Access::kAsyncWriteBypass;
  row.memory->spaces = 3;
  row.memory->estimate = true;
  row.memory->wavefronts_ncu += 1;
  row.memory->local_sectors = 5;
  report.launches[0].stopped = "out of bounds";
  report.launches[1].order_dependent = true;
  return report;
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("lanescope-json-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  std::string path() const { return path_; }

 private:
  fs::path path_;
};

std::string spool_text(const Report& report) {
  LineWriter writer;
  std::string text = writer.header(report);
  for (const std::string& note : report.notes) text += LineWriter::note(note);
  for (const Launch& launch : report.launches) text += writer.launch(launch);
  return text;
}

TEST(Document, ComesBackAsItWas) {
  Document document = sample::document();
  document.processes[0] = rich_report();
  document.exit_code = 139;
  const auto back = read_document(write_document(document), "test");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->program, document.program);
  EXPECT_EQ(back->exit_code, 139);
  EXPECT_EQ(back->sources, document.sources);
  ASSERT_EQ(back->processes.size(), 1u);
  expect_same(document.processes[0], back->processes[0]);
}

TEST(Document, WritesRepeatedLaunchesOnce) {
  Document document = sample::document();
  const std::size_t before = write_document(document).size();
  for (std::uint64_t i = 4; i < 1004; ++i) document.processes[0].launches.push_back(sample::scale(i));
  EXPECT_LT(write_document(document).size() - before, 1000u * 600);
  const auto back = read_document(write_document(document), "test");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->processes[0].launches[1003 - 1].rows_of, 1);
  expect_same(document.processes[0], back->processes[0]);
}

TEST(Document, RefusesWhatIsNoReport) {
  EXPECT_FALSE(read_document("", "empty"));
  EXPECT_FALSE(read_document("[]", "list"));
  EXPECT_FALSE(read_document("{\"schema\":\"other\",\"version\":1}", "other"));
  std::string next = write_document(sample::document());
  next.replace(next.find("\"version\":1"), 11, "\"version\":2");
  const auto result = read_document(next, "next.json");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::kInput);
  EXPECT_NE(result.error().message.find("next.json"), std::string::npos);
}

// Whatever a damaged file holds, reading it ends with a value or an error.
TEST(Document, SurvivesDamage) {
  const std::string text = write_document(sample::document());
  constexpr std::size_t kStep = 7;  // a prime, to meet every kind of place
  std::size_t refused = 0, cuts = 0;
  for (std::size_t i = 0; i < text.size(); i += kStep, ++cuts) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] == '9' ? '-' : '9');
    refused += !read_document(damaged, "damaged");
    refused += !read_document(std::string_view(text).substr(0, i), "cut");
  }
  EXPECT_GT(refused, cuts);  // every cut, and some of the damaged
}

TEST(Spool, ComesBackAsItWas) {
  const Folder folder;
  const Report report = rich_report();
  Report child = sample::process();
  child.process = 12;
  folder.write("4711.jsonl", spool_text(report));
  folder.write("12.jsonl", spool_text(child));
  folder.write("unrelated.txt", "x\n");
  const auto reports = read_spool(folder.path());
  ASSERT_TRUE(reports);
  ASSERT_EQ(reports->size(), 2u);
  expect_same(child, reports->at(0));
  expect_same(report, reports->at(1));
  EXPECT_EQ(reports->at(1).launches[2].rows_of, 1);
}

TEST(Spool, IgnoresAnIncompleteLastLine) {
  const Folder folder;
  const std::string text = spool_text(sample::process());
  folder.write("1.jsonl", text.substr(0, text.size() - 10));
  const auto reports = read_spool(folder.path());
  ASSERT_TRUE(reports);
  ASSERT_EQ(reports->size(), 1u);
  EXPECT_EQ(reports->at(0).launches.size(), 2u);
  EXPECT_TRUE(reports->at(0).notes.empty());
}

TEST(Spool, SaysHowManyLinesItCouldNotRead) {
  const Folder folder;
  folder.write("1.jsonl", spool_text(sample::process()) + "{broken\n{\"launch\":{}}\n");
  const auto reports = read_spool(folder.path());
  ASSERT_TRUE(reports);
  ASSERT_EQ(reports->at(0).notes.size(), 1u);
  EXPECT_EQ(reports->at(0).notes[0].substr(0, 7), "2 lines");
}

TEST(Spool, AnExecStartsAnotherReport) {
  const Folder folder;
  folder.write("7.jsonl", spool_text(sample::process()) + spool_text(rich_report()));
  const auto reports = read_spool(folder.path());
  ASSERT_TRUE(reports);
  ASSERT_EQ(reports->size(), 2u);
  expect_same(rich_report(), reports->at(1));
}

TEST(Spool, AMissingFolderIsAnError) { EXPECT_FALSE(read_spool("/nonexistent/folder")); }

TEST(Json, BytesThatAreNotUtf8DoNotStopTheReport) {
  EXPECT_EQ(LineWriter::note("caf\xe9"), "{\"note\":\"caf\xef\xbf\xbd\"}\n");
}

}  // namespace
}  // namespace lanescope::report
