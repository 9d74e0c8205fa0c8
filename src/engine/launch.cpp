#include "engine/launch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <thread>

#include "engine/launch_state.h"
#include "isa/arch.h"

namespace lanescope::engine {
namespace {

using Clock = std::chrono::steady_clock;

// A block that has run this long may be waiting for another: it gives way to one that has not started.
constexpr std::uint64_t kBlockSlice = std::uint64_t{1} << 26;
constexpr std::uint64_t kCooperativeSlice = std::uint64_t{1} << 18;
constexpr std::size_t kResidentBlocks = 64;

template <class T>
std::uint64_t put(std::vector<std::uint8_t>& bank, std::uint64_t offset, T value) {
  if (bank.size() < offset + sizeof value) bank.resize(offset + sizeof value);
  std::memcpy(bank.data() + offset, &value, sizeof value);
  return offset + sizeof value;
}

// Constant bank 0: what the driver writes for a launch, then the parameters.
std::vector<std::uint8_t> make_bank0(const LaunchState& state, const isa::Arch& arch) {
  const LaunchRequest& request = *state.request;
  std::vector<std::uint8_t> bank = state.kernel->bank0;
  const auto put3 = [&](std::uint64_t offset, Dim3 dim) {
    put(bank, put(bank, put(bank, offset, dim.x), dim.y), dim.z);
  };
  put3(arch.constants.block_dim, request.block);
  put3(arch.constants.grid_dim, request.grid);
  put(bank, arch.constants.stack_top, state.local_bytes);
  put(bank, arch.constants.local_window, kLocalWindow);
  if (arch.constants.grid_workspace != 0)
    put(bank, put(bank, arch.constants.grid_workspace, static_cast<std::uint32_t>(state.grid_workspace >> 32)),
        static_cast<std::uint32_t>(state.grid_workspace));
  put(bank, arch.constants.bank3_address, state.program->module->bank3_address);
  if (arch.constants.shared_window != 0) put(bank, arch.constants.shared_window, kSharedWindow);
  const std::uint64_t base = state.kernel->parameter_base;
  if (bank.size() < base + request.parameters.size()) bank.resize(base + request.parameters.size());
  std::copy(request.parameters.begin(), request.parameters.end(), bank.begin() + static_cast<std::ptrdiff_t>(base));
  return bank;
}

void fill_pool(LaunchState& state) {
  const auto& rows = state.program->pool;
  state.pool.resize(rows.size() * kLanes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint32_t value = rows[i].value;
    if (rows[i].kind == PoolRow::Kind::kConstant)
      value = rows[i].bank < kBanks ? read_at<std::uint32_t>(state.banks[rows[i].bank], rows[i].value).value_or(0) : 0;
    std::fill_n(state.pool.begin() + static_cast<std::ptrdiff_t>(i * kLanes), kLanes, value);
  }
}

Dim3 block_index(std::uint64_t linear, Dim3 grid) {
  return {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(linear / grid.x % grid.y),
          static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Makes `block` (new, or one that finished) the block of that index, all registers and shared memory zero.
void prepare_block(const LaunchState& state, Block& block, std::uint64_t linear) {
  const LaunchRequest& request = *state.request;
  const auto threads = static_cast<std::uint32_t>(request.block.count());
  const std::uint32_t warps = (threads + kLanes - 1) / kLanes;
  const std::uint64_t local = std::uint64_t{state.local_bytes} * kLanes;
  const std::uint64_t frame = kFrameBytes + kRowBytes;  // the extra row keeps neighbours out of each other's cache sets
  if (block.storage == nullptr) {
    const std::uint64_t bytes = warps * (frame + local) + round_up(state.shared_bytes, 64) + 64;
    block.storage = std::make_unique<std::byte[]>(bytes);
    block.warps.resize(warps);
    auto at = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uint64_t>(block.storage.get()), 64));
    block.shared = reinterpret_cast<std::uint8_t*>(at);
    at += round_up(state.shared_bytes, 64);
    for (std::uint32_t w = 0; w < warps; ++w) {
      block.warps[w].frame = at + w * frame;
      block.warps[w].local = reinterpret_cast<std::uint8_t*>(at + warps * frame + w * local);
    }
  } else {
    std::memset(block.shared, 0, state.shared_bytes);
  }
  block.linear = static_cast<std::uint32_t>(linear);
  block.index = block_index(linear, request.grid);
  block.threads = threads;
  block.instructions = 0;
  block.finished = false;
  block.live_warps = warps;
  std::fill(std::begin(block.barriers), std::end(block.barriers), BlockBarrier{});
  // Up to three more than the highest named: the rest of a 128-bit value.
  const std::uint32_t registers = std::min(state.program->registers + 3, 255u);
  const std::uint32_t uniforms = std::min(state.program->uniforms + 3, kUniformRows);
  for (std::uint32_t w = 0; w < warps; ++w) {
    Warp& warp = block.warps[w];
    std::memset(warp.frame, 0, uniform_offset(uniforms));
    std::memset(warp.frame + register_offset(0), 0, registers * kRowBytes);
    // The stack grows down from its top; what the kernel is known to use is cleared.
    const std::uint64_t known = round_up(state.kernel->local_bytes, 16) * kLanes;
    if (known != 0) std::memset(warp.local + local - known, 0, known);
    auto& header = *reinterpret_cast<FrameHeader*>(warp.frame);
    header.predicate[kPredicateTrue] = header.predicate[kUniformPredicate + 7] = kAllLanes;
    warp.index = w;
    const std::uint32_t lanes = std::min<std::uint32_t>(kLanes, threads - w * kLanes);
    start(warp, lanes == kLanes ? kAllLanes : (1u << lanes) - 1, state.kernel->first);
  }
}

void record_stop(LaunchState& state, const Worker& worker, const DeviceStop& stop) {
  const std::lock_guard lock(state.stop_mutex);
  state.stopping = true;
  const Block& block = *worker.context.block;
  // The first in block order wins, so that the message does not depend on the number of threads where it need not.
  if (state.stop && state.stop->block <= block.linear) return;
  state.stop = Stop{.reason = stop.reason,
                    .instruction = stop.instruction,
                    .block = block.linear,
                    .warp = worker.context.warp->index,
                    .lane = stop.lane,
                    .address = stop.address,
                    .message = stop.detail};
}

// What a run of instructions that a stop cut short has executed.
void tally_cut_run(Worker& worker, std::uint32_t last) {
  const Context& ctx = worker.context;
  if (last < ctx.first) return;
  const std::int64_t threads = std::popcount(ctx.active);
  ++worker.tally.runs[ctx.first];
  --worker.tally.runs[last + 1];
  worker.tally.run_threads[ctx.first] += threads;
  worker.tally.run_threads[last + 1] -= threads;
  worker.instructions += last + 1 - ctx.first;
}

void check_limit(LaunchState& state, Worker& worker, std::uint64_t& reported) {
  const std::uint64_t total = state.instructions += worker.instructions - reported;
  reported = worker.instructions;
  const std::uint64_t limit = state.options->max_instructions;
  if (limit == 0 || total <= limit) return;
  const Warp& warp = *worker.context.warp;
  throw DeviceStop{
      StopReason::kInstructionLimit, warp.count != 0 ? warp.groups[0].pc : state.kernel->first, 0, 0,
      fmt::format("the launch has executed {} warp instructions, its limit (--max-instructions): it may never end",
                  limit)};
}

// Runs blocks until there are none left. Resident blocks take turns; more are started while they wait for each other.
void work(LaunchState& state, Worker& worker) {
  const bool together = state.request->cooperative;
  const std::uint64_t slice = state.options->max_instructions != 0 ? std::uint64_t{1} << 20 : kBlockSlice;
  std::deque<std::unique_ptr<Block>> resident;
  std::vector<std::unique_ptr<Block>> spare;
  std::uint64_t reported = 0;
  const auto start_one = [&] {
    const std::uint64_t linear = state.next_block++;
    if (linear >= state.blocks) return false;
    std::unique_ptr<Block> block;
    if (spare.empty())
      block = std::make_unique<Block>();
    else
      block = std::move(spare.back()), spare.pop_back();
    prepare_block(state, *block, linear);
    resident.push_back(std::move(block));
    return true;
  };
  try {
    while (!state.stopping) {
      if (together)
        while (start_one()) {
        }
      if (resident.empty() && !start_one()) break;
      Block& block = *resident.front();
      const BlockState result = run_block(worker, block, together ? kCooperativeSlice : slice);
      check_limit(state, worker, reported);
      if (result == BlockState::kFinished) {
        ++state.blocks_done;
        spare.push_back(std::move(resident.front()));
        resident.pop_front();
      } else {
        if (!together && resident.size() < kResidentBlocks && worker.instructions > kBlockSlice) start_one();
        std::rotate(resident.begin(), resident.begin() + 1, resident.end());
      }
    }
  } catch (const DeviceStop& stop) {
    tally_cut_run(worker, stop.instruction);
    record_stop(state, worker, stop);
  }
}

void init_worker(LaunchState& state, Worker& worker, unsigned index) {
  const std::size_t instructions = state.program->module->code.size() + 2;
  worker.launch = &state;
  worker.tally.runs.assign(instructions, 0);
  worker.tally.run_threads.assign(instructions, 0);
  worker.tally.off.assign(instructions, 0);
  worker.tally.divergent.assign(instructions, 0);
  worker.ranges.assign(state.program->memory_slots + 1, RangeCache{});
  Context& ctx = worker.context;
  ctx.worker = &worker;
  ctx.base[1] = reinterpret_cast<std::byte*>(state.pool.data());
  ctx.shared_bytes = state.shared_bytes;
  ctx.local_bytes = state.local_bytes;
  ctx.ranges = worker.ranges.data();
  if (state.options->observe) ctx.observer = state.options->observe(index);
}

void add_profile(LaunchResult& result, const Tally& tally, std::size_t count) {
  ExecutionProfile& profile = result.profile;
  std::int64_t runs = 0, threads = 0;
  for (std::size_t i = 0; i < count; ++i) {
    runs += tally.runs[i];
    threads += tally.run_threads[i];
    profile.executed[i] += static_cast<std::uint64_t>(runs);
    profile.threads[i] += static_cast<std::uint64_t>(threads);
    profile.threads_on[i] += static_cast<std::uint64_t>(threads) - tally.off[i];
    profile.divergent[i] += tally.divergent[i];
  }
}

// A few bytes of device memory where the blocks of a cooperative launch meet: { size, barrier }, zero at first.
struct GridWorkspace {
  static constexpr std::uint32_t kBytes = 16;
  DeviceMemory* memory = nullptr;
  std::uint64_t address = 0;

  explicit GridWorkspace(const LaunchRequest& request) {
    if (!request.cooperative) return;
    const auto allocated = request.memory->allocate(kBytes);
    if (!allocated) return;
    memory = request.memory;
    address = *allocated;
    std::uint8_t* const view = memory->view(address, kBytes);
    std::memset(view, 0, kBytes);
    std::memcpy(view, &kBytes, sizeof kBytes);
  }
  ~GridWorkspace() {
    if (memory != nullptr) memory->release(address);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
};

Result<void> check_request(const LaunchRequest& request, const loader::Module& module, const isa::Arch& arch) {
  const std::string& name = request.kernel->demangled;
  if (request.grid.count() == 0 || request.block.count() == 0)
    return usage_error("{}: a grid and a block need at least one block and one thread", name);
  if (request.block.count() > 1024 || request.block.x > 1024 || request.block.y > 1024 || request.block.z > 64)
    return usage_error("{}: a block of {}x{}x{} threads is more than the hardware takes (1024, z at most 64)", name,
                       request.block.x, request.block.y, request.block.z);
  if (request.grid.x > 0x7fffffffu || request.grid.y > 65535 || request.grid.z > 65535 ||
      request.grid.count() > 0xffffffffu)
    return usage_error("{}: a grid of {}x{}x{} blocks is more than the hardware takes", name, request.grid.x,
                       request.grid.y, request.grid.z);
  const std::uint64_t shared = std::uint64_t{request.kernel->static_shared} + request.dynamic_shared;
  if (shared > arch.max_shared_per_block_optin)
    return usage_error("{}: {} bytes of shared memory a block are more than sm_{} has ({})", name, shared, module.sm,
                       arch.max_shared_per_block_optin);
  return {};
}

}  // namespace

Result<LaunchResult> launch(Program& program, const LaunchRequest& request, const LaunchOptions& options) {
  Program::Impl& impl = program.impl();
  const loader::Module& module = *impl.module;
  const isa::Arch* arch = isa::find_arch(module.sm);
  if (arch == nullptr) return input_error("{}: sm_{} is not an architecture that can be run", module.origin, module.sm);
  if (auto ok = check_request(request, module, *arch); !ok) return tl::unexpected(ok.error());

  const auto begin = Clock::now();
  LaunchState state;
  state.program = &impl;
  state.request = &request;
  state.options = &options;
  state.kernel = request.kernel;
  {
    const std::lock_guard lock(impl.mutex);
    for (std::uint32_t f = 0; f < module.functions.size(); ++f)
      if (&module.functions[f] == request.kernel || !module.functions[f].is_kernel) impl.lower(f);
  }
  // Recursion needs more than the file says, and the file does not always tell that there is any: as on a device, every
  // kernel that touches local memory has the stack limit.
  const std::uint32_t stack = impl.uses_local ? request.stack_limit : 0;
  state.local_bytes = static_cast<std::uint32_t>(round_up(std::max(request.kernel->local_bytes, stack), 16));
  state.shared_bytes = request.kernel->shared_base + request.kernel->static_shared + request.dynamic_shared;
  const GridWorkspace workspace(request);
  state.grid_workspace = workspace.address;
  state.bank0 = make_bank0(state, *arch);
  state.banks[0] = state.bank0;
  state.banks[2] = request.kernel->bank2;
  state.banks[3] = impl.bank3;
  state.banks[4] = module.bank4;
  fill_pool(state);
  state.blocks = request.grid.count();

  unsigned threads = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  if (options.deterministic) threads = 1;
  threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, state.blocks));
  std::vector<Worker> workers(threads);
  for (unsigned i = 0; i < threads; ++i) init_worker(state, workers[i], i);
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([&, i] { work(state, workers[i]); });
    work(state, workers[0]);
  }

  // As after a synchronisation on the device; by blocks, so that it does not depend on the number of threads.
  for (const auto& [block, text] : state.printed) std::fwrite(text.data(), 1, text.size(), stdout);

  LaunchResult result;
  const std::size_t count = module.code.size();
  for (auto* column :
       {&result.profile.executed, &result.profile.threads, &result.profile.threads_on, &result.profile.divergent})
    column->assign(count, 0);
  for (const Worker& worker : workers) {
    add_profile(result, worker.tally, count);
    result.warp_instructions += worker.instructions;
    result.order_dependent |= worker.order_dependent;
  }
  for (const std::uint64_t on : result.profile.threads_on) result.thread_instructions += on;
  result.stop = std::move(state.stop);
  if (result.stop) result.stop->message = describe_stop(module, request.grid, *result.stop);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace lanescope::engine
