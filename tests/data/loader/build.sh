#!/bin/sh
# Rebuilds the loader's test files with CUDA 13.0; run in an empty folder that holds the sources. The line tables carry the
# folder's name.
set -e
ARCHITECTURES="75 80 86 89 90 100 120"
gencode=
for sm in $ARCHITECTURES; do gencode="$gencode -gencode arch=compute_$sm,code=sm_$sm"; done
ptx="-gencode arch=compute_90,code=compute_90"

nvcc -fatbin -Xfatbin -compress-all $gencode $ptx attributes.cu -o attributes.fatbin
nvcc -fatbin -Xfatbin -compress-all $gencode $ptx relocations.cu -o relocations.fatbin
nvcc -fatbin -Xfatbin -compress-all $gencode $ptx shared.cu -o shared.fatbin
nvcc -fatbin -Xfatbin -compress-all -lineinfo $gencode lines.cu -o lines.fatbin
nvcc -fatbin -Xfatbin -compress-all -G -arch=sm_90 lines.cu -o lines_debug.fatbin
for sm in $ARCHITECTURES; do
  for part in a b; do nvcc -rdc=true -arch=sm_$sm -dc linked_$part.cu -o linked_$part.o; done
  nvcc -arch=sm_$sm -dlink -fatbin -Xfatbin -compress-all linked_a.o linked_b.o -o linked.sm_$sm.fatbin 2>/dev/null
done
for mode in none speed size; do
  nvcc -fatbin -Xfatbin -compress-all --compress-mode=$mode -arch=sm_90 shared.cu -o mode_$mode.fatbin
done
nvcc -arch=sm_90 -cubin lines.cu -o lines.cubin
nvcc -arch=sm_90 -rdc=true -cubin linked_a.cu -o relocatable.cubin
nvcc -arch=sm_90 -c -Xfatbin -compress-all shared.cu -o shared.o
nvcc -arch=sm_90 -c -Xfatbin -compress-all linked_b.cu -o linked.o
nvcc -arch=sm_90 -rdc=true -dc -Xfatbin -compress-all linked_b.cu -o relocatable.o
strip --strip-debug shared.o linked.o relocatable.o
ar rcs library.a shared.o linked.o
rm linked_a.o linked_b.o linked.o
