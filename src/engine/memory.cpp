#include "engine/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lanescope::engine {
namespace {

constexpr std::uint64_t kAlignment = 512;
// Unused bytes after each allocation, so that an overrun by a row or so meets nobody else's data.
constexpr std::uint64_t kGap = 512;
constexpr std::size_t kRememberFreed = 256;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

void* map(std::uint64_t bytes, int protection, int flags, int fd) {
  void* at = mmap(nullptr, bytes, protection, flags | MAP_NORESERVE, fd, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::create(std::uint64_t capacity) {
  std::unique_ptr<DeviceMemory> memory(new DeviceMemory);
  capacity = round_up(capacity, 1 << 21);
  const int fd = memfd_create("lanescope-device-memory", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(capacity)) != 0)
    return internal_error("cannot reserve {} bytes of device memory: {}", capacity, std::strerror(errno));
  void* const device = map(capacity, PROT_NONE, MAP_SHARED, fd);
  void* const alias = map(capacity, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  close(fd);
  void* const visible = map(capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  memory->capacity_ = capacity;
  memory->base_[0] = reinterpret_cast<std::uint64_t>(device);
  memory->view_[0] = static_cast<std::uint8_t*>(alias);
  memory->base_[1] = reinterpret_cast<std::uint64_t>(visible);
  memory->view_[1] = static_cast<std::uint8_t*>(visible);
  if (device == nullptr || alias == nullptr || visible == nullptr)
    return internal_error("cannot map {} bytes of device memory: {}", capacity, std::strerror(errno));
  for (int i = 0; i < 2; ++i) memory->free_ranges_[i][memory->base_[i]] = capacity;
  return memory;
}

DeviceMemory::~DeviceMemory() {
  for (int i = 0; i < 2; ++i)
    if (base_[i] != 0) munmap(reinterpret_cast<void*>(base_[i]), capacity_);
  if (view_[0] != nullptr) munmap(view_[0], capacity_);
}

Result<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, AllocationKind kind) {
  const std::lock_guard lock(mutex_);
  const int area = kind == AllocationKind::kDevice ? 0 : 1;
  auto& ranges = free_ranges_[area];
  if (bytes > capacity_ || used_ + bytes > capacity_)
    return input_error("out of device memory: {} bytes asked for, {} of {} in use", bytes, used_, capacity_);
  const std::uint64_t need = round_up(std::max<std::uint64_t>(bytes, 1), kAlignment) + kGap;
  const auto fit = std::find_if(ranges.begin(), ranges.end(), [&](const auto& range) { return range.second >= need; });
  if (fit == ranges.end())
    return input_error("out of device memory: no free range of {} bytes, {} of {} in use", bytes, used_, capacity_);
  const auto [address, size] = *fit;
  ranges.erase(fit);
  if (size > need) ranges[address + need] = size - need;
  live_[address] = Allocation{address, bytes, kind, view_[area] + (address - base_[area])};
  used_ += bytes;
  ++generation_;
  return address;
}

bool DeviceMemory::adopt(std::uint64_t address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto next = live_.lower_bound(address);
  if (next != live_.end() && next->first - address < bytes) return false;
  if (next != live_.begin() && address - std::prev(next)->first < std::prev(next)->second.bytes) return false;
  live_[address] = Allocation{address, bytes, AllocationKind::kHost, reinterpret_cast<std::uint8_t*>(address)};
  ++generation_;
  return true;
}

bool DeviceMemory::release(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  const Allocation allocation = found->second;
  live_.erase(found);
  ++generation_;
  const bool adopted = !is_device_address(address) && address - base_[1] >= capacity_;
  if (adopted) return true;
  used_ -= allocation.bytes;
  if (freed_.size() == kRememberFreed) freed_.erase(freed_.begin());
  freed_.push_back(allocation);

  // The pages go back to the system, so that a new allocation reads as zeros and memory use follows the program's.
  const int area = allocation.kind == AllocationKind::kDevice ? 0 : 1;
  std::uint64_t size = round_up(std::max<std::uint64_t>(allocation.bytes, 1), kAlignment) + kGap;
  const std::uint64_t page = 4096;
  const std::uint64_t first = round_up(reinterpret_cast<std::uint64_t>(allocation.view), page);
  const std::uint64_t last = (reinterpret_cast<std::uint64_t>(allocation.view) + size) / page * page;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, area == 0 ? MADV_REMOVE : MADV_DONTNEED);

  auto& ranges = free_ranges_[area];
  std::uint64_t start = address;
  if (const auto next = ranges.find(start + size); next != ranges.end()) {
    size += next->second;
    ranges.erase(next);
  }
  if (auto previous = ranges.lower_bound(start); previous != ranges.begin()) {
    --previous;
    if (previous->first + previous->second == start) {
      start = previous->first;
      size += previous->second;
      ranges.erase(previous);
    }
  }
  ranges[start] = size;
  return true;
}

std::optional<Allocation> DeviceMemory::find(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(after)->second;
  if (address - allocation.address >= allocation.bytes) return std::nullopt;
  return allocation;
}

std::uint8_t* DeviceMemory::view(std::uint64_t address, std::uint64_t bytes) const {
  const auto allocation = find(address);
  if (!allocation) return nullptr;
  const std::uint64_t inside = address - allocation->address;
  return bytes <= allocation->bytes - inside ? allocation->view + inside : nullptr;
}

std::optional<DeviceMemory::Neighbour> DeviceMemory::nearest(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  std::optional<Neighbour> best;
  std::uint64_t best_distance = 0;
  const auto consider = [&](const Allocation& allocation, bool freed) {
    const std::uint64_t end = allocation.address + allocation.bytes;
    const std::uint64_t distance = address < allocation.address ? allocation.address - address
                                   : address >= end             ? address - end + 1
                                                                : 0;
    if (best && distance >= best_distance) return;
    best = Neighbour{allocation, freed};
    best_distance = distance;
  };
  for (auto it = freed_.rbegin(); it != freed_.rend(); ++it) consider(*it, true);
  const auto after = live_.upper_bound(address);
  if (after != live_.end()) consider(after->second, false);
  if (after != live_.begin()) consider(std::prev(after)->second, false);
  return best;
}

}  // namespace lanescope::engine
