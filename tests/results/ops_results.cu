// Runs the kernels of ops.cu on inputs with every pair of special values and records or checks what they write.
//
// Left out, because what it writes depends on clocks and on where it runs: misc_k.
// Launched one warp at a time, because warps would race for a location: warp_ops (o[8000]), mem (v[i + 150001],
// st.release), diverge (o[k]); atom_g and atom_s with one warp, because lanes of different warps meet in o[3], o[4],
// o[700], d[9], s[]. smem reads shared memory that it never wrote: those words are not recorded.
#include "ops.cu"
#undef T

#include "harness.h"

using namespace results;

namespace {

constexpr int kN = 4096, kBlock = 256, kGrid = kN / kBlock;

template <class T>
std::vector<T> range(int n, T first, T step) {
  std::vector<T> v(n);
  for (int i = 0; i < n; i++) v[i] = static_cast<T>(first + step * static_cast<T>(i));
  return v;
}

template <class To, class From>
std::vector<To> as(const std::vector<From>& v) {
  std::vector<To> out(v.size() * sizeof(From) / sizeof(To));
  std::memcpy(out.data(), v.data(), v.size() * sizeof(From));
  return out;
}

// The families of one expression: o[i] = f(a[i], b[i], c[i]).
template <class T>
struct Three {
  Buffer<T> o, a, b, c;
  explicit Three(Kind kind) : o(kN), a(kN), b(kN), c(kN) { load(a, kind, 0), load(b, kind, 1), load(c, kind, 2); }
  static void load(Buffer<T>& to, Kind kind, int which) {
    if constexpr (sizeof(T) == 4)
      to.set(as<T>(operand<u32>(kind, which, kN)));
    else
      to.set(as<T>(operand<u64>(kind, which, kN)));
  }
  void run(Session& s, const char* name, void (*kernel)(T*, const T*, const T*, const T*), Match match = Match::exact) {
    if (!s.wants(name)) return;
    o.poison();
    kernel<<<kGrid, kBlock>>>(o.data, a.data, b.data, c.data);
    s.output(name, o.data, kN * sizeof(T), sizeof(T), match);
  }
};

#define RUN(name) k.run(s, #name, name);
#define NEAR(name, match) k.run(s, #name, name, Match::match);

void integers(Session& s) {
  {
    Three<int> k(Kind::s32);
    RUN(i_add)
    RUN(i_mad)
    RUN(i_mulhi) RUN(i_div) RUN(i_rem) RUN(i_minmax) RUN(i_abs) RUN(i_shift) RUN(i_sad) RUN(i_logic) RUN(i_sel)
        RUN(i_brev) RUN(i_dp4a) RUN(i_dp2a) RUN(i_rhadd) RUN(i_mul24)
  }
  {
    Three<unsigned> k(Kind::s32);
    RUN(u_div)
    RUN(u_rem) RUN(u_mulhi) RUN(u_perm) RUN(u_funnel) RUN(u_bfe) RUN(u_bfi) RUN(u_simd) RUN(u_satadd) RUN(u_lds32)
  }
  {
    Three<long long> k(Kind::s64);
    RUN(l_add) RUN(l_mul) RUN(l_div) RUN(l_rem) RUN(l_shift) RUN(l_cmp) RUN(l_mulhi) RUN(l_pop) RUN(l_brev)
  }
}

void floats(Session& s) {
  {
    Three<float> k(Kind::f32);
    RUN(f_add)
    RUN(f_mul)
    RUN(f_fma) RUN(f_div) RUN(f_sqrt) RUN(f_rcp) RUN(f_log) RUN(f_sin) RUN(f_minmax) RUN(f_round) RUN(f_rz) RUN(f_sat)
        RUN(f_cmp) RUN(f_isnan) RUN(f_fmod) RUN(f_copysign) RUN(f_ldexp) RUN(f_swap) RUN(f_sincos) NEAR(f_fastdiv, ulp2)
            NEAR(f_rsqrt, ulp2) NEAR(f_exp, ulp2) NEAR(f_fexp, ulp2) NEAR(f_flog, absolute20) NEAR(f_fsin, absolute20)
                NEAR(f_tan, ulp2) NEAR(f_pow, ulp2) NEAR(f_tanh, ulp2) NEAR(f_erf, ulp2) NEAR(f_sigmoid, ulp2)
  }
  {
    Three<double> k(Kind::f64);
    RUN(d_add)
    RUN(d_mul)
    RUN(d_fma) RUN(d_div) RUN(d_sqrt) RUN(d_exp) RUN(d_sin) RUN(d_cmp) RUN(d_minmax) RUN(d_round) NEAR(d_rsqrt, ulp2)
  }
}

void conversions(Session& s) {
  Buffer<float> f(as<float>(operand<u32>(Kind::f32, 0, kN)));
  Buffer<double> d(as<double>(operand<u64>(Kind::f64, 1, kN)));
  Buffer<long long> l(as<long long>(operand<u64>(Kind::s64, 0, kN)));
  Buffer<short> h(as<short>(operand<u32>(Kind::s32, 1, kN)));
  Buffer<signed char> q(as<signed char>(operand<u32>(Kind::s32, 2, kN)));
  Buffer<int> o(36000);
  if (s.wants("cvt")) {
    cvt<<<kGrid, kBlock>>>(o.data, f.data, d.data, l.data, h.data, q.data);
    s.output("cvt", o.data, {{0, kN * 4}, {4096 * 8, kN * 8}, {9000 * 8, kN * 8}, {30000 * 4, kN * 4}}, 4);
  }
  Buffer<u32> ha(operand<u32>(Kind::f16x2, 0, kN)), hb(operand<u32>(Kind::f16x2, 1, kN));
  auto one = [](void* p) { return static_cast<__half*>(p); };
  auto two = [](void* p) { return static_cast<__half2*>(p); };
  if (s.wants("half1")) {
    o.poison();
    half1<<<kGrid, kBlock>>>(one(o.data), one(ha.data), one(hb.data), f.data);
    s.output("half1", o.data, {{0, kN * 2}, {4000 * 4, kN * 4}, {9000 * 4, kN * 4}}, 2);
  }
  if (s.wants("half2k")) {
    o.poison();
    half2k<<<kGrid, kBlock>>>(two(o.data), two(ha.data), two(hb.data));
    s.output("half2k", o.data, kN * 4, 2);
  }
  if (s.wants("bf16k")) {
    Buffer<u32> ba(operand<u32>(Kind::bf16x2, 0, kN)), bb(operand<u32>(Kind::bf16x2, 1, kN));
    auto bf = [](void* p) { return static_cast<__nv_bfloat162*>(p); };
    o.poison();
    bf16k<<<kGrid, kBlock>>>(bf(o.data), bf(ba.data), bf(bb.data), f.data);
    s.output("bf16k", o.data, {{0, kN * 4}, {9000 * 4, kN * 4}, {40000 * 2, kN * 2}}, 2);
  }
}

void warps(Session& s) {
  std::vector<u32> random = operand<u32>(Kind::s32, 0, kN);
  Buffer<u32> a(random);
  auto ints = [](void* p) { return static_cast<int*>(p); };
  Buffer<int> o(20000);
  if (s.wants("warp_ops"))
    for (int w = 0; w < 24; w++) {
      o.poison();
      warp_ops<<<1, 32>>>(o.data, ints(a.data) + 900 + w * 32);
      s.output("warp_ops." + std::to_string(w), o.data, {{0, 128}, {32000, 4}, {72000, 256}}, 4);
    }
  if (s.wants("blocks")) {
    o.poison();
    blocks<<<kGrid, kBlock>>>(o.data, ints(a.data));
    s.output("blocks", o.data, kN * 4, 4);
  }
  if (s.wants("coop.")) {
    o.poison();
    coop<<<1, 256>>>(o.data, ints(a.data) + 1000);
    s.output("coop.", o.data, 256 * 4, 4);
  }
  if (s.wants("coopgrid")) {
    o.poison();
    int* p = o.data;
    void* args[] = {&p};
    cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(coopgrid), dim3(16), dim3(256), args, 0, nullptr);
    s.output("coopgrid", o.data, 5004 * 4, 4);
  }
  if (s.wants("cluster")) {
    o.poison();
    cluster<<<8, 32>>>(o.data);
    s.output("cluster", o.data, 8 * 32 * 4, 4);
  }
}

void atomics(Session& s) {
  for (int round = 0; round < 4; round++) {
    std::string suffix = "." + std::to_string(round);
    std::vector<u32> ints = operand<u32>(Kind::s32, 0, 1000), unsigneds = operand<u32>(Kind::s32, 1, 64),
                     floats = operand<u32>(Kind::f32, 0, 700), halves = operand<u32>(Kind::f16x2, 0, 64);
    std::vector<u64> doubles = operand<u64>(Kind::f64, 0, 64), longs = operand<u64>(Kind::s64, 0, 64);
    if (round == 1)  // values that meet the compared ones
      for (int i = 0; i < 64; i++)
        ints[i] = static_cast<u32>(i - 20), unsigneds[i] = static_cast<u32>(i / 2), longs[i] = static_cast<u64>(i & 3);
    if (round >= 2) {
      ints = operand<u32>(Kind::s32, round, 4000), ints.erase(ints.begin(), ints.begin() + 2000 + 500 * (round - 2));
      floats = operand<u32>(Kind::f32, 2, 2000), floats.erase(floats.begin(), floats.begin() + 1200);
    }
    floats[600] = 0x41200000;         // 10, where all lanes add 2
    doubles[9] = 0x4024000000000000;  // likewise
    ints[3] = 5, ints[4] = 1, ints[700] = 0;
    Buffer<u32> o(ints), u(unsigneds), f(floats), h(halves);
    Buffer<u64> d(doubles), l(longs);
    if (s.wants("atom_g")) {
      atom_g<<<1, 32>>>(reinterpret_cast<int*>(o.data), u.data, reinterpret_cast<float*>(f.data),
                        reinterpret_cast<double*>(d.data), l.data, reinterpret_cast<__half2*>(h.data));
      s.output("atom_g.o" + suffix, o.data, 701 * 4, 4);
      s.output("atom_g.u" + suffix, u.data, 32 * 4, 4);
      s.output("atom_g.f" + suffix, f.data, {{0, 32 * 4}, {600 * 4, 4}}, 4);
      s.output("atom_g.d" + suffix, d.data, 32 * 8, 8);
      s.output("atom_g.l" + suffix, l.data, 32 * 8, 8);
      s.output("atom_g.h" + suffix, h.data, 32 * 4, 4);
    }
  }
  if (s.wants("atom_s")) {
    Buffer<int> o(64);
    atom_s<<<1, 32>>>(o.data);
    s.output("atom_s", o.data, 32 * 4, 4);
  }
}

void memory(Session& s) {
  std::vector<u32> random = operand<u32>(Kind::s32, 0, 20000);
  random.erase(random.begin(), random.begin() + 1024);
  Buffer<u32> a(random);
  if (s.wants("mem.")) {
    Buffer<char> o(700000);
    for (int n : {1, 2, 3, 6, 7, 37}) {
      o.poison();
      mem<<<1, 32>>>(o.data, reinterpret_cast<char*>(a.data), n);
      s.output("mem." + std::to_string(n), o.data,
               {{0, 1024},
                {72000, 256},
                {140000, 128},
                {300000, 64},
                {400000, 128},
                {480000, 128},
                {520000, 128},
                {560000, 128},
                {600000, 136},
                {640000, 128}},
               4);
    }
  }
  if (s.wants("smem")) {
    constexpr int kThreads = 192;  // more, and the doubles would overlap the vectors
    for (int n : {0, 1, 4, 5, 9}) {
      std::vector<Region> known;  // the words that come from shared memory that this block wrote
      for (int k = 0; k < kThreads; k++) {
        bool races = n <= 3;  // then it reads `o` itself, which other warps are writing
        if ((k * n & 255) < kThreads) known.push_back({static_cast<size_t>(k) * 16, 16});
        if (k * n + 7 < kThreads * 4 && (k * n & 511) * 2 + 1 < kThreads * 4 && (k ^ n) * 8 + 7 < kThreads * 4)
          known.push_back({static_cast<size_t>(k + 9000) * 4, 4});
        known.push_back({static_cast<size_t>((k & 31) < kThreads / 32 ? k + 20000 : 20000) * 4, 4});
        if (!races) known.push_back({static_cast<size_t>(k + 30000) * 4, 4});
      }
      Buffer<char> o(130000);
      smem<<<1, kThreads, 24000>>>(o.data, n);
      s.output("smem." + std::to_string(n), o.data, known, 4);
    }
  }
  if (s.wants("consts")) {
    std::vector<u32> floats = operand<u32>(Kind::f32, 0, 2048);
    int index[4] = {3, -1, 1 << 24, 7}, zero = 0;
    float* p = reinterpret_cast<float*>(floats.data());
    require(cudaMemcpyToSymbol(ctab, p + 1100, sizeof ctab), "ctab");
    require(cudaMemcpyToSymbol(gtab, p + 1500, sizeof gtab), "gtab");
    require(cudaMemcpyToSymbol(cidx, index, sizeof index), "cidx");
    require(cudaMemcpyToSymbol(gcount, &zero, sizeof zero), "gcount");
    Buffer<float> o(kN);
    consts<<<kGrid, kBlock>>>(o.data, 5);
    s.output("consts", o.data, kN * 4, 4);
    int count = -1;
    cudaMemcpyFromSymbol(&count, gcount, sizeof count);
    Buffer<int> c(std::vector<int>{count});
    s.output("consts.gcount", c.data, 4, 4);
  }
  if (s.wants("async")) {
    Buffer<float> o(1000);
    async<<<1, 128>>>(o.data, reinterpret_cast<float*>(a.data));
    s.output("async", o.data, 728 * 4, 4);
  }
  if (s.wants("mbar")) {
    Buffer<float> o(256);
    mbar<<<1, 256>>>(o.data, reinterpret_cast<float*>(a.data));
    s.output("mbar", o.data, 256 * 4, 4);
  }
  if (s.wants("stm")) {
    Buffer<u32> o(128);
    stm<<<1, 32>>>(o.data, a.data);
    s.output("stm", o.data, 128 * 4, 4);
  }
}

void control(Session& s) {
  std::vector<u32> random = operand<u32>(Kind::s32, 0, 8192);
  auto ints = [](Buffer<u32>& b) { return reinterpret_cast<int*>(b.data); };
  Buffer<u32> a(random);
  std::vector<u32> small(8192);
  for (size_t i = 0; i < small.size(); i++) small[i] = random[i] & 0x7fffffff;
  Buffer<u32> positive(small);
  Buffer<int> o(8192);
  if (s.wants("local")) {
    local<<<kGrid, kBlock>>>(o.data, ints(positive), 37);
    s.output("local", o.data, kN * 4, 4);
  }
  if (s.wants("calls")) {
    o.poison();
    calls<<<kGrid, kBlock>>>(o.data, ints(a));
    s.output("calls", o.data, kN * 4, 4);
  }
  if (s.wants("fptr")) {
    o.poison();
    fptr<<<kGrid, kBlock>>>(o.data, ints(a));
    s.output("fptr", o.data, kN * 4, 4);
  }
  if (s.wants("switches")) {
    std::vector<u32> x = random;
    for (int i = 31; i < kN; i += 32)  // the last lane of a warp must not read what the next warp writes
      if ((x[i] & 15) == 9) x[i] ^= 1;
    Buffer<u32> in(x);
    o.set(range<int>(8192, -5000, 3));
    switches<<<kGrid, kBlock>>>(o.data, ints(in));
    s.output("switches", o.data, kN * 4, 4);
  }
  if (s.wants("diverge"))
    for (int w = 0; w < 16; w++) {
      o.set(range<int>(8192, 1000 + w, 77));
      diverge<<<1, 32>>>(o.data, ints(positive) + 992 + w * 64, 20);
      s.output("diverge." + std::to_string(w), o.data, 32 * 4, 4);
    }
}

// Matrices whose elements are moderate values, specials, raw bits, and denormals, by round.
std::vector<u32> matrix(Kind kind, int which, int round, size_t words) {
  std::vector<u32> v = operand<u32>(kind, which, 8192);
  v.erase(v.begin(), v.begin() + (round == 0 ? 1024 : round == 1 ? 0 : 2048 + round * 100));
  v.resize(words);
  for (size_t i = 0; i < words; i++) {
    if (round == 0 || round == 2)
      v[i] = kind == Kind::f16x2    ? (v[i] & 0x8fff8fff) | 0x30003000
             : kind == Kind::bf16x2 ? (v[i] & 0x83ff83ff) | 0x3c003c00
                                    : (v[i] & 0x83ffffff) | 0x3c000000;
    if (round == 3) v[i] &= kind == Kind::f16x2 ? 0x83ff83ff : kind == Kind::bf16x2 ? 0x807f807f : 0x807fffff;
    if (round == 4) v[i] &= kind == Kind::f16x2 ? 0xbfffbfff : kind == Kind::bf16x2 ? 0xbfffbfff : 0xbfffffff;
  }
  return v;
}

void matrices(Session& s) {
  Buffer<u32> b(1024);
  auto run = [&](const char* name, void (*kernel)(float*, const unsigned*, const unsigned*, const float*), Kind kind) {
    if (!s.wants(name)) return;
    for (int round = 0; round < 6; round++) {
      Buffer<u32> a(matrix(kind, 0, round, 1024)), c(matrix(Kind::f32, 2, round == 3 ? 3 : round % 3, 128));
      Buffer<float> o(128);
      kernel<<<1, 32>>>(o.data, a.data, b.data, reinterpret_cast<float*>(c.data));
      s.output(std::string(name) + "." + std::to_string(round), o.data, 512, 4);
    }
  };
  run("mma_f16", mma_f16, Kind::f16x2);
  run("mma_bf16", mma_bf16, Kind::bf16x2);
  run("mma_tf32", mma_tf32, Kind::f32);
  for (int round = 0; round < 3; round++) {
    std::string suffix = "." + std::to_string(round);
    std::vector<u32> x = operand<u32>(Kind::s32, round, 2048);
    x.erase(x.begin(), x.begin() + 512 * round);
    Buffer<u32> a(x);
    Buffer<int> o(64);
    if (s.wants("mma_s8")) {
      mma_s8<<<1, 32>>>(o.data, a.data, a.data + 500);
      s.output("mma_s8" + suffix, o.data, 32 * 4, 4);
    }
    std::vector<u64> y = operand<u64>(Kind::f64, round, 4096);
    y.erase(y.begin(), y.begin() + 1200 * round);
    Buffer<double> d(as<double>(y)), r(64);
    if (s.wants("mma_f64")) {
      mma_f64<<<1, 32>>>(r.data, d.data + 40, d.data + 100);
      s.output("mma_f64" + suffix, r.data, 64 * 8, 8);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Session s(argc, argv);
  integers(s);
  floats(s);
  conversions(s);
  warps(s);
  atomics(s);
  memory(s);
  control(s);
  matrices(s);
  return s.finish();
}
