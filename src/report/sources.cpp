#include "report/sources.h"

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

std::map<std::uint32_t, std::string> read_lines(const std::string& path, const std::set<std::uint32_t>& wanted) {
  std::map<std::uint32_t, std::string> lines;
  std::ifstream file(path);
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
