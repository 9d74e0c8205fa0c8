#include "workloads.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <span>

namespace lanescope::bench {
namespace {

template <class T>
Bytes to_bytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> from_bytes(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class T>
std::vector<T> random_reals(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> distribution(0, 1);
  std::vector<T> values(count);
  for (T& value : values) value = distribution(generator);
  return values;
}

std::vector<std::uint32_t> random_integers(std::size_t count, unsigned seed, std::uint32_t most) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<std::uint32_t> distribution(1, most);
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) value = distribution(generator);
  return values;
}

// Compares each element with reference(i), which is in double precision; `tolerance` is relative.
template <class T, class Reference>
std::string compare(const Bytes& output, double tolerance, Reference reference) {
  const std::vector<T> got = from_bytes<T>(output);
  for (std::size_t i = 0; i < got.size(); i++) {
    const double expected = reference(i);
    if (!(std::abs(static_cast<double>(got[i]) - expected) <= tolerance * std::abs(expected))) {
      return fmt::format("element {} is {}, expected {}", i, static_cast<double>(got[i]), expected);
    }
  }
  return {};
}

template <class T>
Workload matmul(const char* name, std::uint32_t n, std::uint32_t tile) {
  const auto a = std::make_shared<std::vector<T>>(random_reals<T>(std::size_t{n} * n, 1));
  const auto b = std::make_shared<std::vector<T>>(random_reals<T>(std::size_t{n} * n, 2));
  const double tolerance = sizeof(T) == 8 ? 1e-13 : 1e-5;
  const auto problem = [=](const Bytes& output) {
    return compare<T>(output, tolerance, [&](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < n; k++) sum += static_cast<double>((*a)[i / n * n + k]) * (*b)[k * n + i % n];
      return sum;
    });
  };
  return {name,
          {n / tile, n / tile, 1},
          {tile, tile, 1},
          {to_bytes(*a), to_bytes(*b), Bytes(a->size() * sizeof(T))},
          static_cast<std::int32_t>(n),
          problem};
}

Workload reduction(const char* name, std::uint32_t blocks) {
  const auto in = std::make_shared<std::vector<float>>(random_reals<float>(std::size_t{blocks} * 256, 3));
  const auto problem = [=](const Bytes& output) {
    return compare<float>(output, 1e-5, [&](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < 256; k++) sum += (*in)[i * 256 + k];
      return sum;
    });
  };
  return {name,
          {blocks, 1, 1},
          {256, 1, 1},
          {to_bytes(*in), Bytes(blocks * sizeof(float))},
          static_cast<std::int32_t>(blocks * 256),
          problem};
}

Workload transpose(const char* name, std::uint32_t n) {
  const auto in = std::make_shared<std::vector<float>>(random_reals<float>(std::size_t{n} * n, 4));
  const auto problem = [=](const Bytes& output) {
    return compare<float>(output, 0, [&](std::size_t i) { return (*in)[i % n * n + i / n]; });
  };
  return {name,
          {n / 32, n / 32, 1},
          {32, 8, 1},
          {to_bytes(*in), Bytes(in->size() * sizeof(float))},
          static_cast<std::int32_t>(n),
          problem};
}

Workload histogram(std::uint32_t count) {
  std::vector<std::uint8_t> in(count);
  std::array<int, 256> expected{};
  std::mt19937 generator(5);
  for (std::uint8_t& value : in) {
    value = static_cast<std::uint8_t>(generator() >> 24);
    expected[value]++;
  }
  // Not compared on repetition: each run adds to the bins of the one before, so the caller clears them.
  const auto problem = [=](const Bytes& output) {
    return compare<std::int32_t>(output, 0, [&](std::size_t i) { return expected[i]; });
  };
  return {"histogram", {64, 1, 1}, {256, 1, 1}, {in, Bytes(256 * sizeof(int))}, static_cast<std::int32_t>(count),
          problem};
}

Workload stencil(std::uint32_t n) {
  const auto in = std::make_shared<std::vector<float>>(random_reals<float>(std::size_t{n} * n, 6));
  const auto problem = [=](const Bytes& output) {
    return compare<float>(output, 1e-6, [&](std::size_t i) -> double {
      const std::size_t x = i % n, y = i / n;
      const std::vector<float>& v = *in;
      if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return v[i];
      return 0.2 * (static_cast<double>(v[i]) + v[i - 1] + v[i + 1] + v[i - n] + v[i + n]);
    });
  };
  return {"stencil",
          {n / 32, n / 8, 1},
          {32, 8, 1},
          {to_bytes(*in), Bytes(in->size() * sizeof(float))},
          static_cast<std::int32_t>(n),
          problem};
}

// One output element of `Out` an input element, in blocks of 256.
template <class Out>
Workload elementwise(const char* name, const std::vector<std::uint32_t>& in,
                     std::function<std::string(const Bytes& output)> problem) {
  return {name,
          {static_cast<std::uint32_t>(in.size() / 256), 1, 1},
          {256, 1, 1},
          {to_bytes(in), Bytes(in.size() * sizeof(Out))},
          static_cast<std::int32_t>(in.size()),
          std::move(problem)};
}

Workload hash(std::uint32_t count) {
  const std::vector<std::uint32_t> in = random_integers(count, 7, UINT32_MAX);
  const auto problem = [=](const Bytes& output) {
    return compare<std::uint32_t>(output, 0, [&](std::size_t i) {
      std::uint32_t h = in[i];
      for (int round = 0; round < 64; round++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h += 0xc2b2ae35u;
      }
      return h;
    });
  };
  return elementwise<std::uint32_t>("hash", in, problem);
}

Workload divergent(std::uint32_t count) {
  const std::vector<std::uint32_t> in = random_integers(count, 8, 50000);  // their sequences stay below 2^32
  const auto problem = [=](const Bytes& output) {
    return compare<std::uint32_t>(output, 0, [&](std::size_t i) {
      std::uint32_t steps = 0;
      for (std::uint64_t value = in[i]; value != 1; steps++) value = value % 2 != 0 ? 3 * value + 1 : value / 2;
      return steps;
    });
  };
  return elementwise<std::uint32_t>("divergent", in, problem);
}

// A half-precision number that is normal, as all of ours are.
double half_value(std::uint32_t bits) {
  const double magnitude = std::ldexp(1.0 + (bits & 0x3ff) / 1024.0, static_cast<int>(bits >> 10 & 31) - 15);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

Workload half2_fma(std::uint32_t count) {
  std::vector<std::uint32_t> in = random_integers(count, 9, UINT32_MAX);
  for (std::uint32_t& pair : in) pair = (pair & 0x03ff03ff) | 0x3c003c00;  // two numbers from 1 to 2
  const auto problem = [=](const Bytes& output) -> std::string {
    const std::vector<std::uint32_t> got = from_bytes<std::uint32_t>(output);
    for (std::size_t i = 0; i < got.size(); i++) {
      for (unsigned shift : {0u, 16u}) {
        const double step = half_value(in[i] >> shift & 0xffff);
        double x = step;
        for (int round = 0; round < 64; round++) x = x / 2 + step;
        const double value = half_value(got[i] >> shift & 0xffff);
        if (std::abs(value - x) > 2e-3 * x) return fmt::format("element {} is {}, expected {}", i, value, x);
      }
    }
    return {};
  };
  return elementwise<std::uint32_t>("half2_fma", in, problem);
}

}  // namespace

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  all.push_back(matmul<float>("matmul_naive", 256, 16));
  all.push_back(matmul<float>("matmul_tiled16", 256, 16));
  all.push_back(matmul<float>("matmul_tiled32", 256, 32));
  all.push_back(matmul<double>("matmul_double", 256, 16));
  all.push_back(reduction("reduce_tree", 4096));
  all.push_back(reduction("reduce_shuffle", 4096));
  all.push_back(transpose("transpose_tile", 1024));
  all.push_back(transpose("transpose_padded", 1024));
  all.push_back(histogram(1 << 21));
  all.push_back(stencil(1024));
  all.push_back(hash(1 << 17));
  all.push_back(divergent(1 << 16));
  all.push_back(half2_fma(1 << 19));
  return all;
}

std::string machine_name() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace lanescope::bench
