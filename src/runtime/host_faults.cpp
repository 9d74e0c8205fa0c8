#include "runtime/host_faults.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>

#include "runtime/state.h"

namespace lanescope::runtime {
namespace {

std::atomic<bool> installed{false};

// A process that faults here is about to die, so what is not safe in a handler can at worst change how.
void explain(int, siginfo_t* info, void*) {
  signal(SIGSEGV, SIG_DFL);  // on return the access is tried again, and ends the process
  const Runtime& rt = runtime();
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (rt.memory == nullptr || !rt.memory->is_device_address(address)) return;
  const auto near = rt.memory->nearest(address);
  if (!near) {
    say(fmt::format("host code touched device memory at {:#x}, where nothing is allocated", address));
    return;
  }
  const auto& allocation = near->allocation;
  const bool inside = address - allocation.address < allocation.bytes;
  say(fmt::format(
      "host code touched device memory at {:#x} ({} {} of {} bytes at {:#x}): copy it with cudaMemcpy first", address,
      inside ? "inside" : "near", near->freed ? "a freed allocation" : "the allocation", allocation.bytes,
      allocation.address));
}

}  // namespace

void explain_host_faults() {
  if (installed.exchange(true)) return;
  struct sigaction present {};
  if (sigaction(SIGSEGV, nullptr, &present) != 0) return;
  if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_sigaction = explain;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, nullptr);
}

}  // namespace lanescope::runtime
