// A histogram of bytes, one warp a block. Each lane has bins of its own in shared memory, in two layouts; the third
// form has one set of bins and atomics. Which banks collide depends on the data.
#include "../example.h"

constexpr int kBins = 256;
constexpr int kLanes = 32;
constexpr int kBlocks = 16;
constexpr int kCount = 65536;

// Lane l counts in column l, so in bank l, whatever the value.
__global__ void histogram_value_lane(const float* in, float* out) {
  __shared__ int bins[kBins][kLanes];
  const int lane = threadIdx.x;
  for (int bin = 0; bin < kBins; bin++) bins[bin][lane] = 0;
  for (int i = blockIdx.x * kLanes + lane; i < kCount; i += kBlocks * kLanes) bins[static_cast<int>(in[i])][lane]++;
  __syncwarp();
  for (int bin = lane; bin < kBins; bin += kLanes) {
    int sum = 0;
    for (int i = 0; i < kLanes; i++) sum += bins[bin][(i + bin) % kLanes];
    atomicAdd(&out[bin], static_cast<float>(sum));
  }
}

// Lane l counts in row l: the bank is the value modulo 32, and lanes with other values of the same bank collide.
__global__ void histogram_lane_value(const float* in, float* out) {
  __shared__ int bins[kLanes][kBins];
  const int lane = threadIdx.x;
  for (int bin = 0; bin < kBins; bin++) bins[lane][(bin + lane) % kBins] = 0;
  for (int i = blockIdx.x * kLanes + lane; i < kCount; i += kBlocks * kLanes) bins[lane][static_cast<int>(in[i])]++;
  __syncwarp();
  for (int bin = lane; bin < kBins; bin += kLanes) {
    int sum = 0;
    for (int i = 0; i < kLanes; i++) sum += bins[i][bin];
    atomicAdd(&out[bin], static_cast<float>(sum));
  }
}

// One set of bins: a thirty-second of the shared memory, so that many more warps fit into an SM.
__global__ void histogram_atomic(const float* in, float* out) {
  __shared__ int bins[kBins];
  const int lane = threadIdx.x;
  for (int bin = lane; bin < kBins; bin += kLanes) bins[bin] = 0;
  __syncwarp();
  for (int i = blockIdx.x * kLanes + lane; i < kCount; i += kBlocks * kLanes) {
    atomicAdd(&bins[static_cast<int>(in[i])], 1);
  }
  __syncwarp();
  for (int bin = lane; bin < kBins; bin += kLanes) atomicAdd(&out[bin], static_cast<float>(bins[bin]));
}

int main() {
  std::vector<float> values(kCount), counts(kBins);
  unsigned state = 1;
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 24);
    counts[state >> 24]++;
  }

  const Buffer in(values);
  Verdict verdict;
  const auto run = [&](const char* name, void (*kernel)(const float*, float*)) {
    const Buffer out(kBins);
    kernel<<<kBlocks, kLanes>>>(in, out);
    verdict.check(name, out.read(), counts);
  };
  run("histogram_value_lane", histogram_value_lane);
  run("histogram_lane_value", histogram_lane_value);
  run("histogram_atomic", histogram_atomic);
  return verdict.exit_code();
}
