__constant__ int offset = 9;
__device__ __noinline__ int twice(int x) { return 2 * x; }
