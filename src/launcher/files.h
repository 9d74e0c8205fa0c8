// Files and folders around a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lanescope::launcher {

// A folder of our own below $TMPDIR or /tmp, removed with all that is in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Result<std::vector<std::uint8_t>> read_file(const std::string& path);
Result<void> write_file(const std::string& path, const std::string& text);  // "-": standard output

// The file that a shell would run for `name`: looked for in the folders of PATH when it has no slash.
Result<std::string> find_program(const std::string& name);

}  // namespace lanescope::launcher
