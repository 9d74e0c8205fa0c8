// How long cp.async takes by the pattern of its destinations: cycles for one warp instruction when eight warps issue
// many. Figures, not a test: they tell which patterns cost more than one pass, where no counter does.
#include "extra.h"

__host__ __device__ int place(int pattern, int lane) {  // in units of 16 bytes, below 256: as in copies.cu
  switch (pattern) {
    case 0:
      return lane;
    case 1:
      return lane * 2;
    case 2:
      return lane * 4;
    case 3:
      return lane * 8;
    case 4:
      return lane * 3;
    case 5:
      return lane * 7;
    case 6:
      return lane ^ 5;
    case 7:
      return (lane % 8) * 8 + lane / 8;
    case 8:
      return (lane % 8) * 9 + lane / 8;
    case 9:
      return (lane % 8) * 8 + ((lane / 8) ^ (lane % 8));
    case 10:
      return lane / 8 * 64 + lane % 8;
    default:
      return (lane * 37 + 11) & 255;
  }
}
template <bool BYPASS>
__global__ void timed(const char* a, long long* out, int pattern, int source) {
  extern __shared__ __align__(128) char s[];
  int t = threadIdx.x, lane = t % 32, w = t / 32;
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(s)) + w * 4096 + place(pattern, lane) * 16;
  const char* from = a + w * 8192 + (source ? place(source, lane) : lane) * 16;
  for (int pass = 0; pass < 2; pass++) {  // the first warms the caches
    __syncthreads();
    long long start = clock64();
    for (int r = 0; r < 16; r++) {
#pragma unroll
      for (int k = 0; k < 8; k++) {
        if constexpr (BYPASS)
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + k * 512) : "memory");
        else
          asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + k * 512) : "memory");
      }
    }
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (t == 0) out[pass] = clock64() - start;
  }
}
int main() {
  Array<char> a(1 << 20, 1);
  Array<long long> o(2);
  for (int source : {0, 7})
    for (int pattern = 0; pattern < 12; pattern++) {
      timed<false><<<1, 256, 32768>>>(a.data, o.data, pattern, source);
      double ca = o.host()[1] / 1024.;
      timed<true><<<1, 256, 32768>>>(a.data, o.data, pattern, source);
      double cg = o.host()[1] / 1024.;
      std::printf("source %d pattern %2d: .ca %.2f cycles, .cg %.2f cycles\n", source, pattern, ca, cg);
    }
}
