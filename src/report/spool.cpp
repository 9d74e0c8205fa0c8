#include "report/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace lanescope::report {
namespace {

std::string line(const char* kind, Json value) { return dump(Json{{kind, std::move(value)}}) + "\n"; }

// Reads the lines of one file into reports.
class LineReader {
 public:
  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) break;  // cut off by the end of the process
      read_line(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    if (unreadable_ > 0 && !reports_.empty())
      reports_.back().notes.push_back(
          fmt::format("{} line{} of this process's report could not be read and {} missing here", unreadable_,
                      unreadable_ == 1 ? "" : "s", unreadable_ == 1 ? "is" : "are"));
  }

  std::vector<Report> take() { return std::move(reports_); }

 private:
  void read_line(std::string_view text) {
    try {
      const Json json = Json::parse(text);
      const auto member = json.begin();
      if (member.key() == "report") {
        reports_.push_back(read_report_header(member.value()));
        codes_.clear();
        counts_.clear();
        seen_.clear();
      } else if (member.key() == "code") {
        codes_.push_back(member.value());
      } else if (member.key() == "counts") {
        counts_.push_back(member.value());
      } else if (!reports_.empty() && member.key() == "note") {
        reports_.back().notes.push_back(member.value().get<std::string>());
      } else if (!reports_.empty() && member.key() == "problem") {
        reports_.back().problems.push_back(member.value().get<std::string>());
      } else if (!reports_.empty() && member.key() == "launch") {
        read_launch(member.value());
      }
    } catch (const std::exception&) {
      ++unreadable_;
    }
  }

  void read_launch(const Json& header) {
    std::vector<Launch>& launches = reports_.back().launches;
    Launch launch = read_launch_header(header);
    const auto code = header.at("code").get<std::size_t>(), counts = header.at("counts").get<std::size_t>();
    if (const auto first = seen_.find({code, counts}); first != seen_.end()) {
      launch.rows_of = first->second;
    } else {
      launch.rows = read_rows(codes_.at(code), counts_.at(counts));
      seen_[{code, counts}] = static_cast<int>(launches.size());
    }
    launches.push_back(std::move(launch));
  }

  std::vector<Report> reports_;
  std::vector<Json> codes_, counts_;
  std::map<std::pair<std::size_t, std::size_t>, int> seen_;  // code and counts: the first launch with them
  int unreadable_ = 0;
};

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

long process_number(const std::filesystem::path& path) { return std::strtol(path.stem().c_str(), nullptr, 10); }

}  // namespace

std::string LineWriter::header(const Report& report) {
  codes_ = {};
  counts_ = {};
  return line("report", report_header(report));
}

std::string LineWriter::launch(const Launch& launch) {
  std::string lines;
  Json header = launch_header(launch);
  const auto add = [&](const char* kind, Json record, Numbering& numbering) {
    const auto number = numbering.of(record);
    if (number.is_new) lines += line(kind, std::move(record));
    header[kind] = number.value;
  };
  add("code", launch_code(launch.rows), codes_);
  add("counts", launch_counts(launch.rows), counts_);
  return lines + line("launch", std::move(header));
}

std::string LineWriter::note(std::string_view text) { return line("note", text); }

std::string LineWriter::problem(std::string_view text) { return line("problem", text); }

Result<std::vector<Report>> read_spool(const std::string& folder) {
  std::error_code failure;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  if (failure) return internal_error("{}: the folder of measurements cannot be read: {}", folder, failure.message());
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return process_number(a) < process_number(b); });
  std::vector<Report> reports;
  for (const auto& path : files) {
    LineReader reader;
    reader.read(file_text(path));
    for (Report& report : reader.take()) reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace lanescope::report
