#include "engine/externals.h"

#include <bit>
#include <cstdio>
#include <string>

#include "engine/launch_state.h"

namespace lanescope::engine {
namespace {

constexpr unsigned kArgument = 4, kReturnAddress = 20;
constexpr std::size_t kLongestString = 1 << 16;

std::uint32_t& reg(Context& ctx, unsigned index, int lane) {
  return reinterpret_cast<std::uint32_t*>(ctx.base[0] + register_offset(index))[lane];
}
std::uint64_t reg64(Context& ctx, unsigned index, int lane) {
  return reg(ctx, index, lane) | std::uint64_t{reg(ctx, index + 1, lane)} << 32;
}
void set_reg64(Context& ctx, unsigned index, int lane, std::uint64_t value) {
  reg(ctx, index, lane) = static_cast<std::uint32_t>(value);
  reg(ctx, index + 1, lane) = static_cast<std::uint32_t>(value >> 32);
}

// Reads a generic address as the lane would.
class LaneMemory {
 public:
  LaneMemory(const Context& ctx, int lane) : ctx_(ctx), lane_(lane) {}

  bool read_byte(std::uint64_t address, std::uint8_t& out) const {
    const std::uint64_t window = address & ~(kWindowBytes - 1), offset = address & (kWindowBytes - 1);
    const std::uint8_t* at = nullptr;
    if (window == kLocalWindow) {
      if (offset < ctx_.local_bytes)
        at = ctx_.local + (offset / 4 * kLanes + static_cast<std::uint64_t>(lane_)) * 4 + offset % 4;
    } else if (window == kSharedWindow) {
      const std::uint64_t inside = offset - (std::uint64_t{ctx_.shared_rank} << 24);
      if (inside < ctx_.shared_bytes) at = ctx_.shared + inside;
    } else {
      at = ctx_.worker->launch->request->memory->view(address, 1);
    }
    if (at != nullptr) out = *at;
    return at != nullptr;
  }

  std::uint64_t read(std::uint64_t address, unsigned bytes) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      std::uint8_t byte = 0;
      if (!read_byte(address + i, byte)) break;
      value |= std::uint64_t{byte} << 8 * i;
    }
    return value;
  }

  std::string string(std::uint64_t address) const {
    std::string text;
    std::uint8_t byte = 0;
    while (text.size() < kLongestString && read_byte(address + text.size(), byte) && byte != 0)
      text += static_cast<char>(byte);
    return text;
  }

 private:
  const Context& ctx_;
  int lane_;
};

// Walks the buffer of variable arguments: 4 bytes for an int, 8 aligned ones for all else.
class Arguments {
 public:
  Arguments(const LaneMemory& memory, std::uint64_t at) : memory_(memory), base_(at) {}
  std::uint64_t next(unsigned bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const std::uint64_t value = memory_.read(base_ + offset_, bytes);
    offset_ += bytes;
    return value;
  }

 private:
  const LaneMemory& memory_;
  std::uint64_t base_;
  std::uint64_t offset_ = 0;
};

template <class T>
std::string print_one(const std::string& specification, T value) {
  char buffer[512];
  const int length = std::snprintf(buffer, sizeof buffer, specification.c_str(), value);
  return length < 0 ? ""
                    : std::string(buffer, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1));
}

// One conversion, `%` to its letter; the host's printf does the work.
std::string convert(std::string specification, Arguments& arguments, const LaneMemory& memory) {
  const char letter = specification.back();
  const bool wide = specification.find('l') != std::string::npos || specification.find('z') != std::string::npos ||
                    specification.find('j') != std::string::npos || specification.find('t') != std::string::npos;
  switch (letter) {
    case 'd':
    case 'i':
      if (wide) return print_one(specification, static_cast<long long>(arguments.next(8)));
      return print_one(specification, static_cast<int>(arguments.next(4)));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (wide) return print_one(specification, static_cast<unsigned long long>(arguments.next(8)));
      return print_one(specification, static_cast<unsigned>(arguments.next(4)));
    case 'c':
      return print_one(specification, static_cast<int>(arguments.next(4)));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return print_one(specification, std::bit_cast<double>(arguments.next(8)));
    case 'p':
      return print_one(specification, reinterpret_cast<void*>(arguments.next(8)));
    case 's': {
      const std::string text = memory.string(arguments.next(8));
      return specification == "%s" ? text : print_one(specification, text.c_str());
    }
    default:
      return specification;
  }
}

std::string format(const std::string& pattern, Arguments arguments, const LaneMemory& memory) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      text += pattern[i];
      continue;
    }
    if (i + 1 < pattern.size() && pattern[i + 1] == '%') {
      text += '%';
      ++i;
      continue;
    }
    std::string specification = "%";
    while (++i < pattern.size()) {
      if (pattern[i] == '*') {
        specification += std::to_string(static_cast<int>(arguments.next(4)));
        continue;
      }
      specification += pattern[i];
      if (std::string_view("diuxXocfFeEgGaAps").find(pattern[i]) != std::string_view::npos) break;
    }
    text += convert(specification, arguments, memory);
  }
  return text;
}

void print(Context& ctx, const std::string& text) {
  LaunchState& launch = *ctx.worker->launch;
  const std::lock_guard lock(launch.stop_mutex);
  launch.printed[ctx.block->linear] += text;
}

void vprintf(Context& ctx, int lane) {
  const LaneMemory memory(ctx, lane);
  const std::string pattern = memory.string(reg64(ctx, kArgument, lane));
  print(ctx, format(pattern, Arguments(memory, reg64(ctx, kArgument + 2, lane)), memory));
  reg(ctx, kArgument, lane) = static_cast<std::uint32_t>(pattern.size());
}

// __assertfail(message, file, line, function, size of a character)
[[noreturn]] void assertfail(Context& ctx, const MicroOp& op, int lane) {
  const LaneMemory memory(ctx, lane);
  const std::uint32_t thread = ctx.warp->index * kLanes + static_cast<std::uint32_t>(lane);
  const Dim3 dim = ctx.worker->launch->request->block;
  const std::string text = fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                                       memory.string(reg64(ctx, kArgument + 2, lane)), reg(ctx, kArgument + 4, lane),
                                       memory.string(reg64(ctx, kArgument + 6, lane)), ctx.block->index.x,
                                       ctx.block->index.y, ctx.block->index.z, thread % dim.x, thread / dim.x % dim.y,
                                       thread / dim.x / dim.y, memory.string(reg64(ctx, kArgument, lane)));
  stop_device(ctx, op, StopReason::kAssert, static_cast<std::uint32_t>(lane), 0, text);
}

// The null pointer when there is no room, as on the device.
void allocate(Context& ctx, int lane) {
  const auto address = ctx.worker->launch->request->memory->allocate(reg64(ctx, kArgument, lane));
  set_reg64(ctx, kArgument, lane, address ? *address : 0);
}

void release(Context& ctx, const MicroOp& op, int lane) {
  const std::uint64_t address = reg64(ctx, kArgument, lane);
  if (address != 0 && !ctx.worker->launch->request->memory->release(address))
    stop_device(ctx, op, StopReason::kIllegalAddress, static_cast<std::uint32_t>(lane), address,
                fmt::format("free({:#x}): no live allocation begins there", address));
}

void call(Context& ctx, const MicroOp& op, const std::string& name, int lane) {
  if (name == "vprintf") return vprintf(ctx, lane);
  if (name == "__assertfail") assertfail(ctx, op, lane);
  if (name == "malloc") return allocate(ctx, lane);
  if (name == "free") return release(ctx, op, lane);
  stop_device(ctx, op, StopReason::kUnsupported, static_cast<std::uint32_t>(lane), 0,
              fmt::format("it calls {}(), which is not supported", name));
}

}  // namespace

void call_externals(Context& ctx, const MicroOp& op, std::uint32_t mask, std::uint64_t* target) {
  const loader::Module& module = *ctx.worker->launch->program->module;
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    const loader::External* external = module.external_at(target[lane]);
    if (external == nullptr) continue;  // not code at all: the branch says so
    call(ctx, op, external->name, lane);
    target[lane] = reg64(ctx, kReturnAddress, lane);
  }
}

}  // namespace lanescope::engine
