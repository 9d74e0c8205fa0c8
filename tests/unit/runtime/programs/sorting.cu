// A program of a library of templates: thrust's transform, reduction, scan and sort.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int n = 3000;
  thrust::device_vector<int> values(n), sums(n);
  thrust::sequence(values.begin(), values.end());
  if (thrust::reduce(values.begin(), values.end()) != n * (n - 1) / 2) return 1;
  thrust::inclusive_scan(values.begin(), values.end(), sums.begin());
  if (sums[n - 1] != n * (n - 1) / 2 || sums[10] != 55) return 2;
  thrust::transform(values.begin(), values.end(), values.begin(), thrust::negate<int>());
  thrust::sort(values.begin(), values.end());
  const std::vector<int> host(values.begin(), values.end());
  for (int i = 0; i < n; ++i) {
    if (host[i] != i - n + 1) return 3;
  }
  std::puts("PASS");
}
