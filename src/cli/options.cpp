#include "cli/options.h"

namespace lanescope::cli {

void add_program_options(CLI::App& app, ProgramOptions& o) {
  app.add_option("--arch", o.arch,
                 "the architecture to model, and to compile a .cu file for; by default what the program has code for")
      ->type_name("sm_NN")
      ->group("program");
  app.add_option("--nvcc-flags", o.nvcc_flags, "more flags for compiling a .cu file, as one word: '-O2 -DTILE=16'")
      ->type_name("FLAGS")
      ->group("program");
  app.add_option("--threads", o.threads, "threads that run blocks; by default one a core")
      ->type_name("N")
      ->group("program");
  app.add_flag("--deterministic", o.deterministic, "run blocks in order on one thread, so that runs are alike")
      ->group("program");
  app.add_option("--max-instructions", o.max_instructions, "stop a launch after so many warp instructions; 0: never")
      ->type_name("N")
      ->group("program");
}

std::vector<std::string> split_flags(const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : CLI::detail::split_up(text);
}

}  // namespace lanescope::cli
