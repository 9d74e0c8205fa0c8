// What to launch: the command line and launch files (TOML, JSON; docs/launch.md) both become one Job.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernel_launch/argument.h"

namespace lanescope::kernel_launch {

// Numbers of a shape or a size are expressions; names get their values when the job is run.
struct Shape {
  std::vector<std::string> grid, block, cluster;  // x, y, z; missing ones are 1
  std::string shared;                             // dynamic shared memory, bytes; empty: 0
  bool cooperative = false;
};

struct Launch {
  std::string kernel;  // mangled, or as Nsight Compute prints it, or its bare name; empty: the file's only one
  Shape shape;
  std::vector<Argument> arguments;
};

struct Print {
  std::string buffer;
  std::optional<Type> type;  // none: the buffer's
  bool hex = false;          // a dump of bytes
  std::string count;         // elements (bytes of a dump); "all"; empty: a screenful
};

struct Save {
  std::string buffer, path;
};

// Equal bit for bit when both are 0; else |value - expected| <= absolute + relative * |expected|, NaN equal to NaN.
struct Compare {
  std::string buffer, path;
  double relative = 0, absolute = 0;
};

struct Outputs {
  std::vector<Print> print;
  std::vector<Save> save;
  std::vector<Compare> compare;
};

struct Job {
  std::string file;                                      // cubin, fatbin, program, .ptx, .cu
  std::string arch;                                      // "sm_90"; empty: what the file has
  std::vector<std::string> nvcc_flags;                   // for .cu
  std::vector<std::pair<std::string, std::string>> set;  // names for numbers, in order
  std::vector<std::pair<std::string, Buffer>> buffers;   // that several launches share
  std::vector<Launch> launches;
  Outputs outputs;
};

bool is_launch_file(std::string_view path);  // .toml or .json

// A launch file's text; what is wrong is an Error (Fault::kInput) that names the place. `path` tells TOML from JSON,
// and the files that the text names are relative to its folder.
Result<Job> read_launch_file(std::string_view text, const std::string& path);

// "4", "4,2", "4x2x1", "n/256,n".
Result<std::vector<std::string>> parse_dimensions(std::string_view text);
Result<std::pair<std::string, std::string>> parse_set(std::string_view text);  // "n=1024"
Result<Print> parse_print(std::string_view text);                              // "A", "A:f32", "A:hex:64"
Result<Save> parse_save(std::string_view text);                                // "A=out.bin"
Result<Compare> parse_compare(std::string_view text);                          // "A=ref.bin", "A=ref.bin,rel=1e-5"

}  // namespace lanescope::kernel_launch
