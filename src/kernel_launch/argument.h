// The language of arguments, the same on the command line and in a launch file (docs/launch.md):
//
//   argument = [NAME "="] value
//   value    = TYPE "=" number                          a scalar: i32=5, f32=1.5, f32=bits:0x7fc00000
//            | number                                   a scalar of the parameter's type, or a name
//            | ["ptr:"] TYPE "[" count "]" ["=" fill]   a buffer: the kernel gets its address
//            | "ptr:" TYPE "=" fill                     a buffer as large as its file or its values
//            | ["ptr="] NAME | "&" NAME "[" index "]"   the address of a buffer, or of an element
//            | "null"                                   a null pointer
//            | "bytes=" hex digits | "bytes=" file      a structure as it lies in memory
//            | "{" argument {"," argument} "}"          a structure, each field aligned to its own size
//   fill     = "zeros" | number | "{" number {"," number} "}" | "@" path
//            | "count" [(start [, step])] | "random" (seed [, low, high]) | "file" (path)
//
// What stands in brackets can also follow a colon: random:7 is random(7), and needs no quotes in a shell. Numbers are
// expressions (number.h); they get values later, when all names are known.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "kernel_launch/type.h"

namespace lanescope::kernel_launch {

struct Fill {
  enum class Kind : std::uint8_t { kZeros, kCount, kConstant, kRandom, kValues, kFile } kind = Kind::kZeros;
  // kCount: start, step. kConstant: one. kRandom: seed, low, high. Defaults where absent.
  std::vector<std::string> numbers;
  std::string path;  // of kFile
};

struct Buffer {
  Type type = Type::kU8;
  std::string count;  // elements; empty: as many as the file or the list has
  Fill fill;
};

struct Scalar {
  std::optional<Type> type;  // none: the parameter's
  std::string number;
  bool bits = false;  // `number` is the bit pattern
};

struct Address {
  std::string buffer;  // empty: null
  std::string index;   // of an element; empty: 0
};

struct RawBytes {
  std::vector<std::uint8_t> bytes;
  std::string path;  // not empty: the file's bytes
};

struct Argument;
struct Structure {
  std::vector<Argument> fields;
};

struct Argument {
  std::string name;  // empty: none
  std::variant<Scalar, Buffer, Address, RawBytes, Structure> value;
  std::string text;  // as written
};

// Errors (Fault::kUsage) say what is wrong and what can stand there; the caller adds which argument it was.
Result<Argument> parse_argument(std::string_view text);
// "f32[1024]=zeros": what stands for a buffer alone, "ptr:" optional.
Result<Buffer> parse_buffer(std::string_view text);

// Calls `change` for every path in the argument.
void for_each_path(Argument& argument, const std::function<void(std::string&)>& change);
void for_each_path(Buffer& buffer, const std::function<void(std::string&)>& change);

}  // namespace lanescope::kernel_launch
