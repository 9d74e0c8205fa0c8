#!/bin/sh
# Makes kernels.fatbin anew; needs CUDA's nvcc.
cd "$(dirname "$0")" || exit 1
exec nvcc -fatbin -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
  -gencode arch=compute_80,code=compute_80 kernels.cu -o kernels.fatbin
