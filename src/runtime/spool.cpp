#include "runtime/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime/state.h"

namespace lanescope::runtime {
namespace {

// The command line, its arguments separated by spaces.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line{std::istreambuf_iterator<char>(file), {}};
  while (!line.empty() && line.back() == '\0') line.pop_back();
  for (char& c : line) c = c == '\0' ? ' ' : c;
  return line;
}

}  // namespace

void Spool::open(const std::string& folder, std::uint32_t sm, const std::string& chip) {
  folder_ = folder;
  sm_ = sm;
  chip_ = chip;
}

// Opens this process's file and writes its first line, where that is still to do.
bool Spool::ready() {
  if (folder_.empty()) return false;
  if (process_ == getpid()) return file_ >= 0;
  if (file_ >= 0) close(file_);  // the parent's
  process_ = getpid();
  const std::string path = fmt::format("{}/{}.jsonl", folder_, process_);
  file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) {
    say(fmt::format("cannot write the report {}: {}", path, std::strerror(errno)));
    return false;
  }
  writer_ = {};
  report::Report header;
  header.program = command_line();
  header.sm = sm_;
  header.chip = chip_;
  header.process = process_;
  header.tool_version = LANESCOPE_VERSION;
  noted_.clear();
  write(writer_.header(header));
  return true;
}

void Spool::write(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {  // one write, but for a signal or a full disk
    const auto written = ::write(file_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

void Spool::start() {
  const std::lock_guard lock(mutex_);
  ready();
}

void Spool::launch(const report::Launch& launch) {
  const std::lock_guard lock(mutex_);
  if (ready()) write(writer_.launch(launch));
}

void Spool::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (ready()) write(report::LineWriter::note(text));
}

void Spool::note_once(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (ready() && noted_.insert(text).second) write(report::LineWriter::note(text));
}

}  // namespace lanescope::runtime
