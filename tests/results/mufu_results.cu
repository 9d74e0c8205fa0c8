// The multi-function unit, dense: each approximate function over 65,536 inputs, half of them spread over all signs,
// exponents and specials, half inside the function's main interval. Tolerances are the issue's; the records allow
// bit-equality.
//
//   mufu_results record|check FILE [NAME]      as the other result programs
//   mufu_results sums FILE                     for each function, sign and exponent, a checksum over all 2^23 mantissas
//   mufu_results dump NAME FIRST COUNT FILE    raw results for COUNT consecutive bit patterns from FIRST
#include "harness.h"

using namespace results;

namespace {

constexpr int kSamples = 65536;

struct Function {
  const char* name;
  const void* kernel;  // (u32* o, const u32* a, int n)
  const void* range;   // (u32* o, u32 first, u32 n)
  const void* sum;     // (u64* o)
  u32 low, high;       // bit patterns: the main interval
  bool both_signs;
  Match match;
};
std::vector<Function>& functions() {
  static std::vector<Function> all;
  return all;
}
struct RegisterFunction {
  explicit RegisterFunction(const Function& f) { functions().push_back(f); }
};

}  // namespace

// A checksum that does not depend on the order of additions: each result is mixed with its input.
__device__ u64 mixed(u32 x, u32 y) {
  u64 m = (u64{x} << 32 | y) * 0x9e3779b97f4a7c15ull;
  m ^= m >> 29;
  m *= 0xbf58476d1ce4e5b9ull;
  return m ^ m >> 32;
}

// clang-format off
#define MUFU(NAME, PTX, LOW, HIGH, SIGNS, MATCH)                                                                      \
  __device__ u32 value_##NAME(u32 x) { float r; asm volatile(PTX " %0, %1;" : "=f"(r) : "f"(__uint_as_float(x))); return __float_as_uint(r); } \
  __global__ void NAME(u32* o, const u32* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = value_##NAME(a[i]); } \
  __global__ void range_##NAME(u32* o, u32 first, u32 n) { u32 i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = value_##NAME(first + i); } \
  __global__ void sum_##NAME(u64* o) { u32 top = blockIdx.y << 23; u64 s = 0; for (u32 m = blockIdx.x * blockDim.x + threadIdx.x; m < 1u << 23; m += gridDim.x * blockDim.x) s += mixed(top | m, value_##NAME(top | m)); atomicAdd(o + blockIdx.y, s); } \
  static RegisterFunction register_##NAME(Function{#NAME, (const void*)NAME, (const void*)range_##NAME, (const void*)sum_##NAME, LOW, HIGH, SIGNS, Match::MATCH});
MUFU(mufu_rcp, "rcp.approx.ftz.f32", 0x3f800000, 0x40000000, false, ulp2)
MUFU(mufu_rsq, "rsqrt.approx.ftz.f32", 0x3f800000, 0x40800000, false, ulp2)
MUFU(mufu_sqrt, "sqrt.approx.ftz.f32", 0x3f800000, 0x40800000, false, ulp2)
MUFU(mufu_lg2, "lg2.approx.ftz.f32", 0x3f000000, 0x40000000, false, absolute20)
MUFU(mufu_ex2, "ex2.approx.ftz.f32", 0x3d000000, 0x43000000, true, ulp2)
MUFU(mufu_sin, "sin.approx.ftz.f32", 0x3c000000, 0x41800000, true, absolute20)
MUFU(mufu_cos, "cos.approx.ftz.f32", 0x3c000000, 0x41800000, true, absolute20)
MUFU(mufu_tanh, "tanh.approx.f32", 0x3c000000, 0x41800000, true, absolute20)
MUFU(rcp_approx, "rcp.approx.f32", 0x3f800000, 0x40000000, false, ulp2)
MUFU(rsqrt_approx, "rsqrt.approx.f32", 0x3f800000, 0x40800000, false, ulp2)
MUFU(sqrt_approx, "sqrt.approx.f32", 0x3f800000, 0x40800000, false, ulp2)
MUFU(lg2_approx, "lg2.approx.f32", 0x3f000000, 0x40000000, false, absolute20)
MUFU(ex2_approx, "ex2.approx.f32", 0x3d000000, 0x43000000, true, ulp2)
MUFU(sin_approx, "sin.approx.f32", 0x3c000000, 0x41800000, true, absolute20)
MUFU(cos_approx, "cos.approx.f32", 0x3c000000, 0x41800000, true, absolute20)
// clang-format on

// Division's approximate forms, over pairs.
OP(div_approx, f32, float, "f", float, "f", ulp2, "div.approx.f32 %0, %1, %2;")
OP(div_approx_ftz, f32, float, "f", float, "f", ulp2, "div.approx.ftz.f32 %0, %1, %2;")
OP(div_full, f32, float, "f", float, "f", ulp2, "div.full.f32 %0, %1, %2;")
OP(div_full_ftz, f32, float, "f", float, "f", ulp2, "div.full.ftz.f32 %0, %1, %2;")

// RCP64H and RSQ64H see the upper word of a double; half the words have a zero low half.
__global__ void mufu_rcp64h(u64* o, const u64* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double r;
  asm volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(__longlong_as_double(a[i])));
  o[i] = __double_as_longlong(r);
}
__global__ void mufu_rsq64h(u64* o, const u64* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double r;
  asm volatile("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(__longlong_as_double(a[i])));
  o[i] = __double_as_longlong(r);
}
__global__ void rsqrt_approx_f64(u64* o, const u64* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double r;
  asm volatile("rsqrt.approx.f64 %0, %1;" : "=d"(r) : "d"(__longlong_as_double(a[i])));
  o[i] = __double_as_longlong(r);
}

__global__ void range_rcp64h(u32* o, u32 first, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  double r;
  asm volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(__hiloint2double(first + i, 0)));
  if (i < n) o[i] = __double2hiint(r);
}
__global__ void range_rsq64h(u32* o, u32 first, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  double r;
  asm volatile("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(__hiloint2double(first + i, 0)));
  if (i < n) o[i] = __double2hiint(r);
}

// Half-precision forms: all 65,536 inputs.
#define EVERY_HALF(NAME, PTX)                                           \
  __global__ void NAME(u16* o) {                                        \
    u16 x = static_cast<u16>(blockIdx.x * blockDim.x + threadIdx.x), r; \
    asm volatile(PTX " %0, %1;" : "=h"(r) : "h"(x));                    \
    o[x] = r;                                                           \
  }
EVERY_HALF(tanh_f16, "tanh.approx.f16")
EVERY_HALF(ex2_f16, "ex2.approx.f16")
EVERY_HALF(tanh_bf16, "tanh.approx.bf16")
EVERY_HALF(ex2_bf16, "ex2.approx.ftz.bf16")

namespace {

std::vector<u32> samples(const Function& f) {
  std::vector<u32> v(kSamples);
  Random r{0xbeefu};
  for (int i = 0; i < kSamples; i++) {
    u32 w = r.next();
    if (i < kSamples / 2)  // 64 mantissas for each of 512 signs and exponents: first, last, and random ones
      v[i] = static_cast<u32>(i / 64) << 23 | (i % 64 == 0   ? 0
                                               : i % 64 == 1 ? 0x7fffff
                                               : i % 64 == 2 ? 0x400000
                                               : i % 64 == 3 ? 1
                                                             : w >> 9);
    else
      v[i] = (f.low + static_cast<u32>((u64{w} * (f.high - f.low)) >> 32)) | (f.both_signs && i & 1 ? 0x80000000u : 0);
  }
  return v;
}

void sample_all(Session& s) {
  Buffer<u32> o(kSamples);
  for (const Function& f : functions()) {
    if (!s.wants(f.name)) continue;
    Buffer<u32> a(samples(f));
    u32 *out = o.data, *in = a.data;
    int n = kSamples;
    void* args[] = {&out, &in, &n};
    o.poison();
    cudaLaunchKernel(f.kernel, dim3(kSamples / 256), dim3(256), args, 0, nullptr);
    s.output(f.name, o.data, kSamples * 4, 4, f.match);
  }
  run_ops(s);
  constexpr int kDoubles = 16384;  // two mantissas for each of 4,096 signs and exponents, then four octaves densely
  std::vector<u64> d(kDoubles);
  Random r{0xd0d0u};
  for (int i = 0; i < kDoubles; i++) {
    u64 w = r.next64();
    d[i] = i < 8192 ? static_cast<u64>(i / 2) << 52 | (i % 2 ? w >> 12 : 0)
                    : (0x3fe0000000000000ull + (w >> 10)) & (i & 1 ? ~0xffffffffull : ~0ull);
  }
  Buffer<u64> a(d), od(kDoubles);
  auto doubles = [&](const char* name, void (*kernel)(u64*, const u64*)) {
    if (!s.wants(name)) return;
    od.poison();
    kernel<<<kDoubles / 256, 256>>>(od.data, a.data);
    s.output(name, od.data, kDoubles * 8, 8, Match::exact);
  };
  doubles("mufu_rcp64h", mufu_rcp64h);
  doubles("mufu_rsq64h", mufu_rsq64h);
  doubles("rsqrt_approx_f64", rsqrt_approx_f64);
  auto halves = [&](const char* name, void (*kernel)(u16*)) {
    if (!s.wants(name)) return;
    o.poison();
    kernel<<<256, 256>>>(reinterpret_cast<u16*>(o.data));
    s.output(name, o.data, 65536 * 2, 2, Match::exact);
  };
  halves("tanh_f16", tanh_f16);
  halves("ex2_f16", ex2_f16);
  halves("tanh_bf16", tanh_bf16);
  halves("ex2_bf16", ex2_bf16);
}

int sums(const char* path) {
  std::FILE* file = std::fopen(path, "w");
  std::fprintf(file, "# function\tsign and exponent\tsum over all mantissas of mixed(input, result)\n");
  for (const Function& f : functions()) {
    Buffer<u64> o(std::vector<u64>(512, 0));
    u64* out = o.data;
    void* args[] = {&out};
    cudaLaunchKernel(f.sum, dim3(64, 512), dim3(256), args, 0, nullptr);
    std::vector<u64> h(512);
    require(cudaMemcpy(h.data(), o.data, 512 * 8, cudaMemcpyDeviceToHost), f.name);
    for (int e = 0; e < 512; e++) std::fprintf(file, "%s\t%03x\t%016llx\n", f.name, e, h[e]);
  }
  std::fclose(file);
  return 0;
}

int dump(const char* name, u32 first, u32 count, const char* path) {
  const void* kernel = std::strcmp(name, "mufu_rcp64h") == 0   ? reinterpret_cast<const void*>(range_rcp64h)
                       : std::strcmp(name, "mufu_rsq64h") == 0 ? reinterpret_cast<const void*>(range_rsq64h)
                                                               : nullptr;  // these two: upper words
  for (const Function& f : functions())
    if (std::strcmp(f.name, name) == 0) kernel = f.range;
  if (!kernel) return 2;
  Buffer<u32> o(count);
  u32* out = o.data;
  void* args[] = {&out, &first, &count};
  cudaLaunchKernel(kernel, dim3((count + 255) / 256), dim3(256), args, 0, nullptr);
  std::vector<u32> h(count);
  require(cudaMemcpy(h.data(), o.data, size_t{count} * 4, cudaMemcpyDeviceToHost), name);
  std::FILE* file = std::fopen(path, "wb");
  std::fwrite(h.data(), 4, count, file);
  std::fclose(file);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && !std::strcmp(argv[1], "sums")) return sums(argv[2]);
  if (argc == 6 && !std::strcmp(argv[1], "dump"))
    return dump(argv[2], static_cast<u32>(std::strtoul(argv[3], nullptr, 0)),
                static_cast<u32>(std::strtoul(argv[4], nullptr, 0)), argv[5]);
  Session s(argc, argv);
  sample_all(s);
  return s.finish();
}
