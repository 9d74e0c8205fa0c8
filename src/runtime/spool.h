// The report of this process, written while the program runs: a file of JSON lines, <folder>/<pid>.jsonl. The first
// line is a report without launches; then each launch and each note is a line of its own as soon as it is known. Every
// line is one write to a file opened for appending, so a crash loses nothing that was measured. A forked child writes a
// file of its own; a program started by exec in the same process appends another report to the same file.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "report/report.h"
#include "report/spool.h"

namespace lanescope::runtime {

class Spool {
 public:
  // An empty folder: nothing is ever written. The file is made with the first line.
  void open(const std::string& folder, std::uint32_t sm, const std::string& chip);
  bool active() const { return !folder_.empty(); }

  void start();  // makes the file now: the process is one that uses CUDA

  void launch(const report::Launch& launch);
  void note(const std::string& text);
  void note_once(const std::string& text);

 private:
  void write(const std::string& text);
  bool ready();

  std::mutex mutex_;
  std::string folder_;
  std::uint32_t sm_ = 0;
  std::string chip_;
  int file_ = -1;
  int process_ = 0;  // whose file that is
  report::LineWriter writer_;
  std::set<std::string> noted_;
};

}  // namespace lanescope::runtime
