// Launch files. TOML becomes the same tree as JSON first, so that one reader knows the schema (docs/launch.md).
#include <toml++/toml.h>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "kernel_launch/job.h"

namespace lanescope::kernel_launch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 64;  // arrays and tables inside each other

Json from_toml(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    // A table of toml++ is sorted by names; messages, buffers and outputs keep the order of the file.
    std::vector<std::pair<toml::source_position, const toml::key*>> keys;
    for (const auto& [key, value] : *table) keys.emplace_back(key.source().begin, &key);
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Json object = Json::object();
    for (const auto& [at, key] : keys) object[std::string(key->str())] = from_toml(*table->get(key->str()));
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const toml::node& value : *array) list.push_back(from_toml(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  return nullptr;  // dates and times, which nothing here takes
}

Result<Json> parse_toml(std::string_view text, const std::string& path) {
  try {
    return from_toml(toml::parse(text, path));
  } catch (const toml::parse_error& error) {
    return input_error("{}, line {}: {}", path, error.source().begin.line, error.description());
  }
}

Result<Json> parse_json(std::string_view text, const std::string& path) {
  try {
    const auto shallow = [](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepest) throw std::runtime_error(fmt::format("over {} levels deep", kDeepest));
      return true;
    };
    return Json::parse(text, shallow);
  } catch (const std::exception& error) {  // of nlohmann's parser: "[json.exception...] parse error at line 1, ..."
    std::string_view message = error.what();
    if (message.starts_with('[')) message.remove_prefix(std::min(message.find("] ") + 2, message.size()));
    return input_error("{}: {}", path, message);
  }
}

// A value and where it stands, for messages: "launch[0].grid".
struct Place {
  const Json& value;
  std::string where;
};

tl::unexpected<Error> wrong(const std::string& where, std::string_view message) {
  return input_error("{}: {}", where, message);
}

// What one key of a table is for.
struct Key {
  std::string_view name;
  std::function<Result<void>(const Place&)> read;
};

std::string names_of(std::span<const Key> keys) {
  std::string list;
  for (const Key& key : keys) list += (list.empty() ? "" : ", ") + std::string(key.name);
  return list;
}

// Each member of a table, in order of the file.
Result<void> each(const Place& place, const std::function<Result<void>(const std::string& key, const Place&)>& read) {
  if (!place.value.is_object()) return wrong(place.where, "a table is needed here");
  for (const auto& [key, value] : place.value.items()) {
    const std::string where = place.where.empty() ? key : place.where + "." + key;
    if (auto ok = read(key, {value, where}); !ok) return ok;
  }
  return {};
}

Result<void> read_table(const Place& place, std::span<const Key> keys) {
  return each(place, [&](const std::string& name, const Place& member) -> Result<void> {
    for (const Key& key : keys)
      if (key.name == name) return key.read(member);
    return wrong(member.where, fmt::format("there is no such key; here stand {}", names_of(keys)));
  });
}

// A number or a text as text.
Result<std::string> text_of(const Place& place) {
  const Json& value = place.value;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return fmt::format("{}", value.get<std::uint64_t>());
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_number_float()) return fmt::format("{:#}", value.get<double>());  // 2.0 stays a decimal
  return wrong(place.where, "a text or a number is needed here");
}

Result<void> put_text(const Place& place, std::string& to) {
  auto text = text_of(place);
  if (!text) return tl::unexpected(text.error());
  to = std::move(*text);
  return {};
}

Key text_key(std::string_view name, std::string& to) {
  return {name, [&to](const Place& place) { return put_text(place, to); }};
}

Key number_key(std::string_view name, double& to) {
  return {name, [&to](const Place& place) -> Result<void> {
            if (!place.value.is_number()) return wrong(place.where, "a number is needed here");
            to = place.value.get<double>();
            return to >= 0 ? Result<void>{} : wrong(place.where, "a number from 0 on is needed here");
          }};
}

Key flag_key(std::string_view name, bool& to) {
  return {name, [&to](const Place& place) -> Result<void> {
            if (!place.value.is_boolean()) return wrong(place.where, "true or false is needed here");
            to = place.value.get<bool>();
            return {};
          }};
}

// A list, or one value that stands for a list of one.
Result<void> each_of(const Place& place, const std::function<Result<void>(const Place&)>& read) {
  if (!place.value.is_array()) return read(place);
  for (std::size_t i = 0; i < place.value.size(); ++i)
    if (auto ok = read({place.value[i], fmt::format("{}[{}]", place.where, i)}); !ok) return ok;
  return {};
}

Key list_key(std::string_view name, std::vector<std::string>& to) {
  return {name, [&to](const Place& place) {
            return each_of(place, [&](const Place& item) { return put_text(item, to.emplace_back()); });
          }};
}

// A parser of an option's text, its error with the place.
template <class T>
Result<void> parse(const Place& place, Result<T> (*parser)(std::string_view), T& to) {
  const auto text = text_of(place);
  if (!text) return tl::unexpected(text.error());
  auto parsed = parser(*text);
  if (!parsed) return wrong(place.where, fmt::format("'{}': {}", *text, parsed.error().message));
  to = std::move(*parsed);
  return {};
}

// 4, [4, 2], "n/256, 2".
Key shape_key(std::string_view name, std::vector<std::string>& to) {
  return {name, [&to](const Place& place) -> Result<void> {
            if (!place.value.is_array()) return parse(place, parse_dimensions, to);
            if (place.value.empty() || place.value.size() > 3)
              return wrong(place.where, "one to three numbers stand here");
            return each_of(place, [&](const Place& item) { return put_text(item, to.emplace_back()); });
          }};
}

Result<void> read_launch(const Place& place, Job& job) {
  Launch& launch = job.launches.emplace_back();
  const Key keys[] = {text_key("kernel", launch.kernel),
                      shape_key("grid", launch.shape.grid),
                      shape_key("block", launch.shape.block),
                      shape_key("cluster", launch.shape.cluster),
                      text_key("shared", launch.shape.shared),
                      flag_key("cooperative", launch.shape.cooperative),
                      {"args", [&](const Place& list) {
                         return each_of(list, [&](const Place& item) {
                           return parse(item, parse_argument, launch.arguments.emplace_back());
                         });
                       }}};
  return read_table(place, keys);
}

// What one buffer's results are for.
Result<void> read_output(const std::string& buffer, const Place& place, Outputs& outputs) {
  if (!is_name(buffer)) return wrong(place.where, "that is not a buffer's name");
  Save save{buffer, {}};
  Compare compare{buffer, {}};
  const Key keys[] = {{"print",
                       [&](const Place& wish) -> Result<void> {
                         if (wish.value.is_boolean() && !wish.value.get<bool>()) return {};
                         const auto text = wish.value.is_boolean() ? Result<std::string>("") : text_of(wish);
                         if (!text) return tl::unexpected(text.error());
                         auto print = parse_print(text->empty() ? buffer : buffer + ":" + *text);
                         if (!print) return wrong(wish.where, print.error().message);
                         outputs.print.push_back(std::move(*print));
                         return {};
                       }},
                      text_key("save", save.path),
                      text_key("compare", compare.path),
                      number_key("rel", compare.relative),
                      number_key("abs", compare.absolute)};
  if (auto ok = read_table(place, keys); !ok) return ok;
  if (!save.path.empty()) outputs.save.push_back(std::move(save));
  if (!compare.path.empty()) outputs.compare.push_back(std::move(compare));
  return {};
}

Result<void> read_job(const Json& tree, Job& job) {
  const Key keys[] = {
      text_key("file", job.file),
      text_key("arch", job.arch),
      list_key("nvcc_flags", job.nvcc_flags),
      {"set",
       [&](const Place& table) {
         return each(table, [&](const std::string& name, const Place& value) -> Result<void> {
           if (!is_name(name)) return wrong(value.where, "that is not a name");
           return put_text(value, job.set.emplace_back(name, "").second);
         });
       }},
      {"buffers",
       [&](const Place& table) {
         return each(table, [&](const std::string& name, const Place& value) -> Result<void> {
           if (!is_name(name)) return wrong(value.where, "that is not a name");
           return parse(value, parse_buffer, job.buffers.emplace_back(name, Buffer{}).second);
         });
       }},
      {"launch",
       [&](const Place& list) { return each_of(list, [&](const Place& item) { return read_launch(item, job); }); }},
      {"outputs", [&](const Place& table) {
         return each(
             table, [&](const std::string& name, const Place& value) { return read_output(name, value, job.outputs); });
       }}};
  if (auto ok = read_table({tree, ""}, keys); !ok) return ok;
  if (job.file.empty()) return wrong("file", "which file are the kernels in?");
  if (job.launches.empty()) return wrong("launch", "nothing is launched: a [[launch]] table names a kernel");
  return {};
}

void make_relative_to(const std::string& launch_file, Job& job) {
  const std::filesystem::path folder = std::filesystem::path(launch_file).parent_path();
  const auto change = [&](std::string& path) { path = (folder / path).string(); };
  change(job.file);
  for (auto& [name, buffer] : job.buffers) for_each_path(buffer, change);
  for (Launch& launch : job.launches)
    for (Argument& argument : launch.arguments) for_each_path(argument, change);
  for (Save& save : job.outputs.save) change(save.path);
  for (Compare& compare : job.outputs.compare) change(compare.path);
}

}  // namespace

Result<Job> read_launch_file(std::string_view text, const std::string& path) {
  const auto tree = path.ends_with(".json") ? parse_json(text, path) : parse_toml(text, path);
  if (!tree) return tl::unexpected(tree.error());
  Job job;
  if (auto ok = read_job(*tree, job); !ok) return input_error("{}: {}", path, ok.error().message);
  make_relative_to(path, job);
  return job;
}

}  // namespace lanescope::kernel_launch
