#include "report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

namespace lanescope::report {
namespace {

using observe::MemoryCounts;

struct RowColumn {
  const char* name;
  std::uint64_t InstructionRow::*value;
};
constexpr RowColumn kRowColumns[] = {
    {"executed", &InstructionRow::executed},
    {"threads", &InstructionRow::threads},
    {"threads_on", &InstructionRow::threads_on},
    {"divergent", &InstructionRow::divergent},
};

struct MemoryColumn {
  const char* name;
  std::uint64_t MemoryCounts::*value;
};
constexpr MemoryColumn kMemoryColumns[] = {
    {"accesses", &MemoryCounts::accesses},
    {"wavefronts", &MemoryCounts::wavefronts},
    {"wavefronts_ideal", &MemoryCounts::wavefronts_ideal},
    {"conflicts", &MemoryCounts::conflicts},
    {"wavefronts_ncu", &MemoryCounts::wavefronts_ncu},
    {"wavefronts_ideal_ncu", &MemoryCounts::wavefronts_ideal_ncu},
    {"sectors", &MemoryCounts::sectors},
    {"sectors_ideal", &MemoryCounts::sectors_ideal},
    {"tags", &MemoryCounts::tags},
    {"local_sectors", &MemoryCounts::local_sectors},
};

// In the order of engine::Access.
constexpr std::array<std::string_view, 12> kOperations = {
    "load",      "store",       "atomic",       "reduction",  "compare_swap", "compare_swap_spin",
    "increment", "matrix_load", "matrix_store", "async_read", "async_write",  "async_write_bypass",
};

// In the order of the bits of MemoryCounts::spaces.
constexpr std::array<std::string_view, 3> kSpaces = {"global", "shared", "local"};

std::string space_names(std::uint8_t spaces) {
  std::string names;
  for (std::size_t bit = 0; bit < kSpaces.size(); ++bit) {
    if ((spaces >> bit & 1) == 0) continue;
    if (!names.empty()) names += ',';
    names += kSpaces[bit];
  }
  return names;
}

std::uint8_t read_space_names(std::string_view names) {
  std::uint8_t spaces = 0;
  for (std::size_t bit = 0; bit < kSpaces.size(); ++bit) {
    if (names.find(kSpaces[bit]) != std::string_view::npos) spaces |= static_cast<std::uint8_t>(1u << bit);
  }
  return spaces;
}

engine::Access read_operation(const std::string& name) {
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    if (kOperations[i] == name) return static_cast<engine::Access>(i);
  }
  throw std::runtime_error(fmt::format("'{}' is not an operation", name));
}

// A column of one value a row, or nothing when all of them are zero.
template <class Rows, class Value>
void put_column(Json& json, const char* name, const Rows& rows, Value value) {
  Json column = Json::array();
  bool any = false;
  for (const auto& row : rows) {
    auto cell = value(row);
    any = any || cell != decltype(cell){};
    column.push_back(std::move(cell));
  }
  if (any) json[name] = std::move(column);
}

// Calls use(row, cell) for each cell of a column that may be absent.
template <class Rows, class Use>
void take_column(const Json& json, const char* name, Rows& rows, Use use) {
  const auto column = json.find(name);
  if (column == json.end()) return;
  if (column->size() != rows.size())
    throw std::runtime_error(fmt::format("column '{}' has {} values for {} rows", name, column->size(), rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) use(rows[i], (*column)[i]);
}

Json dimensions(const std::uint32_t (&d)[3]) { return Json::array({d[0], d[1], d[2]}); }

void read_dimensions(const Json& json, std::uint32_t (&d)[3]) {
  for (std::size_t i = 0; i < 3; ++i) d[i] = json.at(i).get<std::uint32_t>();
}

Json positions(const std::vector<InstructionRow>& rows, Json& files) {
  std::map<std::string, std::size_t> numbers;
  Json all = Json::array();
  for (const InstructionRow& row : rows) {
    Json at = Json::array();
    for (const Position& position : row.at) {
      const auto [number, is_new] = numbers.try_emplace(position.file, numbers.size());
      if (is_new) files.push_back(position.file);
      at.push_back(number->second);
      at.push_back(position.line);
    }
    all.push_back(std::move(at));
  }
  return all;
}

std::vector<Position> read_positions(const Json& at, const Json& files) {
  std::vector<Position> found;
  for (std::size_t i = 0; i + 1 < at.size(); i += 2)
    found.push_back({files.at(at[i].get<std::size_t>()).get<std::string>(), at[i + 1].get<std::uint32_t>()});
  return found;
}

Json occupancy_json(const Occupancy& o) {
  return {{"theoretical_warps", o.theoretical_warps},
          {"max_warps", o.max_warps},
          {"limit_registers", o.limit_registers},
          {"limit_shared", o.limit_shared},
          {"limit_warps", o.limit_warps},
          {"limit_blocks", o.limit_blocks},
          {"limiter", o.limiter}};
}

Occupancy read_occupancy(const Json& json) {
  Occupancy o;
  o.theoretical_warps = json.value("theoretical_warps", 0);
  o.max_warps = json.value("max_warps", 0);
  o.limit_registers = json.value("limit_registers", 0);
  o.limit_shared = json.value("limit_shared", 0);
  o.limit_warps = json.value("limit_warps", 0);
  o.limit_blocks = json.value("limit_blocks", 0);
  o.limiter = json.value("limiter", std::string());
  return o;
}

Json memory_columns(const std::vector<InstructionRow>& rows) {
  std::vector<const InstructionRow*> with_memory;
  Json numbers = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].memory) continue;
    with_memory.push_back(&rows[i]);
    numbers.push_back(i);
  }
  if (with_memory.empty()) return nullptr;
  Json json = {{"row", std::move(numbers)}};
  put_column(json, "space", with_memory, [](auto* row) { return space_names(row->memory->spaces); });
  put_column(json, "operation", with_memory,
             [](auto* row) { return std::string(kOperations.at(static_cast<std::size_t>(row->memory->access))); });
  put_column(json, "bytes", with_memory, [](auto* row) { return unsigned{row->memory->bytes}; });
  for (const auto& column : kMemoryColumns)
    put_column(json, column.name, with_memory, [&](auto* row) { return (*row->memory).*column.value; });
  put_column(json, "estimate", with_memory, [](auto* row) { return row->memory->estimate; });
  put_column(json, "shared_array", with_memory, [](auto* row) { return row->shared_array; });
  return json;
}

void read_memory_columns(const Json& json, std::vector<InstructionRow>& rows) {
  std::vector<InstructionRow*> with_memory;
  for (const Json& number : json.at("row")) {
    InstructionRow& row = rows.at(number.get<std::size_t>());
    row.memory.emplace();
    with_memory.push_back(&row);
  }
  take_column(json, "space", with_memory,
              [](auto* row, const Json& cell) { row->memory->spaces = read_space_names(cell.get<std::string>()); });
  take_column(json, "operation", with_memory,
              [](auto* row, const Json& cell) { row->memory->access = read_operation(cell.get<std::string>()); });
  take_column(json, "bytes", with_memory,
              [](auto* row, const Json& cell) { row->memory->bytes = cell.get<std::uint8_t>(); });
  for (const auto& column : kMemoryColumns)
    take_column(json, column.name, with_memory,
                [&](auto* row, const Json& cell) { (*row->memory).*column.value = cell.get<std::uint64_t>(); });
  take_column(json, "estimate", with_memory,
              [](auto* row, const Json& cell) { row->memory->estimate = cell.get<bool>(); });
  take_column(json, "shared_array", with_memory,
              [](auto* row, const Json& cell) { row->shared_array = cell.get<std::string>(); });
}

Json process_json(const Report& report) {
  Json json = report_header(report);
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  Json codes = Json::array(), counts = Json::array(), launches = Json::array();
  Numbering code_numbers, counts_numbers;
  const auto add = [](Json record, Numbering& numbering, Json& records) {
    const auto number = numbering.of(record);
    if (number.is_new) records.push_back(std::move(record));
    return number.value;
  };
  for (const Launch& launch : report.launches) {
    Json header = launch_header(launch);
    if (launch.rows_of >= 0) {
      const Json& first = launches.at(static_cast<std::size_t>(launch.rows_of));
      header["code"] = first.at("code");
      header["counts"] = first.at("counts");
    } else {
      header["code"] = add(launch_code(launch.rows), code_numbers, codes);
      header["counts"] = add(launch_counts(launch.rows), counts_numbers, counts);
    }
    launches.push_back(std::move(header));
  }
  json["codes"] = std::move(codes);
  json["counts"] = std::move(counts);
  json["launches"] = std::move(launches);
  return json;
}

Report read_process(const Json& json) {
  Report report = read_report_header(json);
  report.notes = json.value("notes", std::vector<std::string>());
  report.problems = json.value("problems", std::vector<std::string>());
  std::map<std::pair<std::size_t, std::size_t>, int> seen;
  for (const Json& header : json.at("launches")) {
    Launch launch = read_launch_header(header);
    const auto code = header.at("code").get<std::size_t>(), counts = header.at("counts").get<std::size_t>();
    const auto [first, is_new] = seen.try_emplace({code, counts}, static_cast<int>(report.launches.size()));
    if (is_new) {
      launch.rows = read_rows(json.at("codes").at(code), json.at("counts").at(counts));
    } else {
      launch.rows_of = first->second;
    }
    report.launches.push_back(std::move(launch));
  }
  return report;
}

Json sources_json(const Sources& sources) {
  Json json = Json::object();
  for (const auto& [file, lines] : sources) {
    Json texts = Json::object();
    for (const auto& [line, text] : lines) texts[std::to_string(line)] = text;
    json[file] = std::move(texts);
  }
  return json;
}

Sources read_sources(const Json& json) {
  Sources sources;
  for (const auto& [file, lines] : json.items())
    for (const auto& [line, text] : lines.items())
      sources[file][static_cast<std::uint32_t>(std::stoul(line))] = text.get<std::string>();
  return sources;
}

Document read_checked(const Json& json) {
  Document document;
  document.program = json.value("program", std::string());
  document.exit_code = json.value("exit_code", 0);
  for (const Json& process : json.at("processes")) document.processes.push_back(read_process(process));
  if (const auto sources = json.find("sources"); sources != json.end()) document.sources = read_sources(*sources);
  return document;
}

}  // namespace

Numbering::Number Numbering::of(const Json& record) {
  const auto [entry, is_new] = numbers_.try_emplace(dump(record), numbers_.size());
  return {entry->second, is_new};
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

Json report_header(const Report& report) {
  return {{"schema", kSchemaName},     {"version", report.schema},  {"tool_version", report.tool_version},
          {"program", report.program}, {"process", report.process}, {"sm", report.sm},
          {"chip", report.chip}};
}

Report read_report_header(const Json& header) {
  if (header.value("schema", std::string()) != kSchemaName) throw std::runtime_error("this is not a lanescope report");
  Report report;
  report.schema = header.at("version").get<int>();
  if (report.schema != kSchemaVersion)
    throw std::runtime_error(fmt::format("version {} of the schema is not one that this lanescope reads ({})",
                                         report.schema, kSchemaVersion));
  report.tool_version = header.value("tool_version", std::string());
  report.program = header.value("program", std::string());
  report.process = header.value("process", std::int64_t{0});
  report.sm = header.value("sm", 0u);
  report.chip = header.value("chip", std::string());
  return report;
}

Json launch_header(const Launch& launch) {
  Json json = {{"id", launch.id},
               {"kernel", launch.kernel},
               {"mangled", launch.mangled},
               {"grid", dimensions(launch.grid)},
               {"block", dimensions(launch.block)},
               {"cluster", dimensions(launch.cluster)},
               {"registers", launch.registers},
               {"static_shared", launch.static_shared},
               {"dynamic_shared", launch.dynamic_shared},
               {"occupancy", occupancy_json(launch.occupancy)},
               {"host_seconds", launch.seconds},
               {"warp_instructions", launch.warp_instructions},
               {"thread_instructions", launch.thread_instructions},
               {"order_dependent", launch.order_dependent}};
  if (!launch.stopped.empty()) json["stopped"] = launch.stopped;
  return json;
}

Launch read_launch_header(const Json& json) {
  Launch launch;
  launch.id = json.at("id").get<std::uint64_t>();
  launch.kernel = json.at("kernel").get<std::string>();
  launch.mangled = json.value("mangled", std::string());
  read_dimensions(json.at("grid"), launch.grid);
  read_dimensions(json.at("block"), launch.block);
  if (const auto cluster = json.find("cluster"); cluster != json.end()) read_dimensions(*cluster, launch.cluster);
  launch.registers = json.value("registers", 0u);
  launch.static_shared = json.value("static_shared", 0u);
  launch.dynamic_shared = json.value("dynamic_shared", 0u);
  if (const auto occupancy = json.find("occupancy"); occupancy != json.end())
    launch.occupancy = read_occupancy(*occupancy);
  launch.seconds = json.value("host_seconds", 0.0);
  launch.warp_instructions = json.value("warp_instructions", std::uint64_t{0});
  launch.thread_instructions = json.value("thread_instructions", std::uint64_t{0});
  launch.order_dependent = json.value("order_dependent", false);
  launch.stopped = json.value("stopped", std::string());
  return launch;
}

Json launch_code(const std::vector<InstructionRow>& rows) {
  Json files = Json::array(), offsets = Json::array(), texts = Json::array(), timing = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    offsets.push_back(rows[i].offset);
    texts.push_back(rows[i].text);
    if (rows[i].timing_dependent) timing.push_back(i);
  }
  Json at = positions(rows, files);
  Json json = {
      {"files", std::move(files)}, {"offset", std::move(offsets)}, {"text", std::move(texts)}, {"at", std::move(at)}};
  put_column(json, "function", rows, [](const InstructionRow& row) { return row.function; });
  if (!timing.empty()) json["timing_dependent"] = std::move(timing);
  return json;
}

Json launch_counts(const std::vector<InstructionRow>& rows) {
  Json json = Json::object();
  for (const auto& column : kRowColumns)
    put_column(json, column.name, rows, [&](const InstructionRow& row) { return row.*column.value; });
  if (Json memory = memory_columns(rows); !memory.is_null()) json["memory"] = std::move(memory);
  return json;
}

std::vector<InstructionRow> read_rows(const Json& code, const Json& counts) {
  std::vector<InstructionRow> rows(code.at("text").size());
  const Json& files = code.at("files");
  take_column(code, "offset", rows,
              [](InstructionRow& row, const Json& cell) { row.offset = cell.get<std::uint32_t>(); });
  take_column(code, "text", rows, [](InstructionRow& row, const Json& cell) { row.text = cell.get<std::string>(); });
  take_column(code, "at", rows, [&](InstructionRow& row, const Json& cell) { row.at = read_positions(cell, files); });
  take_column(code, "function", rows,
              [](InstructionRow& row, const Json& cell) { row.function = cell.get<std::string>(); });
  if (const auto timing = code.find("timing_dependent"); timing != code.end())
    for (const Json& number : *timing) rows.at(number.get<std::size_t>()).timing_dependent = true;
  for (const auto& column : kRowColumns)
    take_column(counts, column.name, rows,
                [&](InstructionRow& row, const Json& cell) { row.*column.value = cell.get<std::uint64_t>(); });
  if (const auto memory = counts.find("memory"); memory != counts.end()) read_memory_columns(*memory, rows);
  return rows;
}

std::string write_document(const Document& document) {
  Json processes = Json::array();
  for (const Report& report : document.processes) processes.push_back(process_json(report));
  const Json json = {{"schema", kSchemaName},
                     {"version", kSchemaVersion},
                     {"program", document.program},
                     {"exit_code", document.exit_code},
                     {"processes", std::move(processes)},
                     {"sources", sources_json(document.sources)}};
  return dump(json) + "\n";
}

Result<Document> read_document(std::string_view text, const std::string& origin) {
  try {
    const Json json = Json::parse(text);
    read_report_header(json);  // the document's own name and version
    return read_checked(json);
  } catch (const std::exception& problem) {
    // nlohmann's messages begin with "[json.exception.parse_error.101] ".
    std::string_view what = problem.what();
    if (what.starts_with('[')) what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
    return input_error("{}: not a saved report: {}", origin, what);
  }
}

}  // namespace lanescope::report
