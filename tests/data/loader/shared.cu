// Shared arrays of kernels, of the file and of called functions. Each address is stored, so that the machine code shows it.
static __shared__ int of_file[3];
static __shared__ int unused[7];
extern __shared__ __align__(16) char dynamic[];

#define ADDRESS(array) (unsigned)__cvta_generic_to_shared(array)

__device__ __noinline__ void inner(volatile unsigned* out) {
  __shared__ double inner_array[5];
  out[2] = ADDRESS(inner_array);
}
__device__ __noinline__ void outer(volatile unsigned* out) {
  __shared__ int outer_array[9];
  out[1] = ADDRESS(outer_array);
  inner(out);
}
__global__ void own(volatile unsigned* out) {
  __shared__ char bytes[5];
  __shared__ double doubles[3];
  __shared__ short shorts[7];
  __shared__ __align__(64) int words[2];
  out[0] = ADDRESS(bytes);
  out[3] = ADDRESS(words);
  out[2] = ADDRESS(shorts);
  out[1] = ADDRESS(doubles);
}
__global__ void with_file(volatile unsigned* out) {
  __shared__ short own_array[11];
  out[0] = ADDRESS(own_array);
  out[1] = ADDRESS(of_file);
  out[2] = ADDRESS(dynamic);
}
__global__ void with_function(volatile unsigned* out) {
  __shared__ char own_array[5];
  out[0] = ADDRESS(own_array);
  inner(out);
}
// Two called functions have arrays: in which order they lie is not known.
__global__ void with_two_functions(volatile unsigned* out) {
  __shared__ char own_array[5];
  out[0] = ADDRESS(own_array);
  outer(out);
}
