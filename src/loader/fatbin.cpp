// The container's layout, as nvcc writes it. All integers are little endian.
//
//   header    u32 magic, u16 version, u16 header bytes, u64 bytes of entries
//   entry     u16 kind, u16 version, u32 header bytes, u64 stored bytes (padded), u32 compressed bytes, ...,
//   (64 up)   28: u32 architecture, 32: u32 offset and u32 length of a name, 40: u64 flags, 56: u64 decompressed bytes
#include "loader/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace lanescope::loader {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kHeaderBytes = 16;
constexpr std::uint64_t kEntryHeaderBytes = 64;  // the least
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kMaxDecompressed = 1ull << 29;  // bytes; the largest image met so far has 134 MB
constexpr std::uint64_t kMaxLz4Growth = 255;            // a property of its format

struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t stored_bytes;
  std::uint32_t compressed_bytes;
  std::uint32_t options_offset;
  std::uint16_t minor, major;
  std::uint32_t sm;
  std::uint32_t name_offset, name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t decompressed_bytes;
};
static_assert(sizeof(EntryHeader) == kEntryHeaderBytes);

// A claimed size costs nothing until the data really fills it.
Result<std::vector<std::uint8_t>> decompress_zstd(Bytes stored, std::uint64_t size, const std::string& where) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  std::vector<std::uint8_t> result(std::min<std::uint64_t>(size, 4 * stored.size() + 4096));
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  ZSTD_outBuffer out{result.data(), result.size(), 0};
  for (;;) {
    const std::size_t left = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(left)) return input_error("{}: zstd: {}", where, ZSTD_getErrorName(left));
    if (left == 0) break;
    if (out.pos < out.size) return input_error("{}: its zstd data is cut off", where);
    if (result.size() >= size) return input_error("{}: its zstd data is longer than the {} bytes claimed", where, size);
    result.resize(std::min<std::uint64_t>(size, 2 * result.size()));
    out = {result.data(), result.size(), out.pos};
  }
  result.resize(out.pos);
  return result;
}

Result<std::vector<std::uint8_t>> decompress_lz4(Bytes stored, std::uint64_t size, const std::string& where) {
  if (stored.size() > LZ4_MAX_INPUT_SIZE || size > kMaxLz4Growth * stored.size())
    return input_error("{}: {} bytes of LZ4 claim to become {}: the entry is damaged", where, stored.size(), size);
  std::vector<std::uint8_t> result(size);
  const int got =
      LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(result.data()),
                          static_cast<int>(stored.size()), static_cast<int>(size));
  if (got < 0) return input_error("{}: its LZ4 data is damaged", where);
  result.resize(static_cast<std::size_t>(got));
  return result;
}

Result<std::vector<std::uint8_t>> decompress(Bytes stored, const EntryHeader& header, const std::string& where) {
  if (header.decompressed_bytes > kMaxDecompressed)
    return input_error("{}: {} compressed bytes claim to become {}: the entry is damaged", where, stored.size(),
                       header.decompressed_bytes);
  return (header.flags & kFlagZstd) != 0 ? decompress_zstd(stored, header.decompressed_bytes, where)
                                         : decompress_lz4(stored, header.decompressed_bytes, where);
}

Result<FatbinEntry> read_entry(Bytes entry, const EntryHeader& header, const std::string& where, const WantData& want) {
  const Bytes stored_area = entry.subspan(header.header_bytes, header.stored_bytes);
  FatbinEntry result{.kind = static_cast<FatbinEntry::Kind>(header.kind), .sm = header.sm};
  if (const auto name = slice(entry.first(header.header_bytes), header.name_offset, header.name_bytes))
    result.identifier.assign(name->begin(), std::find(name->begin(), name->end(), 0));
  if (want && !want(result)) return result;
  if ((header.flags & (kFlagZstd | kFlagLz4)) == 0) {
    result.data.assign(stored_area.begin(), stored_area.end());
  } else {
    const auto stored = slice(stored_area, 0, header.compressed_bytes);
    if (!stored) return input_error("{}: its compressed data is longer than the entry", where);
    auto data = decompress(*stored, header, where);
    if (!data) return tl::unexpected(data.error());
    result.data = std::move(*data);
  }
  if (result.kind == FatbinEntry::Kind::kPtx)
    while (!result.data.empty() && result.data.back() == 0) result.data.pop_back();
  return result;
}

}  // namespace

Result<std::uint64_t> fatbin_size(Bytes bytes) {
  const auto magic = read_at<std::uint32_t>(bytes, 0);
  const auto header_bytes = read_at<std::uint16_t>(bytes, 6);
  const auto entry_bytes = read_at<std::uint64_t>(bytes, 8);
  if (!entry_bytes || *magic != kMagic || *header_bytes < kHeaderBytes)
    return input_error("not a fat binary (its magic number is {:#x})", kMagic);
  if (*entry_bytes > bytes.size() || *header_bytes > bytes.size() - *entry_bytes)
    return input_error("a fat binary of {} bytes in a space of {}: it is cut or damaged", *entry_bytes, bytes.size());
  return *header_bytes + *entry_bytes;
}

Result<std::vector<FatbinEntry>> read_fatbin(Bytes bytes, const std::string& origin, const WantData& want) {
  const auto size = fatbin_size(bytes);
  if (!size) return input_error("{}: {}", origin, size.error().message);
  const Bytes fatbin = bytes.first(*size);
  std::vector<FatbinEntry> entries;
  std::uint64_t at = *read_at<std::uint16_t>(fatbin, 6);
  while (at < fatbin.size()) {
    const std::string where = fmt::format("{}: fat binary entry {} at {:#x}", origin, entries.size() + 1, at);
    const auto header = read_at<EntryHeader>(fatbin, at);
    if (!header) return input_error("{}: cut off", where);
    if (header->header_bytes < kEntryHeaderBytes || header->header_bytes > fatbin.size() - at ||
        header->stored_bytes > fatbin.size() - at - header->header_bytes)
      return input_error("{}: {} + {} bytes don't fit in the fat binary", where, header->header_bytes,
                         header->stored_bytes);
    const std::uint64_t length = header->header_bytes + header->stored_bytes;
    if (header->kind == 1 || header->kind == 2) {
      auto entry = read_entry(fatbin.subspan(at, length), *header, where, want);
      if (!entry) return tl::unexpected(entry.error());
      entries.push_back(std::move(*entry));
    }
    at += length;
  }
  return entries;
}

}  // namespace lanescope::loader
