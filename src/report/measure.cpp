#include "report/measure.h"

#include <algorithm>
#include <bit>

namespace lanescope::report {

// What one worker of a launch counts. Where a kernel has several arrays of shared memory, the lowest address of a first
// lane tells which one an instruction is about.
struct Measurement::Worker {
  observe::Counters counters;
  engine::Observer count;
  std::vector<std::uint32_t> lowest;

  explicit Worker(std::uint32_t instructions) : counters(instructions), count(counters.observer()) {}

  static void observe(void* self, const engine::MemoryEvent& event) {
    auto& worker = *static_cast<Worker*>(self);
    worker.count.memory(worker.count.self, event);
    if (event.space != engine::Space::kShared) return;
    const auto address = static_cast<std::uint32_t>(event.addresses[std::countr_zero(event.active)]);
    std::uint32_t& lowest = worker.lowest[event.instruction];
    lowest = std::min(lowest, address);
  }
};

Measurement::Measurement(const loader::Module& module, const loader::Function& kernel)
    : instructions_(module.code.size()), tell_arrays_(kernel.shared_arrays.size() > 1) {}

Measurement::~Measurement() = default;

engine::Observer Measurement::add_worker() {
  const std::lock_guard lock(mutex_);
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>(static_cast<std::uint32_t>(instructions_)));
  if (!tell_arrays_) return worker.count;
  worker.lowest.assign(instructions_, kNoAddress);
  return {Worker::observe, &worker};
}

Measured Measurement::total() {
  Measured sum;
  sum.counts.resize(instructions_);
  if (tell_arrays_) sum.shared_addresses.assign(instructions_, kNoAddress);
  for (const auto& worker : workers_) {
    observe::add(sum.counts, worker->counters.take());
    for (std::size_t i = 0; i < sum.shared_addresses.size(); ++i)
      sum.shared_addresses[i] = std::min(sum.shared_addresses[i], worker->lowest[i]);
  }
  return sum;
}

}  // namespace lanescope::report
