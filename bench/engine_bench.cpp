// Speed of the engine on the workloads: with counting off and on, on one thread and on two.
//   thread_instructions   a second, predicated-on, as Nsight Compute counts them
//   warp_instruction      time of one warp instruction
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "engine/launch.h"
#include "engine/memory.h"
#include "loader/module.h"
#include "observe/counters.h"
#include "workloads.h"

namespace {

using lanescope::bench::Workload;
namespace engine = lanescope::engine;
namespace loader = lanescope::loader;
namespace observe = lanescope::observe;

// A benchmark can only give up when its own kernels do not load.
template <class T>
T must(lanescope::Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "engine_bench: {}\n", result.error().message);
  std::exit(1);
}

loader::Module load_kernels() {
  std::ifstream file(LANESCOPE_BENCH_FOLDER "/kernels.sm_90.cubin", std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  loader::Module module = must(loader::load_cubin(bytes, "bench/kernels.sm_90.cubin"));
  loader::place_globals(module, 0);  // it has none
  return module;
}

// A workload in device memory.
struct Prepared {
  std::unique_ptr<engine::DeviceMemory> memory;
  std::vector<std::uint64_t> buffers;    // device addresses
  std::vector<std::uint8_t> parameters;  // pointers, then the size

  explicit Prepared(const Workload& work) : memory(must(engine::DeviceMemory::create(std::uint64_t{1} << 30))) {
    for (const auto& bytes : work.buffers) buffers.push_back(must(memory->allocate(bytes.size())));
    parameters.resize(buffers.size() * 8 + 4);
    std::memcpy(parameters.data(), buffers.data(), buffers.size() * 8);
    std::memcpy(parameters.data() + buffers.size() * 8, &work.size, 4);
    reset(work);
  }

  // The buffers' initial contents.
  void reset(const Workload& work) {
    for (std::size_t i = 0; i < buffers.size(); i++) {
      std::memcpy(memory->view(buffers[i], work.buffers[i].size()), work.buffers[i].data(), work.buffers[i].size());
    }
  }

  lanescope::bench::Bytes output(const Workload& work) {
    const std::uint64_t size = work.buffers.back().size();
    const std::uint8_t* data = memory->view(buffers.back(), size);
    return {data, data + size};
  }
};

engine::LaunchResult launch(engine::Program& program, const Workload& work, Prepared& prepared, unsigned threads,
                            bool count) {
  engine::LaunchRequest request;
  request.kernel = program.module().find(work.name);
  request.grid = {work.grid[0], work.grid[1], work.grid[2]};
  request.block = {work.block[0], work.block[1], work.block[2]};
  request.parameters = prepared.parameters;
  request.memory = prepared.memory.get();

  engine::LaunchOptions options;
  options.threads = threads;
  options.profile = count;
  const auto instructions = static_cast<std::uint32_t>(program.module().code.size());
  std::vector<observe::Counters> counters;
  if (count) {
    for (unsigned worker = 0; worker < threads; worker++) counters.emplace_back(instructions);
    options.observe = [&](unsigned worker) { return counters[worker].observer(); };
  }
  engine::LaunchResult result = must(engine::launch(program, request, options));
  std::vector<observe::MemoryCounts> sum(instructions);
  for (observe::Counters& part : counters) add(sum, part.take());
  benchmark::DoNotOptimize(sum);
  return result;
}

void measure(benchmark::State& state, engine::Program& program, const Workload& work, unsigned threads, bool count) {
  Prepared prepared(work);
  const engine::LaunchResult first = launch(program, work, prepared, threads, count);
  if (first.stop) return state.SkipWithError(first.stop->message.c_str());
  if (const std::string problem = work.problem(prepared.output(work)); !problem.empty()) {
    return state.SkipWithError(problem.c_str());
  }
  double thread_instructions = 0, warp_instructions = 0;
  for (auto _ : state) {
    const engine::LaunchResult result = launch(program, work, prepared, threads, count);
    thread_instructions += static_cast<double>(result.thread_instructions);
    warp_instructions += static_cast<double>(result.warp_instructions);
  }
  using Counter = benchmark::Counter;
  state.counters["thread_instructions"] = Counter(thread_instructions, Counter::kIsRate);
  state.counters["warp_instruction"] = Counter(warp_instructions, Counter::kIsRate | Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  const loader::Module module = load_kernels();
  const std::unique_ptr<engine::Program> program = must(engine::Program::create(module));
  const std::vector<Workload> all = lanescope::bench::workloads();
  for (const Workload& work : all) {
    for (const unsigned threads : {1u, 2u}) {
      for (const bool count : {false, true}) {
        const std::string name = fmt::format("{}/counting:{}/threads:{}", work.name, count ? "on" : "off", threads);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&program, &work, threads, count](benchmark::State& state) {
                                       measure(state, *program, work, threads, count);
                                     })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  benchmark::AddCustomContext("machine", lanescope::bench::machine_name());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
