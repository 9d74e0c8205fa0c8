#include "loader/kernel_info.h"

#include <algorithm>

namespace lanescope::loader {
namespace {

constexpr std::uint8_t kSizedFormat = 4;  // the 16-bit value is the size of a payload that follows

constexpr std::uint32_t kUnknownStack = 0xffffffff;

std::optional<std::uint32_t> word(const InfoRecord& record, std::size_t index) {
  return read_at<std::uint32_t>(record.payload, index * sizeof(std::uint32_t));
}

void read_triple(const InfoRecord& record, std::uint32_t (&out)[3]) {
  for (std::size_t i = 0; i < 3; ++i) out[i] = word(record, i).value_or(1);
}

Result<void> add_parameter(const InfoRecord& record, const std::string& where, Function& function) {
  // Words: index, ordinal | offset << 16, flags | size << 18.
  const auto place = word(record, 1), shape = word(record, 2);
  if (!place || !shape)
    return input_error("{}: a parameter record of {} bytes is too short", where, record.payload.size());
  function.parameters.push_back({.ordinal = *place & 0xffff, .offset = *place >> 16, .size = *shape >> 18});
  return {};
}

}  // namespace

Result<std::vector<InfoRecord>> read_info(const ElfSection& section, const std::string& origin) {
  std::vector<InfoRecord> records;
  std::uint64_t at = 0;
  while (at < section.data.size()) {
    const auto format = read_at<std::uint8_t>(section.data, at);
    const auto attribute = read_at<std::uint8_t>(section.data, at + 1);
    const auto value = read_at<std::uint16_t>(section.data, at + 2);
    if (!value) return input_error("{}: {} is cut off at {:#x}", origin, section.name, at);
    InfoRecord record{.attribute = static_cast<Attribute>(*attribute), .value = *value};
    at += 4;
    if (*format == kSizedFormat) {
      const auto payload = slice(section.data, at, *value);
      if (!payload)
        return input_error("{}: attribute {:#x} at {:#x} of {} has {} bytes, more than the section", origin, *attribute,
                           at - 4, section.name, *value);
      record.payload = *payload;
      at += *value;
    }
    records.push_back(record);
  }
  return records;
}

Result<void> apply_module_info(const ElfView& elf, const ElfSection& section, Module& module) {
  const auto records = read_info(section, module.origin);
  if (!records) return tl::unexpected(records.error());
  for (const InfoRecord& record : *records) {
    if (record.attribute != Attribute::kRegcount && record.attribute != Attribute::kFrameSize &&
        record.attribute != Attribute::kMinStackSize && record.attribute != Attribute::kMaxStackSize)
      continue;
    const auto symbol = word(record, 0), value = word(record, 1);
    if (!symbol || !value || *symbol >= elf.symbols.size())
      return input_error("{}: attribute {:#x} of {} names no symbol of the cubin", module.origin,
                         static_cast<unsigned>(record.attribute), section.name);
    const auto function = std::find_if(module.functions.begin(), module.functions.end(),
                                       [&](const Function& f) { return f.name == elf.symbols[*symbol].name; });
    if (function == module.functions.end()) continue;
    if (record.attribute == Attribute::kRegcount)
      function->registers = *value;
    else if (*value == kUnknownStack)
      function->unbounded_stack = true;
    else
      function->local_bytes = std::max(function->local_bytes, *value);
  }
  return {};
}

Result<void> apply_function_info(const ElfSection& section, const std::string& origin, Function& function) {
  const auto records = read_info(section, origin);
  if (!records) return tl::unexpected(records.error());
  const std::string where = fmt::format("{}: {}", origin, section.name);
  for (const InfoRecord& record : *records) {
    switch (record.attribute) {
      case Attribute::kKparamInfo:
        if (auto done = add_parameter(record, where, function); !done) return done;
        break;
      case Attribute::kParamCbank: {
        // Words: symbol of the bank's section, offset | size << 16.
        const auto place = word(record, 1);
        if (!place) return input_error("{}: the parameter bank record is too short", where);
        function.parameter_base = *place & 0xffff;
        function.parameter_bytes = *place >> 16;
        break;
      }
      case Attribute::kCbankParamSize:
        function.parameter_bytes = record.value;
        break;
      case Attribute::kNumBarriers:
        function.barriers = record.value & 0xff;
        break;
      case Attribute::kReqntid:
        read_triple(record, function.required_block);
        break;
      case Attribute::kCtaPerCluster:
        read_triple(record, function.cluster);
        break;
      case Attribute::kMaxThreads: {
        std::uint32_t shape[3];
        read_triple(record, shape);
        const std::uint64_t threads = std::uint64_t{shape[0]} * shape[1];
        if (threads > 1u << 20 || threads * shape[2] > 1u << 20)
          return input_error("{}: launch bounds of {} x {} x {} threads", where, shape[0], shape[1], shape[2]);
        function.max_threads = static_cast<std::uint32_t>(threads * shape[2]);
        break;
      }
      default:
        break;
    }
  }
  std::sort(function.parameters.begin(), function.parameters.end(),
            [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
  return {};
}

}  // namespace lanescope::loader
