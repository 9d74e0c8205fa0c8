#include "report/sources.h"

#include <filesystem>
#include <fstream>
#include <set>

namespace lanescope::report {
namespace {

using Wanted = std::map<std::string, std::set<std::uint32_t>>;

Wanted wanted_lines(const std::vector<Report>& reports) {
  Wanted wanted;
  for (const Report& report : reports) {
    for (const Launch& launch : report.launches) {
      for (const InstructionRow& row : launch.rows) {
        for (const Position& position : row.at) {
          if (position.line != 0) wanted[position.file].insert(position.line);
        }
      }
    }
  }
  return wanted;
}

// The file itself, or, for a program that was built elsewhere, the longest tail of its path that exists beneath the
// working folder; a bare name is not enough, since another file may well have it.
std::filesystem::path locate(const std::string& name) {
  std::error_code error;
  if (std::filesystem::exists(name, error)) return name;
  std::filesystem::path tail = std::filesystem::path(name).relative_path();
  while (tail.has_parent_path() && !std::filesystem::exists(tail, error)) {
    std::filesystem::path shorter;
    for (auto part = std::next(tail.begin()); part != tail.end(); ++part) shorter /= *part;
    tail = shorter;
  }
  return tail.has_parent_path() ? tail : std::filesystem::path(name);
}

std::map<std::uint32_t, std::string> read_lines(const std::string& path, const std::set<std::uint32_t>& wanted) {
  std::map<std::uint32_t, std::string> lines;
  std::ifstream file(locate(path));
  std::string text;
  for (std::uint32_t line = 1; line <= *wanted.rbegin() && std::getline(file, text); ++line) {
    if (wanted.count(line) != 0) lines[line] = text;
  }
  return lines;
}

}  // namespace

Sources read_sources(const std::vector<Report>& reports) {
  Sources sources;
  for (const auto& [file, wanted] : wanted_lines(reports)) {
    auto lines = read_lines(file, wanted);
    if (!lines.empty()) sources[file] = std::move(lines);
  }
  return sources;
}

}  // namespace lanescope::report
