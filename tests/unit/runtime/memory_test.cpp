// Memory as programs see it: what CUDA documents of allocation, copies, fills and pointers.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "api.h"

namespace {

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  EXPECT_CUDA(cudaMalloc(&pointer, bytes));
  return pointer;
}

std::vector<int> counting(std::size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Malloc, GivesAlignedSeparateRanges) {
  void* a = allocate(100);
  void* b = allocate(100);
  EXPECT_EQ(address(a) % 512, 0u);
  EXPECT_EQ(address(b) % 512, 0u);
  EXPECT_GE(std::max(address(a), address(b)) - std::min(address(a), address(b)), 100u);
  EXPECT_CUDA(cudaFree(a));
  EXPECT_CUDA(cudaFree(b));
}

TEST(Malloc, OfNothingIsNull) {
  void* pointer = reinterpret_cast<void*>(1);
  EXPECT_CUDA(cudaMalloc(&pointer, 0));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_CUDA(cudaFree(nullptr));
}

TEST(Malloc, RunsOut) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaGetLastError());  // not sticky
  EXPECT_EQ(cudaMalloc(nullptr, 16), cudaErrorInvalidValue);
}

TEST(Malloc, IsSeenInMemGetInfo) {
  std::size_t before = 0, after = 0, total = 0;
  ASSERT_CUDA(cudaMemGetInfo(&before, &total));
  void* pointer = allocate(1 << 20);
  ASSERT_CUDA(cudaMemGetInfo(&after, &total));
  EXPECT_GE(before - after, std::size_t{1} << 20);
  EXPECT_CUDA(cudaFree(pointer));
  ASSERT_CUDA(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(before, after);
  EXPECT_LE(before, total);
}

TEST(Free, RefusesWhatItDidNotGive) {
  void* pointer = allocate(1024);
  int local = 0;
  EXPECT_EQ(cudaFree(&local), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(static_cast<char*>(pointer) + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pointer), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFree(pointer));
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
}

TEST(Copy, GoesBothWays) {
  const auto in = counting(1000);
  std::vector<int> out(in.size());
  void* device = allocate(in.size() * 4);
  void* other = allocate(in.size() * 4);
  EXPECT_CUDA(cudaMemcpy(device, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaMemcpy(other, device, in.size() * 4, cudaMemcpyDeviceToDevice));
  EXPECT_CUDA(cudaMemcpy(out.data(), other, in.size() * 4, cudaMemcpyDefault));
  EXPECT_EQ(in, out);
}

TEST(Copy, ChecksSidesAndBounds) {
  std::vector<int> host(100);
  void* device = allocate(400);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 400, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), host.data(), 400, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 404, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(static_cast<char*>(device) + 396, host.data(), 8, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_CUDA(cudaMemcpy(device, nullptr, 0, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaFree(device));
  EXPECT_EQ(cudaMemcpy(device, host.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST(Pitch, KeepsRowsApart) {
  constexpr std::size_t width = 100, height = 7;  // ints
  void* device = nullptr;
  std::size_t pitch = 0;
  ASSERT_CUDA(cudaMallocPitch(&device, &pitch, width * 4, height));
  EXPECT_EQ(pitch % 512, 0u);
  EXPECT_GE(pitch, width * 4);
  const auto in = counting(width * height);
  std::vector<int> out(in.size()), padded(pitch / 4 * height);
  ASSERT_CUDA(cudaMemset(device, 0xff, pitch * height));
  EXPECT_CUDA(cudaMemcpy2D(device, pitch, in.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaMemcpy2D(out.data(), width * 4, device, pitch, width * 4, height, cudaMemcpyDeviceToHost));
  EXPECT_EQ(in, out);
  ASSERT_CUDA(cudaMemcpy(padded.data(), device, pitch * height, cudaMemcpyDeviceToHost));
  EXPECT_EQ(padded[width - 1], static_cast<int>(width));
  EXPECT_EQ(padded[width], -1);  // the padding is untouched
  EXPECT_EQ(cudaMemcpy2D(device, 4, in.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_CUDA(cudaMemcpy2D(device, pitch, in.data(), width * 4, 0, height, cudaMemcpyHostToDevice));
}

TEST(Copy3D, MovesABoxToABox) {
  constexpr std::size_t w = 8, h = 4, d = 3;  // bytes, rows, slices
  std::vector<std::uint8_t> in(w * h * d), out(w * h * d);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i);
  cudaPitchedPtr device{};
  ASSERT_CUDA(cudaMalloc3D(&device, {w, h, d}));
  ASSERT_CUDA(cudaMemset3D(device, 0, {w, h, d}));
  cudaMemcpy3DParms to{};
  to.srcPtr = {in.data(), w, w, h};
  to.srcPos = {2, 1, 1};
  to.dstPtr = device;
  to.dstPos = {1, 0, 2};
  to.extent = {3, 2, 1};
  to.kind = cudaMemcpyHostToDevice;
  ASSERT_CUDA(cudaMemcpy3D(&to));
  cudaMemcpy3DParms back{};
  back.srcPtr = device;
  back.dstPtr = {out.data(), w, w, h};
  back.extent = {w, h, d};
  back.kind = cudaMemcpyDeviceToHost;
  ASSERT_CUDA(cudaMemcpy3D(&back));
  for (std::size_t z = 0; z < d; ++z) {
    for (std::size_t y = 0; y < h; ++y) {
      for (std::size_t x = 0; x < w; ++x) {
        const bool moved = z == 2 && y < 2 && x >= 1 && x < 4;
        const std::size_t from = ((1 * h) + y + 1) * w + x + 1;
        EXPECT_EQ(out[(z * h + y) * w + x], moved ? in[from] : 0) << x << ' ' << y << ' ' << z;
      }
    }
  }
  to.dstPos = {1, 3, 2};
  to.extent = {3, 2, 2};
  EXPECT_EQ(cudaMemcpy3D(&to), cudaErrorInvalidValue);
}

TEST(Memset, FillsRowsOnly) {
  std::vector<std::uint8_t> out(64);
  void* device = allocate(64);
  ASSERT_CUDA(cudaMemset(device, 1, 64));
  ASSERT_CUDA(cudaMemset2D(device, 16, 0x1ff, 3, 4));  // the low byte counts
  ASSERT_CUDA(cudaMemcpy(out.data(), device, 64, cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 16 < 3 ? 0xff : 1) << i;
  EXPECT_EQ(cudaMemset(device, 0, 65), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(out.data(), 0, 8), cudaErrorInvalidValue);
}

TEST(Array, HoldsWhatIsCopiedIn) {
  const auto format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr;
  ASSERT_CUDA(cudaMallocArray(&array, &format, 16, 8, 0));
  const auto in = counting(16 * 8);
  std::vector<int> out(4);
  ASSERT_CUDA(cudaMemcpy2DToArray(array, 0, 0, in.data(), 64, 64, 8, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy2DFromArray(out.data(), 8, array, 8, 3, 8, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQ(out, (std::vector<int>{3 * 16 + 3, 3 * 16 + 4, 4 * 16 + 3, 4 * 16 + 4}));
  EXPECT_EQ(cudaMemcpy2DToArray(array, 8, 0, in.data(), 64, 64, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeArray(array));
  EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST(HostMemory, IsTheSameOnBothSides) {
  void *host = nullptr, *device = nullptr;
  ASSERT_CUDA(cudaHostAlloc(&host, 64, kHostAllocMapped));
  *static_cast<int*>(host) = 42;
  ASSERT_CUDA(cudaHostGetDevicePointer(&device, host, 0));
  EXPECT_EQ(device, host);
  int copy = 0;
  EXPECT_CUDA(cudaMemcpy(&copy, host, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(copy, 42);
  EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeHost(host));
  EXPECT_EQ(cudaHostAlloc(&host, 64, 0x80), cudaErrorInvalidValue);
}

TEST(ManagedMemory, IsTheSameOnBothSides) {
  void* pointer = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&pointer, 64, kMemAttachGlobal));
  static_cast<int*>(pointer)[1] = 7;
  int copy = 0;
  EXPECT_CUDA(cudaMemcpy(&copy, static_cast<int*>(pointer) + 1, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(copy, 7);
  EXPECT_CUDA(cudaMemset(pointer, 0, 64));
  EXPECT_EQ(static_cast<int*>(pointer)[1], 0);
  EXPECT_CUDA(cudaFree(pointer));
  EXPECT_EQ(cudaMallocManaged(&pointer, 64, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&pointer, 0, kMemAttachGlobal), cudaErrorInvalidValue);
}

TEST(HostRegister, TakesARangeOnce) {
  std::vector<int> values = counting(256);
  ASSERT_CUDA(cudaHostRegister(values.data(), 1024, 0));
  EXPECT_EQ(cudaHostRegister(values.data() + 10, 16, 0), cudaErrorHostMemoryAlreadyRegistered);
  void* device = nullptr;
  EXPECT_CUDA(cudaHostGetDevicePointer(&device, values.data(), 0));
  int copy = 0;
  EXPECT_CUDA(cudaMemcpy(&copy, device, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(copy, 1);
  EXPECT_CUDA(cudaHostUnregister(values.data()));
  EXPECT_EQ(cudaHostUnregister(values.data()), cudaErrorHostMemoryNotRegistered);
}

TEST(PointerAttributes, TellTheKind) {
  void *device = allocate(64), *managed = nullptr, *host = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&managed, 64, kMemAttachGlobal));
  ASSERT_CUDA(cudaMallocHost(&host, 64));
  int local = 0;
  const std::pair<void*, cudaMemoryType> cases[] = {{static_cast<char*>(device) + 8, cudaMemoryTypeDevice},
                                                    {managed, cudaMemoryTypeManaged},
                                                    {host, cudaMemoryTypeHost},
                                                    {&local, cudaMemoryTypeUnregistered}};
  for (const auto& [pointer, type] : cases) {
    PointerAttributes13 attributes{};
    ASSERT_CUDA(cudaPointerGetAttributes(&attributes, pointer));
    EXPECT_EQ(attributes.type, type);
    EXPECT_EQ(attributes.devicePointer, type == cudaMemoryTypeUnregistered ? nullptr : pointer);
    EXPECT_EQ(attributes.hostPointer, type == cudaMemoryTypeDevice ? nullptr : pointer);
  }
}

TEST(AsyncMemory, IsThereAtOnce) {
  void* pointer = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&pointer, 256, nullptr));
  int in = 5, out = 0;
  EXPECT_CUDA(cudaMemcpyAsync(pointer, &in, 4, cudaMemcpyHostToDevice, nullptr));
  EXPECT_CUDA(cudaMemcpyAsync(&out, pointer, 4, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_EQ(out, 5);
  EXPECT_CUDA(cudaFreeAsync(pointer, nullptr));
  int unknown = 0;
  EXPECT_EQ(cudaMemcpyAsync(&out, &in, 4, cudaMemcpyHostToHost, reinterpret_cast<cudaStream_t>(&unknown)),
            cudaErrorInvalidResourceHandle);
}

TEST(Reset, GivesEverythingBack) {
  std::size_t free = 0, total = 0;
  void* pointer = allocate(1 << 20);
  ASSERT_CUDA(cudaDeviceReset());
  ASSERT_CUDA(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, total);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  EXPECT_NE(allocate(16), nullptr);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(HostAccessDeathTest, IsExplained) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto touch = [] {
    void* pointer = nullptr;
    cudaMalloc(&pointer, 1000);
    static_cast<volatile int*>(pointer)[3] = 1;
  };
  EXPECT_EXIT(touch(), testing::KilledBySignal(SIGSEGV),
              "host code touched device memory at 0x[0-9a-f]+ .inside the allocation of 1000 bytes");
}

TEST(HostAccessDeathTest, LeavesTheProgramsHandlerAlone) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto touch = [] {
    std::signal(SIGSEGV, [](int) { std::_Exit(77); });
    void* pointer = nullptr;
    cudaMalloc(&pointer, 1000);
    static_cast<volatile int*>(pointer)[3] = 1;
  };
  EXPECT_EXIT(touch(), testing::ExitedWithCode(77), "");
}
#endif

}  // namespace
