// Records what kernels wrote on a real device, and compares later runs with such a record.
//
//   PROGRAM record FILE [NAME]   run the kernels whose name contains NAME (all by default), write their outputs
//   PROGRAM check FILE [NAME]    run them again and compare; one line a kernel, exit code 1 if any differs
//
// A record is a line "lanescope-results 1", then for each output a line "name bytes word-bytes tolerance" and the
// bytes. Uses ordinary runtime calls only (cudaMalloc, cudaMemcpy, cudaMemset, launches), so that the same program runs
// on a device and on anything that stands in for one.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace results {

using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;

constexpr u32 kPoison = 0xA5A5A5A5u;  // what an output buffer holds before a launch

// How close a float or double must come. Approximate functions only; everything else is exact, to the last NaN bit.
enum class Match { exact, ulp2, absolute20 };
inline const char* name_of(Match m) { return m == Match::exact ? "exact" : m == Match::ulp2 ? "ulp2" : "absolute20"; }

struct Region {
  size_t offset, bytes;
};

inline void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

// --- device buffers ---

template <class T>
struct Buffer {
  T* data = nullptr;
  size_t count = 0;
  explicit Buffer(size_t n) : count(n) {
    require(cudaMalloc(&data, n * sizeof(T)), "cudaMalloc");
    require(cudaMemset(data, 0xA5, n * sizeof(T)), "cudaMemset");
  }
  explicit Buffer(const std::vector<T>& v) : Buffer(v.size()) { set(v); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data); }
  void set(const std::vector<T>& v) {
    require(cudaMemcpy(data, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  void poison() { require(cudaMemset(data, 0xA5, count * sizeof(T)), "cudaMemset"); }
};

// --- comparison ---

template <class F, class I>
bool within(I got_bits, I want_bits, Match match) {
  F got, want;
  std::memcpy(&got, &got_bits, sizeof got);
  std::memcpy(&want, &want_bits, sizeof want);
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (match == Match::absolute20)
    return got == want || std::fabs(static_cast<double>(got) - static_cast<double>(want)) <= 0x1p-20;
  auto order = [](I b) {
    return b >> (sizeof(I) * 8 - 1) ? -static_cast<long long>(b & (~I(0) >> 1)) : static_cast<long long>(b);
  };
  return std::llabs(order(got_bits) - order(want_bits)) <= 2;
}

inline u64 word_at(const std::vector<uint8_t>& bytes, size_t index, size_t width) {
  u64 w = 0;
  std::memcpy(&w, bytes.data() + index * width, width);
  return w;
}

inline bool same(u64 got, u64 want, size_t width, Match match) {
  if (got == want) return true;
  if (match == Match::exact) return false;
  return width == 4 ? within<float, u32>(static_cast<u32>(got), static_cast<u32>(want), match)
                    : within<double, u64>(got, want, match);
}

// --- a session: one run of the program ---

class Session {
 public:
  Session(int argc, char** argv) {
    if (argc < 3 || (std::strcmp(argv[1], "record") != 0 && std::strcmp(argv[1], "check") != 0)) {
      std::fprintf(stderr, "usage: %s record|check FILE [NAME]\n", argv[0]);
      std::exit(2);
    }
    checking_ = argv[1][0] == 'c';
    filter_ = argc > 3 ? argv[3] : "";
    file_ = std::fopen(argv[2], checking_ ? "rb" : "wb");
    if (!file_) {
      std::fprintf(stderr, "cannot open %s\n", argv[2]);
      std::exit(2);
    }
    if (checking_)
      load();
    else
      std::fprintf(file_, "lanescope-results 1\n");
  }

  bool wants(const std::string& name) const { return name.find(filter_) != std::string::npos; }

  // Takes the output that a launch left in `device`: these regions of it, in words of `width` bytes.
  void output(const std::string& name, const void* device, const std::vector<Region>& regions, size_t width,
              Match match = Match::exact) {
    cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    std::vector<uint8_t> bytes;
    for (const Region& r : regions) {
      size_t at = bytes.size();
      bytes.resize(at + r.bytes);
      if (status == cudaSuccess)
        status =
            cudaMemcpy(bytes.data() + at, static_cast<const char*>(device) + r.offset, r.bytes, cudaMemcpyDeviceToHost);
    }
    if (status != cudaSuccess) {
      std::printf("FAIL %s: %s\n", name.c_str(), cudaGetErrorString(status));
      cudaGetLastError();
      failed_++;
    } else if (checking_) {
      compare(name, bytes, width, match);
    } else {
      std::fprintf(file_, "%s %zu %zu %s\n", name.c_str(), bytes.size(), width, name_of(match));
      std::fwrite(bytes.data(), 1, bytes.size(), file_);
      passed_++;
      words_ += bytes.size() / width;
    }
  }
  void output(const std::string& name, const void* device, size_t bytes, size_t width, Match match = Match::exact) {
    output(name, device, {{0, bytes}}, width, match);
  }

  int finish() {
    std::fclose(file_);
    std::printf("%s: %zu outputs, %zu words, %zu failed\n", checking_ ? "checked" : "recorded", passed_ + failed_,
                words_, failed_);
    return failed_ ? 1 : 0;
  }

 private:
  void load() {
    char name[256], tolerance[32];
    size_t bytes, width;
    if (std::fscanf(file_, "lanescope-results 1%*1[\n]") != 0) std::exit(2);
    while (std::fscanf(file_, "%255s %zu %zu %31s%*1[\n]", name, &bytes, &width, tolerance) == 4) {
      std::vector<uint8_t>& v = want_[name];
      v.resize(bytes);
      if (std::fread(v.data(), 1, bytes, file_) != bytes) {
        std::fprintf(stderr, "the record ends inside %s\n", name);
        std::exit(2);
      }
    }
  }

  void compare(const std::string& name, const std::vector<uint8_t>& got, size_t width, Match match) {
    auto it = want_.find(name);
    if (it == want_.end() || it->second.size() != got.size()) {
      std::printf("FAIL %s: %s\n", name.c_str(),
                  it == want_.end() ? "not in the record" : "the record has another size");
      failed_++;
      return;
    }
    const std::vector<uint8_t>& want = it->second;
    size_t n = got.size() / width, wrong = 0, first = 0;
    for (size_t i = 0; i < n; i++)
      if (!same(word_at(got, i, width), word_at(want, i, width), width, match) && wrong++ == 0) first = i;
    words_ += n;
    if (wrong) {
      std::printf("FAIL %s: %zu of %zu words differ, first at %zu: got 0x%0*llx, want 0x%0*llx\n", name.c_str(), wrong,
                  n, first, static_cast<int>(width * 2), word_at(got, first, width), static_cast<int>(width * 2),
                  word_at(want, first, width));
      failed_++;
    } else {
      std::printf("PASS %s: %zu words, %s\n", name.c_str(), n, name_of(match));
      passed_++;
    }
  }

  bool checking_ = false;
  std::string filter_;
  std::FILE* file_ = nullptr;
  std::map<std::string, std::vector<uint8_t>> want_;
  size_t passed_ = 0, failed_ = 0, words_ = 0;
};

// --- inputs ---

struct Random {
  u64 state;
  u32 next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<u32>(state >> 32);
  }
  u64 next64() {
    u64 high = next();
    return high << 32 | next();
  }
};

// 32 special values of each type. NaNs: quiet and signalling, both signs, with and without payload.
inline const u32 kSpecialFloat[32] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x40000000, 0xc0400000, 0x4b000000,
    0x4b800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf800000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffa5a5a5, 0x7fd23456, 0xffffffff};
inline const u64 kSpecialDouble[32] = {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
                                       0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
                                       0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff,
                                       0x3fe0000000000000, 0x4000000000000000, 0xc008000000000000, 0x4330000000000000,
                                       0x4340000000000001, 0x41e0000000000000, 0xc1e0000000000000, 0x41f0000000000000,
                                       0x43e0000000000000, 0xc3f0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
                                       0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001,
                                       0x7ff0000000000001, 0xfff4a5a5a5a5a5a5, 0x7ffa3456789abcde, 0xffffffffffffffff};
inline const u16 kSpecialHalf[32] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
                                     0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800, 0x4000, 0xc200, 0x6400,
                                     0x6801, 0x5800, 0x7000, 0xf000, 0x1400, 0x9400, 0x7bff, 0xfbff,
                                     0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd5a, 0x7f34, 0xffff};
inline const u16 kSpecialBf16[32] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080,
                                     0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x3f00, 0x4000, 0xc040, 0x4b00,
                                     0x4b81, 0x4f00, 0xcf00, 0x4f80, 0x5f00, 0xdf80, 0x7f7f, 0xff7f,
                                     0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0xffa5, 0x7fd2, 0xffff};
inline const u32 kSpecialInt[32] = {0,          1,          0xffffffff, 2,          0xfffffffe, 3,          7,
                                    8,          15,         16,         31,         32,         33,         63,
                                    64,         127,        128,        255,        256,        32767,      32768,
                                    65535,      65536,      0x7fffffff, 0x80000000, 0x80000001, 0xffff8000, 0xaaaaaaaa,
                                    0x55555555, 0x12345678, 0xdeadbeef, 0x00ff00ff};
inline const u64 kSpecialLong[32] = {0,
                                     1,
                                     ~0ull,
                                     2,
                                     ~1ull,
                                     3,
                                     7,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     255,
                                     65536,
                                     0x7fffffffull,
                                     0x80000000ull,
                                     0xffffffffull,
                                     0x100000000ull,
                                     0x100000001ull,
                                     0xffffffff80000000ull,
                                     0x7fffffffffffffffull,
                                     0x8000000000000000ull,
                                     0x8000000000000001ull,
                                     0x0020000000000001ull,
                                     0x001fffffffffffffull,
                                     0xaaaaaaaaaaaaaaaaull,
                                     0x5555555555555555ull,
                                     0x123456789abcdef0ull,
                                     0xdeadbeefcafebabeull,
                                     0xfffffffeffffffffull,
                                     0x00000000fffffffeull};

// Element i < 1024 of operands 0, 1, 2: the indices of the special values form a Latin square, so that every pair of
// special values meets in every pair of operands.
inline int special_index(int operand, int i) {
  int x = i % 32, y = i / 32 % 32;
  return operand == 0 ? x : operand == 1 ? y : (x * 11 + y * 13) % 32;
}

enum class Kind { f32, f64, f16x2, bf16x2, s32, s64 };

// Three operands of n elements: 1,024 with every special pair, then by turns raw random bits, moderate values, and
// values whose third operand nearly cancels the product of the others (floats) or is small (integers).
template <class T>
std::vector<T> operand(Kind kind, int which, int n) {
  std::vector<T> out(n);
  Random r{0x1234567u + 977u * static_cast<u32>(kind)};
  for (int i = 0; i < n; i++) {
    u64 bits[3];
    for (int k = 0; k < 3; k++) {
      int s = special_index(k, i);
      u64 raw = r.next64();
      u32 w = static_cast<u32>(raw >> 13);
      switch (kind) {
        case Kind::f32:
          bits[k] = i < 1024 ? kSpecialFloat[s] : i % 4 == 0 ? w : (w & 0x807fffff) | (119 + (raw & 15)) << 23;
          break;
        case Kind::f64:
          bits[k] = i < 1024     ? kSpecialDouble[s]
                    : i % 4 == 0 ? raw
                                 : (raw & 0x800fffffffffffff) | (1015 + (raw >> 56 & 15)) << 52;
          break;
        case Kind::f16x2:
          bits[k] = i < 1024     ? kSpecialHalf[s] | kSpecialHalf[special_index((k + 1) % 3, i)] << 16
                    : i % 4 == 0 ? w
                                 : (w & 0x8fff8fff) | 0x30003000;
          break;
        case Kind::bf16x2:
          bits[k] = i < 1024     ? kSpecialBf16[s] | u32{kSpecialBf16[special_index((k + 1) % 3, i)]} << 16
                    : i % 4 == 0 ? w
                                 : (w & 0x83ff83ff) | 0x3c003c00;
          break;
        case Kind::s32:
          bits[k] = i < 1024 ? kSpecialInt[s] : i % 4 < 2 ? w : i % 4 == 2 ? w & 255 : w >> (raw & 31);
          break;
        case Kind::s64:
          bits[k] = i < 1024 ? kSpecialLong[s] : i % 4 < 2 ? raw : i % 4 == 2 ? raw & 255 : raw >> (w & 63);
          break;
      }
    }
    if (i >= 1024 && i % 4 == 1 && kind == Kind::f32) {
      float x, y, z;
      std::memcpy(&x, &bits[0], 4), std::memcpy(&y, &bits[1], 4);
      z = -x * y;
      std::memcpy(&bits[2], &z, 4);
      bits[2] ^= i >> 2 & 3;
    }
    if (i >= 1024 && i % 4 == 1 && kind == Kind::f64) {
      double x, y, z;
      std::memcpy(&x, &bits[0], 8), std::memcpy(&y, &bits[1], 8);
      z = -x * y;
      std::memcpy(&bits[2], &z, 8);
      bits[2] ^= i >> 2 & 3;
    }
    std::memcpy(&out[i], &bits[which], sizeof(T));
  }
  return out;
}

// --- kernels of one operation ---

constexpr int kOpElements = 2048, kOpBlock = 256;

// A kernel (O* out, const I* a, const I* b, const I* c) over kOpElements elements; `outputs` words a thread.
struct Op {
  const char* name;
  const void* kernel;
  Kind kind;
  size_t in_bytes, out_bytes;
  int outputs;
  Match match;
};
inline std::vector<Op>& ops() {
  static std::vector<Op> all;
  return all;
}
struct Register {
  Register(const Op& op) { ops().push_back(op); }
};

// Runs every registered operation on its kind's three operands.
inline void run_ops(Session& session) {
  std::map<int, std::vector<Buffer<u64>*>> inputs;  // kind to operands, in the kind's own element width
  auto operands = [&](const Op& op) -> std::vector<Buffer<u64>*>& {
    auto& v = inputs[static_cast<int>(op.kind)];
    for (int k = static_cast<int>(v.size()); k < 3; k++) {
      auto* b = new Buffer<u64>(kOpElements);
      auto fill = [&](auto tag) {
        auto h = operand<decltype(tag)>(op.kind, k, kOpElements);
        require(cudaMemcpy(b->data, h.data(), h.size() * sizeof h[0], cudaMemcpyHostToDevice), "copy to the device");
      };
      op.kind == Kind::f64 || op.kind == Kind::s64 ? fill(u64{}) : fill(u32{});
      v.push_back(b);
    }
    return v;
  };
  Buffer<u64> out(kOpElements * 8);
  for (const Op& op : ops()) {
    if (!session.wants(op.name)) continue;
    auto& in = operands(op);
    out.poison();
    void *o = out.data, *a = in[0]->data, *b = in[1]->data, *c = in[2]->data;
    void* args[] = {&o, &a, &b, &c};
    cudaLaunchKernel(op.kernel, dim3(kOpElements / kOpBlock), dim3(kOpBlock), args, 0, nullptr);
    session.output(op.name, out.data, kOpElements * op.out_bytes * op.outputs, op.out_bytes, op.match);
  }
}

}  // namespace results

// One operation as inline PTX: %0 the result, %1 %2 %3 the operands, element by element.
#define OP(NAME, KIND, IN, IN_C, OUT, OUT_C, MATCH, PTX)                  \
  __global__ void NAME(OUT* o, const IN* a, const IN* b, const IN* c) {   \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                        \
    IN x = a[i], y = b[i], z = c[i];                                      \
    OUT r;                                                                \
    asm volatile("{" PTX "}" : "=" OUT_C(r) : IN_C(x), IN_C(y), IN_C(z)); \
    o[i] = r;                                                             \
  }                                                                       \
  static results::Register register_##NAME(                               \
      {#NAME, (const void*)NAME, results::Kind::KIND, sizeof(IN), sizeof(OUT), 1, results::Match::MATCH});

// One operation as an expression of x, y, z.
#define EXPRESSION(NAME, KIND, IN, OUT, MATCH, ...)                     \
  __global__ void NAME(OUT* o, const IN* a, const IN* b, const IN* c) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                      \
    IN x = a[i], y = b[i], z = c[i];                                    \
    (void)x, (void)y, (void)z;                                          \
    o[i] = (__VA_ARGS__);                                               \
  }                                                                     \
  static results::Register register_##NAME(                             \
      {#NAME, (const void*)NAME, results::Kind::KIND, sizeof(IN), sizeof(OUT), 1, results::Match::MATCH});
