// Device code of the runtime's tests. kernels.fatbin is made from it by make_fatbin.sh; the tests register it by hand, as
// nvcc's code in a program does, so that they need no toolkit.
__constant__ int table[4] = {10, 20, 30, 40};
__device__ int counter = 5;
__managed__ int shared_with_host = 7;

extern "C" __global__ void axpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// Arguments of several sizes, so that their places matter.
extern "C" __global__ void mixed(double* out, char c, double d, short s, long long l) {
  out[0] = c;
  out[1] = d;
  out[2] = s;
  out[3] = static_cast<double>(l);
}

extern "C" __global__ void variables(int* out) {
  out[threadIdx.x] = table[threadIdx.x & 3] + counter + shared_with_host;
  if (threadIdx.x == 0) counter = 6;
}

extern "C" __global__ void set_managed(int value) { shared_with_host = value; }

extern "C" __global__ void reverse(int* data, int n) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = tile[n - 1 - i];
}

extern "C" __global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = 1; }

extern "C" __global__ void store_at(int* where) { *where = 1; }

extern "C" __global__ void trap() { asm volatile("trap;"); }
