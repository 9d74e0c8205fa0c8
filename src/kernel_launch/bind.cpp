#include "kernel_launch/bind.h"

#include <algorithm>
#include <cstring>

#include "kernel_launch/signature.h"

namespace lanescope::kernel_launch {
namespace {

using loader::Function;
using loader::Module;

constexpr std::uint32_t kPointerBytes = 8;
constexpr std::size_t kMostCandidates = 12;  // that a message lists

template <class T>
tl::unexpected<Error> at(const std::string& where, const Result<T>& failed) {
  return tl::unexpected(Error{failed.error().fault, fmt::format("{}: {}", where, failed.error().message)});
}

std::string describe(std::size_t index, const Argument& argument) {
  return fmt::format("argument {} '{}'", index, argument.text);
}

// Names of --set and [set], each from those before it.
Result<Names> evaluate_set(const Job& job) {
  Names names;
  for (const auto& [name, text] : job.set) {
    const auto number = evaluate(text, names);
    if (!number) return at("set " + name, number);
    names[name] = *number;  // a later one counts, so that the command line's does
  }
  return names;
}

// Named scalars can be used in sizes of the same launch: "n=1024 ptr:f32[n]".
Result<void> add_scalars(const std::vector<Argument>& arguments, Names& names) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* scalar = std::get_if<Scalar>(&arguments[i].value);
    if (scalar == nullptr || arguments[i].name.empty() || scalar->bits) continue;
    const auto number = evaluate(scalar->number, names);
    if (!number) return at(describe(i, arguments[i]), number);
    names[arguments[i].name] = *number;
  }
  return {};
}

Result<void> add_buffer(Plan& plan, PlannedBuffer planned) {
  if (plan.find(planned.name) != nullptr)
    return usage_error("{}: there are two buffers '{}'", planned.where, planned.name);
  auto contents = contents_of(planned.buffer, planned.names);
  if (!contents) return at(planned.where, contents);
  planned.contents = std::move(*contents);
  plan.buffers.push_back(std::move(planned));
  return {};
}

// The buffers that an argument brings, those inside a structure too.
Result<void> add_buffers(Plan& plan, const Argument& argument, const std::string& name, const std::string& where,
                         const Names& names) {
  const std::string& own = argument.name.empty() ? name : argument.name;
  if (const auto* buffer = std::get_if<Buffer>(&argument.value)) return add_buffer(plan, {own, where, *buffer, names});
  if (const auto* structure = std::get_if<Structure>(&argument.value)) {
    for (std::size_t i = 0; i < structure->fields.size(); ++i)
      if (auto ok = add_buffers(plan, structure->fields[i], fmt::format("{}_{}", own, i), where, names); !ok) return ok;
  }
  return {};
}

Result<void> evaluate_dimensions(const std::vector<std::string>& texts, const Names& names, std::string_view what,
                                 std::uint32_t (&to)[3]) {
  for (std::size_t i = 0; i < std::min<std::size_t>(texts.size(), 3); ++i) {
    const auto number = evaluate_count(texts[i], names, fmt::format("{} {}", what, "xyz"[i]), 1, UINT32_MAX);
    if (!number) return tl::unexpected(number.error());
    to[i] = static_cast<std::uint32_t>(*number);
  }
  return {};
}

Result<PlannedShape> plan_shape(const Shape& shape, const Function& kernel, const Names& names) {
  PlannedShape planned;
  const auto& required = kernel.required_block;
  if (shape.grid.empty()) return usage_error("how many blocks? --grid X,Y,Z (in a launch file: grid = [X, Y, Z])");
  if (shape.block.empty() && required[0] == 0)
    return usage_error("how many threads a block? --block X,Y,Z (in a launch file: block = [X, Y, Z])");
  if (shape.block.empty()) std::copy(std::begin(required), std::end(required), planned.block);
  if (shape.cluster.empty() && kernel.cluster[0] != 0)
    std::copy(std::begin(kernel.cluster), std::end(kernel.cluster), planned.cluster);
  const auto grid = evaluate_dimensions(shape.grid, names, "grid", planned.grid);
  const auto block = evaluate_dimensions(shape.block, names, "block", planned.block);
  const auto cluster = evaluate_dimensions(shape.cluster, names, "cluster", planned.cluster);
  for (const auto* ok : {&grid, &block, &cluster})
    if (!*ok) return tl::unexpected(ok->error());
  if (shape.shared.empty()) return planned;
  const auto shared = evaluate_count(shape.shared, names, "shared", 0, UINT32_MAX);
  if (!shared) return tl::unexpected(shared.error());
  planned.shared = static_cast<std::uint32_t>(*shared);
  return planned;
}

// What a value becomes; `alignment` is of its place in a structure.
struct Encoded {
  std::vector<std::uint8_t> bytes;
  std::uint32_t alignment = 1;
  std::string what;  // for messages: "a f64", "an address"
};

Encoded encode_address(std::uint64_t address) {
  Encoded result{std::vector<std::uint8_t>(kPointerBytes), kPointerBytes, "an address"};
  std::memcpy(result.bytes.data(), &address, kPointerBytes);
  return result;
}

std::string size_text(std::uint64_t bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

// A parameter, or a field of a structure, where nothing is known.
struct Target {
  ParameterType type;
  std::uint32_t size = 0;  // 0: not known
};

std::string describe(const Target& target) {
  return target.type.text.empty() ? size_text(target.size)
                                  : fmt::format("'{}', {}", target.type.text, size_text(target.size));
}

class Encoder {
 public:
  Encoder(const Plan& plan, const Names& names) : plan_(plan), names_(names) {}

  // `name` is what its buffer is called when it has no name of its own.
  Result<Encoded> encode_argument(const Argument& argument, const std::string& name, const Target& target) const {
    const std::string& own = argument.name.empty() ? name : argument.name;
    return std::visit([&](const auto& value) { return encode_value(value, own, target); }, argument.value);
  }

 private:
  Result<Encoded> encode_value(const Buffer&, const std::string& name, const Target&) const {
    const PlannedBuffer* buffer = plan_.find(name);
    return encode_address(buffer == nullptr ? 0 : buffer->address);
  }

  Result<Encoded> encode_value(const Address& address, const std::string&, const Target&) const {
    if (address.buffer.empty()) return encode_address(0);
    const auto buffer = find_buffer(plan_, address.buffer);
    if (!buffer) return tl::unexpected(buffer.error());
    if (address.index.empty()) return encode_address((*buffer)->address);
    // The end of the buffer too: C++ iterators point there, and hostile tests.
    const auto index = evaluate_count(address.index, names_, "the index", 0, (*buffer)->contents.count);
    if (!index) return tl::unexpected(index.error());
    return encode_address((*buffer)->address + *index * size_of((*buffer)->buffer.type));
  }

  Result<Encoded> encode_value(const RawBytes& raw, const std::string&, const Target&) const {
    if (raw.path.empty()) return Encoded{raw.bytes, 1, "bytes"};
    auto bytes = read_bytes(raw.path);
    if (!bytes) return tl::unexpected(bytes.error());
    return Encoded{std::move(*bytes), 1, "bytes"};
  }

  Result<Encoded> encode_value(const Structure& structure, const std::string& name, const Target&) const {
    Encoded result{{}, 1, "a structure"};
    const auto pad_to = [&](std::uint32_t alignment) {
      result.bytes.resize((result.bytes.size() + alignment - 1) / alignment * alignment);
    };
    for (std::size_t i = 0; i < structure.fields.size(); ++i) {
      const auto field = encode_argument(structure.fields[i], fmt::format("{}_{}", name, i), {});
      if (!field) return at(fmt::format("field {} '{}'", i, structure.fields[i].text), field);
      pad_to(field->alignment);
      result.bytes.insert(result.bytes.end(), field->bytes.begin(), field->bytes.end());
      result.alignment = std::max(result.alignment, field->alignment);
    }
    pad_to(result.alignment);
    return result;
  }

  Result<Encoded> encode_value(const Scalar& scalar, const std::string&, const Target& target) const {
    if (!scalar.type && plan_.find(scalar.number) != nullptr) return encode_address(plan_.find(scalar.number)->address);
    const auto number = evaluate(scalar.number, names_);
    if (!number) return with_buffers(scalar.number, number.error());
    const auto type = scalar.type ? Result<Type>(*scalar.type) : guess_type(*number, target);
    if (!type) return tl::unexpected(type.error());
    const std::uint32_t size = size_of(*type);
    Encoded result{std::vector<std::uint8_t>(size), size, std::string(name_of(*type))};
    constexpr Type kBits[] = {Type::kU8, Type::kU16, Type::kU32, Type::kU64};
    const Type as = scalar.bits ? kBits[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3] : *type;
    if (auto ok = encode(as, *number, result.bytes.data()); !ok) return tl::unexpected(ok.error());
    return check_kind(scalar, *type, target)
               ? Result<Encoded>(std::move(result))
               : usage_error("it is {}, and the kernel's parameter is {}", name_of(*type), describe(target));
  }

  // Of a bare name that is neither a number's nor a buffer's.
  Result<Encoded> with_buffers(const std::string& text, const Error& error) const {
    if (!is_name(text) || text == "inf" || text == "nan") return tl::unexpected(error);
    const auto buffer = find_buffer(plan_, text);
    return usage_error("'{}' is neither a number nor a buffer; {}", text,
                       buffer ? "" : buffer.error().message.substr(buffer.error().message.find("; ") + 2));
  }

  // Whether a scalar of that type is what the kernel's parameter holds, sign aside.
  static bool check_kind(const Scalar& scalar, Type type, const Target& target) {
    if (scalar.bits || size_of(type) != target.size) return true;  // a wrong size is told by the caller
    if (target.type.pointer) return !is_float(type);
    return !target.type.scalar || *target.type.scalar == type || (!is_float(type) && !is_float(*target.type.scalar));
  }

  static Result<Type> guess_type(const Number& number, const Target& target) {
    if (target.type.pointer)
      return usage_error("the kernel's parameter is {}: give it a buffer, as in ptr:f32[1024], or null",
                         describe(target));
    if (target.type.scalar) return *target.type.scalar;
    if (!number.whole && target.size == 4) return Type::kF32;
    if (!number.whole && target.size == 8) return Type::kF64;
    return usage_error("the kernel's code does not tell the type of this {}: write it in front, as in i32={} or f32={}",
                       target.size == 0 ? "field" : "parameter of " + size_text(target.size), to_text(number),
                       to_text(number));
  }

  const Plan& plan_;
  const Names& names_;
};

std::string name_of_argument(std::size_t launch, std::size_t index) {
  return launch == 0 ? fmt::format("arg{}", index) : fmt::format("launch{}_arg{}", launch, index);
}

std::string list_types(const Function& kernel, const std::vector<ParameterType>& types) {
  std::string list;
  for (std::size_t i = 0; i < types.size(); ++i)
    list += (i == 0 ? "" : ", ") + (types[i].text.empty() ? size_text(kernel.parameters[i].size) : types[i].text);
  return list.empty() ? "" : fmt::format(" ({})", list);
}

Result<void> check_address(const Argument& argument, const Encoded& encoded, const Target& target) {
  const auto& scalar = target.type.scalar;
  const bool takes = !scalar || (!is_float(*scalar) && size_of(*scalar) == kPointerBytes);
  if (encoded.what != "an address" || takes) return {};
  return usage_error("{} gives an address, and the kernel's parameter is {}", argument.text, describe(target));
}

std::string list_kernels(const std::vector<const Function*>& kernels) {
  std::string list;
  for (std::size_t i = 0; i < std::min(kernels.size(), kMostCandidates); ++i)
    list += (i == 0 ? "" : ", ") + kernels[i]->demangled;
  if (kernels.size() > kMostCandidates) list += fmt::format(" and {} more", kernels.size() - kMostCandidates);
  return list.empty() ? "none" : list;
}

}  // namespace

const PlannedBuffer* Plan::find(std::string_view name) const {
  const auto found =
      std::find_if(buffers.begin(), buffers.end(), [&](const auto& buffer) { return buffer.name == name; });
  return found == buffers.end() ? nullptr : &*found;
}

Result<const PlannedBuffer*> find_buffer(const Plan& plan, std::string_view name) {
  if (const PlannedBuffer* found = plan.find(name)) return found;
  std::string list;
  for (const PlannedBuffer& buffer : plan.buffers) list += (list.empty() ? "" : ", ") + buffer.name;
  return usage_error("there is no buffer '{}'; {}", name, list.empty() ? "there are none" : "there are " + list);
}

Result<const Function*> find_kernel(const Module& module, std::string_view name) {
  std::vector<const Function*> all, matching;
  for (const Function& function : module.functions) {
    if (!function.is_kernel) continue;
    all.push_back(&function);
    if (function.name == name || function.demangled == name) return &function;
    if (name.empty() || bare_name(function.demangled) == name) matching.push_back(&function);
  }
  if (matching.size() == 1) return matching.front();
  if (all.empty()) return input_error("{}: there is no kernel in it", module.origin);
  if (name.empty()) return usage_error("{}: which kernel? --kernel NAME, of: {}", module.origin, list_kernels(all));
  if (matching.empty())
    return usage_error("{}: there is no kernel '{}'; there are: {}", module.origin, name, list_kernels(all));
  return usage_error("{}: '{}' can be one of several kernels; write the whole name: {}", module.origin, name,
                     list_kernels(matching));
}

Result<std::vector<std::uint8_t>> parameter_bytes(const Plan& plan, const PlannedLaunch& planned, const Launch& launch,
                                                  const Module& module) {
  const Function& kernel = *planned.kernel;
  const auto types = parameter_types(kernel, module.ptx);
  if (launch.arguments.size() != kernel.parameters.size())
    return usage_error("{} takes {} argument{}{}, and {} {} given", bare_name(kernel.demangled), types.size(),
                       types.size() == 1 ? "" : "s", list_types(kernel, types), launch.arguments.size(),
                       launch.arguments.size() == 1 ? "is" : "are");
  const auto index_of_launch = static_cast<std::size_t>(&planned - plan.launches.data());
  const Encoder encoder(plan, planned.names);
  std::vector<std::uint8_t> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const loader::Parameter& parameter = kernel.parameters[i];
    const Argument& argument = launch.arguments[i];
    const Target target{types[i], parameter.size};
    const auto encoded = encoder.encode_argument(argument, name_of_argument(index_of_launch, i), target);
    if (!encoded) return at(describe(i, argument), encoded);
    if (auto ok = check_address(argument, *encoded, target); !ok) return at(describe(i, argument), ok);
    if (encoded->bytes.size() != parameter.size)
      return usage_error("{}: {} of {}, and the kernel's parameter is {}", describe(i, argument), encoded->what,
                         size_text(encoded->bytes.size()), describe(target));
    if (std::uint64_t{parameter.offset} + parameter.size > bytes.size())
      return input_error("{}: parameter {} of {} lies outside its {}", module.origin, i, kernel.demangled,
                         size_text(bytes.size()));
    std::copy(encoded->bytes.begin(), encoded->bytes.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
  }
  return bytes;
}

Result<Plan> make_plan(const Job& job, const Module& module) {
  Plan plan;
  const auto names = evaluate_set(job);
  if (!names) return tl::unexpected(names.error());
  for (const auto& [name, buffer] : job.buffers)
    if (auto ok = add_buffer(plan, {name, "buffer " + name, buffer, *names}); !ok) return tl::unexpected(ok.error());
  for (std::size_t i = 0; i < job.launches.size(); ++i) {
    const Launch& launch = job.launches[i];
    PlannedLaunch planned{nullptr, {}, *names};
    const auto kernel = find_kernel(module, launch.kernel);
    if (!kernel) return tl::unexpected(kernel.error());
    planned.kernel = *kernel;
    const std::string where = job.launches.size() == 1 ? "" : fmt::format("launch {}, ", i);
    if (auto ok = add_scalars(launch.arguments, planned.names); !ok) return tl::unexpected(ok.error());
    const auto shape = plan_shape(launch.shape, **kernel, planned.names);
    if (!shape) return at(where + std::string(bare_name((*kernel)->demangled)), shape);
    planned.shape = *shape;
    for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
      const Argument& argument = launch.arguments[a];
      if (auto ok = add_buffers(plan, argument, name_of_argument(i, a), where + describe(a, argument), planned.names);
          !ok)
        return tl::unexpected(ok.error());
    }
    plan.launches.push_back(std::move(planned));
  }
  for (std::size_t i = 0; i < job.launches.size(); ++i)
    if (auto ok = parameter_bytes(plan, plan.launches[i], job.launches[i], module); !ok)
      return job.launches.size() == 1 ? tl::unexpected(ok.error()) : at(fmt::format("launch {}", i), ok);
  return plan;
}

}  // namespace lanescope::kernel_launch
