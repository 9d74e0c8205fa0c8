// One cp.async.cg of 16 bytes a launch, by one warp, with any source and destination a lane: what a profiler counts for
// it. Usage: copy_bypass FILE. FILE gets a line a launch: 32 source and 32 destination offsets in units of 16 bytes, -1
// inactive.
#include <algorithm>
#include <cstring>

#include "extra.h"

__global__ void bypass(const int* offsets, const char* a, int* out) {
  __shared__ __align__(1024) char s[8192];
  int lane = threadIdx.x, from = offsets[lane], to = offsets[32 + lane];
  if (from >= 0)
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(s)) + to * 16),
        "l"(a + from * 16)
        : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncwarp();
  if (from >= 0) out[lane] = *reinterpret_cast<int*>(s + to * 16);
}

int main(int argc, char** argv) {
  std::FILE* file = std::fopen(argc > 1 ? argv[1] : "patterns.txt", "w");
  std::vector<int> data = numbers<int>(1 << 16, 1u << 30);
  Array<int> a(data), offsets(64), out(32);
  unsigned long long state = 99;
  bool ok = true;
  for (int n = 0; n < 240; n++) {
    int v[64], kind = n % 20, x = draw(state) % 8, s = 1 + draw(state) % 12, t = 1 + draw(state) % 12, order[256];
    for (int i = 0; i < 256; i++) order[i] = i;
    for (int i = 255; i > 0; i--) std::swap(order[i], order[draw(state) % (i + 1)]);
    for (int l = 0; l < 32; l++) {
      int &from = v[l], &to = v[32 + l], line = l / 8 * 8;
      from = to = l;
      switch (kind) {
        case 0:
          to = l * s;
          break;
        case 1:
          from = l * s;
          break;
        case 2:
          from = l * s, to = l * t;
          break;
        case 3:
          to = order[l];
          break;
        case 4:
          from = order[l];
          break;
        case 5:
          from = to = order[l];
          break;
        case 6:
          to = l ^ x;
          break;
        case 7:
          to = line + (l + x) % 8;
          break;
        case 8:
          to = order[l / 8] % 16 * 8 + l % 8;
          break;  // lines moved
        case 9:
          to = order[l / 4] % 32 * 4 + l % 4;
          break;  // 64-byte blocks moved; may meet
        case 10:
          to = (order[l / 2] % 64) * 2 + l % 2;
          break;  // sectors moved
        case 11:
          to = (order[l / 2] % 64) * 2 + (l + x) % 2;
          break;  // and halves swapped
        case 12:
          to = line + ((l % 8) ^ (l / 8 + x)) % 8;
          break;  // xor by row
        case 13:
          to = (l % 8) * 8 + (l / 8 ^ (l % 8 * x % 8));
          break;  // a transposed tile, swizzled
        case 14:
          from = l / 2 * 2 + x, to = l;
          break;
        case 15:
          from = l / 8 * 64 + l % 8, to = l / 8 * s * 8 + ((l + t) & 7);
          break;
        case 16:
          from = l / 4 * s * 4 + l % 4, to = l / 4 * t * 4 + l % 4;
          break;
        case 17:
          from = l / 2 * s * 2 + l % 2, to = l / 2 * t * 2 + l % 2;
          break;
        case 18:
          if (order[l] & 64) from = -1;
          break;
        default:
          to = order[l] % 64;
          if (order[l + 32] & 1) from = -1;
          break;
      }
      to &= 511;
    }
    if (kind == 9 || kind == 10 || kind == 11) {  // blocks that met would write one place twice: spread them
      int size = kind == 9 ? 4 : 2;
      for (int l = 0; l < 32; l++)
        v[32 + l] =
            order[l / size] / size * size % 256 + (kind == 11 ? (l + x) % 2 : l % size) + (l / size % 2 ? 256 : 0);
    }
    for (int i = 0; i < 64; i++) std::fprintf(file, "%d%c", v[i], i == 63 ? '\n' : ' ');
    CK(cudaMemcpy(offsets.data, v, sizeof v, cudaMemcpyHostToDevice));
    bypass<<<1, 32>>>(offsets.data, reinterpret_cast<const char*>(a.data), out.data);
    std::vector<int> r = out.host();
    for (int l = 0; l < 32; l++) {
      bool alone = v[l] >= 0;
      for (int k = 0; k < 32; k++) alone &= k == l || v[k] < 0 || v[32 + k] != v[32 + l];
      if (alone) ok &= r[l] == data[v[l] * 4];
    }
  }
  std::fclose(file);
  check("bypass", ok);
  return verdict();
}
