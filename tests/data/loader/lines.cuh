#pragma once
__device__ inline float magnitude(float x) {
  return x > 0 ?
    x * 3 :
    -x;
}
