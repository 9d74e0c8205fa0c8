// What a kernel's attributes say: parameters of all sizes, launch bounds, cluster, barriers, registers, shared memory.
struct Wide {
  int values[100];
};

#if __CUDA_ARCH__ >= 900
#define PAIR_OF_BLOCKS __cluster_dims__(2, 1, 1)
#else
#define PAIR_OF_BLOCKS
#endif

__global__ void parameters(const Wide wide, char a, short b, double c, float4 d, int* out) {
  out[0] = wide.values[3] + a + b + c + d.x;
}

__global__ void __launch_bounds__(128, 2) bounded(int* p) {
  extern __shared__ int dynamic[];
  __shared__ double sums[10];
  __shared__ char flags[3];
  sums[threadIdx.x % 10] = p[1];
  dynamic[threadIdx.x] = p[threadIdx.x];
  flags[threadIdx.x % 3] = 1;
  __syncthreads();
  p[0] = dynamic[5] + sums[3] + flags[1];
}

__global__ void PAIR_OF_BLOCKS barriers(int* p) {
  __shared__ int tile[4];
  asm volatile("bar.sync 3, 64;");
  tile[threadIdx.x & 3] = p[1];
  __syncthreads();
  p[2] = tile[1];
}

__global__ void stack(int* p) {
  int local[64] = {};
  for (int i = 0; i < p[1]; i++) local[p[i] & 63] += i;
  p[0] = local[p[7] & 63];
}

namespace {
__global__ void hidden(const float* const* rows, volatile int& count) { count = rows[1] != nullptr; }
}  // namespace

template <class T, int N, bool Add>
__global__ void generic(T* out, const T* in, unsigned n) {
  if (threadIdx.x < n) out[threadIdx.x] = Add ? in[threadIdx.x] + N : in[threadIdx.x];
}

void instantiate() {
  generic<float, 4, true><<<1, 1>>>(nullptr, nullptr, 0);
  int* p = nullptr;
  hidden<<<1, 1>>>(nullptr, *p);
}
