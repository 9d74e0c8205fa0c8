// An ordinary program: template kernel, streams, events, pinned memory, symbols, launch attributes. Exits with 0 when
// all of it gave what it should.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));  \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)

struct Big {
  char c;
  double values[5];
};

__constant__ float scale[2];
__device__ unsigned total;
__managed__ int managed = 3;

template <class T, int kFactor>
__global__ void transform(T* data, int n, Big big) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * kFactor + static_cast<T>(big.values[4]) + static_cast<T>(scale[1]) + managed;
}

__global__ void sum(const int* data, int n) {
  __shared__ int part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(&total, part[0]);
}

int main() {
  constexpr int n = 5000;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  int *host, *device;
  CHECK(cudaMallocHost(&host, n * sizeof(int)));
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  for (int i = 0; i < n; ++i) host[i] = i % 7;

  const float scales[2] = {0.f, 10.f};
  CHECK(cudaMemcpyToSymbol(scale, scales, sizeof scales));
  managed += 1;
  Big big{};
  big.values[4] = 100;
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, stream));
  transform<int, 2><<<(n + 127) / 128, 128, 0, stream>>>(device, n, big);
  CHECK(cudaGetLastError());

  cudaLaunchConfig_t config{};
  config.gridDim = dim3((n + 255) / 256);
  config.blockDim = dim3(256);
  config.stream = stream;
  const int* input = device;
  CHECK(cudaLaunchKernelEx(&config, sum, input, n));
  CHECK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaStreamSynchronize(stream));

  unsigned expected = 0, got = 0;
  for (int i = 0; i < n; ++i) {
    const int value = (i % 7) * 2 + 100 + 10 + 4;
    EXPECT(host[i] == value);
    expected += static_cast<unsigned>(value);
  }
  CHECK(cudaMemcpyFromSymbol(&got, total, sizeof got));
  EXPECT(got == expected);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds > 0);

  int block = 0, grid = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum));
  EXPECT(block > 0 && block <= 1024 && grid > 0);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, device));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
  std::puts("PASS");
}
