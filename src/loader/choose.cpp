#include "loader/choose.h"

#include <fmt/format.h>

namespace lanescope::loader {

const FatbinEntry* choose_entry(std::span<const FatbinEntry> entries, std::uint32_t sm) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    const bool runs = entry.kind == FatbinEntry::Kind::kCubin && entry.sm / 10 == sm / 10 && entry.sm <= sm;
    if (runs && (best == nullptr || entry.sm > best->sm)) best = &entry;
  }
  return best;
}

const FatbinEntry* choose_ptx(std::span<const FatbinEntry> entries, std::uint32_t sm) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    const bool can = entry.kind == FatbinEntry::Kind::kPtx && entry.sm <= sm;
    if (can && (best == nullptr || entry.sm > best->sm)) best = &entry;
  }
  return best;
}

std::string list_architectures(std::span<const FatbinEntry> entries) {
  std::string list;
  for (const FatbinEntry& entry : entries) {
    if (!list.empty()) list += ", ";
    list += fmt::format("{}_{}", entry.kind == FatbinEntry::Kind::kPtx ? "compute" : "sm", entry.sm);
  }
  return list.empty() ? "nothing" : list;
}

}  // namespace lanescope::loader
