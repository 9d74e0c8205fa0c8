// Registration and launches, the way nvcc's code in a program makes them, with the kernels of kernels.cu.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "api.h"

namespace {

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kFatbin = std::string(LANESCOPE_TEST_DATA) + "/unit/runtime/kernels.fatbin";

// Host symbols that stand for device ones; only their addresses matter.
char axpy, mixed, variables, set_managed, reverse, bounded, store_at, trap;
char table_shadow, counter_shadow;
void* managed_pointer = nullptr;

class Launches : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const std::vector<char> fatbin = read_file(kFatbin);
    static FatbinWrapper wrapper{kFatbinWrapperMagic, 1, fatbin.data(), nullptr};
    handle = __cudaRegisterFatBinary(&wrapper);
    const std::pair<char*, const char*> kernels[] = {
        {&axpy, "axpy"},       {&mixed, "mixed"},     {&variables, "variables"}, {&set_managed, "set_managed"},
        {&reverse, "reverse"}, {&bounded, "bounded"}, {&store_at, "store_at"},   {&trap, "trap"}};
    for (const auto& [stub, name] : kernels)
      __cudaRegisterFunction(handle, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, &table_shadow, nullptr, "table", 0, 16, 1, 0);
    __cudaRegisterVar(handle, &counter_shadow, nullptr, "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, &managed_pointer, nullptr, "shared_with_host", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  static void TearDownTestSuite() { __cudaUnregisterFatBinary(handle); }
  void TearDown() override { cudaDeviceReset(); }

  static void** handle;
};
void** Launches::handle = nullptr;

template <class T>
T* device_array(const std::vector<T>& values) {
  void* pointer = nullptr;
  EXPECT_CUDA(cudaMalloc(&pointer, values.size() * sizeof(T)));
  EXPECT_CUDA(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(pointer);
}

template <class T>
std::vector<T> host_array(const T* pointer, std::size_t n) {
  std::vector<T> values(n);
  EXPECT_CUDA(cudaMemcpy(values.data(), pointer, n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

template <class... Args>
cudaError_t launch(const void* kernel, dim3 grid, dim3 block, std::size_t shared, Args... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  return cudaLaunchKernel(kernel, grid, block, pointers, shared, nullptr);
}

TEST_F(Launches, ComputeWhatTheSourceSays) {
  constexpr int n = 1000;
  std::vector<float> x(n), y(n, 1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  float *dx = device_array(x), *dy = device_array(y);
  ASSERT_CUDA(launch(&axpy, {4}, {256}, 0, dy, static_cast<const float*>(dx), 2.0f, n));
  ASSERT_CUDA(cudaDeviceSynchronize());
  const auto result = host_array(dy, n);
  for (int i = 0; i < n; ++i) EXPECT_EQ(result[i], 2.0f * x[i] + 1.0f) << i;
}

TEST_F(Launches, PutEachArgumentInItsPlace) {
  double* out = device_array(std::vector<double>(4));
  ASSERT_CUDA(launch(&mixed, {1}, {1}, 0, out, char{-3}, 2.5, short{-300}, 1LL << 40));
  EXPECT_EQ(host_array(out, 4), (std::vector<double>{-3, 2.5, -300, 1099511627776.0}));
}

TEST_F(Launches, GoThroughHandlesToo) {
  cudaKernel_t kernel = nullptr;
  ASSERT_CUDA(__cudaGetKernel(&kernel, &mixed));
  double* out = device_array(std::vector<double>(4));
  char c = 1;
  double d = 2;
  short s = 3;
  long long l = 4;
  void* arguments[] = {&out, &c, &d, &s, &l};
  EXPECT_EQ(__cudaPushCallConfiguration({1}, {1}, 0, nullptr), 0u);
  dim3 grid, block;
  std::size_t shared = 9;
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ASSERT_CUDA(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream));
  EXPECT_EQ(host_array(out, 4), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
  const char* name = nullptr;
  ASSERT_CUDA(cudaFuncGetName(&name, kernel));
  EXPECT_STREQ(name, "mixed");
}

TEST_F(Launches, SeeVariables) {
  ASSERT_EQ(__cudaInitModule(handle), 1);
  ASSERT_NE(managed_pointer, nullptr);
  EXPECT_EQ(*static_cast<int*>(managed_pointer), 7);
  int* out = device_array(std::vector<int>(4));
  ASSERT_CUDA(launch(&variables, {1}, {4}, 0, out));
  EXPECT_EQ(host_array(out, 4), (std::vector<int>{22, 32, 42, 52}));

  int counter = 0;
  ASSERT_CUDA(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(counter, 6);
  const int table[] = {1, 2};
  ASSERT_CUDA(cudaMemcpyToSymbol(&table_shadow, table, 8, 8, cudaMemcpyHostToDevice));
  *static_cast<int*>(managed_pointer) = 100;
  ASSERT_CUDA(launch(&variables, {1}, {4}, 0, out));
  EXPECT_EQ(host_array(out, 4), (std::vector<int>{116, 126, 107, 108}));
  ASSERT_CUDA(launch(&set_managed, {1}, {1}, 0, 55));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(*static_cast<int*>(managed_pointer), 55);
}

TEST_F(Launches, HaveSymbolsWithAddressAndSize) {
  void* address = nullptr;
  std::size_t bytes = 0;
  ASSERT_CUDA(cudaGetSymbolSize(&bytes, &table_shadow));
  EXPECT_EQ(bytes, 16u);
  ASSERT_CUDA(cudaGetSymbolAddress(&address, &table_shadow));
  EXPECT_EQ(host_array(static_cast<int*>(address), 4), (std::vector<int>{10, 20, 30, 40}));
  const int value = 99;  // a kernel sees what is written through the address
  ASSERT_CUDA(cudaMemcpy(address, &value, 4, cudaMemcpyHostToDevice));
  int* out = device_array(std::vector<int>(4));
  ASSERT_CUDA(launch(&variables, {1}, {4}, 0, out));
  EXPECT_EQ(host_array(out, 1)[0], 99 + 5 + 7);
  int local = 0;
  EXPECT_EQ(cudaGetSymbolAddress(&address, &local), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(&table_shadow, &value, 4, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
}

TEST_F(Launches, StartAfreshAfterAReset) {
  int* out = device_array(std::vector<int>(4));
  ASSERT_CUDA(launch(&variables, {1}, {4}, 0, out));
  ASSERT_CUDA(cudaDeviceReset());
  int counter = 0;
  ASSERT_CUDA(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(counter, 5);
}

TEST_F(Launches, RefuseImpossibleShapes) {
  int* out = device_array(std::vector<int>(1024));
  const std::pair<dim3, dim3> impossible[] = {{{0}, {32}},          {{1}, {0}},        {{1}, {1025}},
                                              {{1}, {33, 32}},      {{1}, {1, 1, 65}}, {{1, 65536}, {32}},
                                              {{1, 1, 65536}, {1}}, {{1}, {1, 2048}}};
  for (const auto& [grid, block] : impossible)
    EXPECT_EQ(launch(&variables, grid, block, 0, out), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(&bounded, {1}, {256}, 0, out), cudaErrorInvalidValue);
  EXPECT_CUDA(launch(&bounded, {1}, {128}, 0, out));
  EXPECT_EQ(cudaLaunchKernel(&out, {1}, {1}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_CUDA(cudaDeviceSynchronize());  // none of these is sticky
}

TEST_F(Launches, NeedAnOptInForMuchSharedMemory) {
  constexpr int n = 20000;  // 80 KB
  std::vector<int> in(n);
  std::iota(in.begin(), in.end(), 0);
  int* data = device_array(in);
  EXPECT_EQ(launch(&reverse, {1}, {256}, n * 4, data, n), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1),
            cudaErrorInvalidValue);
  ASSERT_CUDA(cudaFuncSetAttribute(&reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  cudaFuncAttributes attributes{};
  ASSERT_CUDA(cudaFuncGetAttributes(&attributes, &reverse));
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 227 * 1024);
  ASSERT_CUDA(launch(&reverse, {1}, {256}, n * 4, data, n));
  std::reverse(in.begin(), in.end());
  EXPECT_EQ(host_array(data, n), in);
}

TEST_F(Launches, KnowTheirKernels) {
  cudaFuncAttributes attributes{};
  ASSERT_CUDA(cudaFuncGetAttributes(&attributes, &bounded));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  EXPECT_EQ(attributes.binaryVersion, 90);
  EXPECT_GT(attributes.numRegs, 0);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 * 1024);
  int blocks = 0;
  ASSERT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &axpy, 256, 0));
  EXPECT_EQ(blocks, 8);  // 2048 threads
  ASSERT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &reverse, 64, 100 * 1024));
  EXPECT_EQ(blocks, 2);  // of 228 KB
}

TEST_F(Launches, CooperativeOnesMustFit) {
  int* out = device_array(std::vector<int>(1024));
  void* arguments[] = {&out};
  EXPECT_EQ(cudaLaunchCooperativeKernel(&variables, {132 * 2 + 1}, {1024}, arguments, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(Launches, TakeAttributes) {
  int* out = device_array(std::vector<int>(1024));
  void* arguments[] = {&out};
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  cudaLaunchConfig_t config{{1}, {4}, 0, nullptr, &attribute, 1};
  EXPECT_CUDA(cudaLaunchKernelExC(&config, &variables, arguments));
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {9, 1, 1};
  EXPECT_EQ(cudaLaunchKernelExC(&config, &variables, arguments), cudaErrorInvalidClusterSize);
  attribute.val.clusterDim = {2, 1, 1};  // does not divide the grid
  EXPECT_EQ(cudaLaunchKernelExC(&config, &variables, arguments), cudaErrorInvalidClusterSize);
}

// A fault belongs to the context: every later call returns it, until a reset.
void expect_sticky(cudaError_t error) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaDeviceSynchronize(), error);
  EXPECT_EQ(cudaMalloc(&pointer, 16), error);
  EXPECT_EQ(cudaGetLastError(), error);
  EXPECT_EQ(cudaGetLastError(), error);
  EXPECT_CUDA(cudaDeviceReset());
  EXPECT_CUDA(cudaMalloc(&pointer, 16));
  EXPECT_CUDA(cudaGetLastError());
}

TEST_F(Launches, FaultOnAddressesOutsideAllocations) {
  int* data = device_array(std::vector<int>(64));
  testing::internal::CaptureStderr();
  EXPECT_CUDA(launch(&store_at, {1}, {1}, 0, data + 64));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("store_at"), std::string::npos) << said;
  expect_sticky(cudaErrorIllegalAddress);
}

TEST_F(Launches, FaultOnHostPointers) {
  int local = 0;
  EXPECT_CUDA(launch(&store_at, {1}, {1}, 0, &local));
  expect_sticky(cudaErrorIllegalAddress);
}

TEST_F(Launches, FaultOnMisalignedAddresses) {
  int* data = device_array(std::vector<int>(64));
  EXPECT_CUDA(launch(&store_at, {1}, {1}, 0, reinterpret_cast<char*>(data) + 2));
  expect_sticky(cudaErrorMisalignedAddress);
}

TEST_F(Launches, FaultOnTraps) {
  EXPECT_CUDA(launch(&trap, {1}, {1}, 0));
  expect_sticky(cudaErrorLaunchFailure);
}

TEST_F(Launches, ReachHostAndManagedMemory) {
  void *host = nullptr, *managed = nullptr;
  ASSERT_CUDA(cudaMallocHost(&host, 4));
  ASSERT_CUDA(cudaMallocManaged(&managed, 4, kMemAttachGlobal));
  ASSERT_CUDA(launch(&store_at, {1}, {1}, 0, host));
  ASSERT_CUDA(launch(&store_at, {1}, {1}, 0, managed));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(*static_cast<int*>(host), 1);
  EXPECT_EQ(*static_cast<int*>(managed), 1);
}

TEST_F(Launches, ReachRegisteredMemory) {
  int values[4] = {};
  ASSERT_CUDA(cudaHostRegister(values, sizeof values, 0));
  ASSERT_CUDA(launch(&store_at, {1}, {1}, 0, &values[2]));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(values[2], 1);
  ASSERT_CUDA(cudaHostUnregister(values));
  EXPECT_CUDA(launch(&store_at, {1}, {1}, 0, &values[2]));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(Launches, MayComeFromManyThreads) {
  constexpr int n = 256, rounds = 40;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([t, &wrong] {
      cudaStream_t stream = nullptr;
      EXPECT_CUDA(cudaStreamCreate(&stream));
      for (int round = 0; round < rounds; ++round) {
        float* y = device_array(std::vector<float>(n, static_cast<float>(t)));
        const float* x = y;
        float a = 2;
        int count = n;
        void* arguments[] = {&y, &x, &a, &count};
        EXPECT_CUDA(cudaLaunchKernel(&axpy, {2}, {128}, arguments, 0, stream));
        for (const float value : host_array(y, n)) wrong[t] += value != 3.0f * static_cast<float>(t);
        EXPECT_CUDA(cudaFree(y));
      }
      EXPECT_CUDA(cudaStreamDestroy(stream));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_F(Launches, ComeFromLibrariesToo) {
  cudaLibrary_t library = nullptr;
  ASSERT_CUDA(cudaLibraryLoadFromFile(&library, kFatbin.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  ASSERT_CUDA(cudaLibraryGetKernel(&kernel, library, "variables"));
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "nothing"), cudaErrorSymbolNotFound);
  ASSERT_CUDA(cudaLibraryGetKernel(&kernel, library, "variables"));
  int* out = device_array(std::vector<int>(4));
  ASSERT_CUDA(launch(kernel, {1}, {4}, 0, out));
  EXPECT_EQ(host_array(out, 4), (std::vector<int>{22, 32, 42, 52}));
  void* counter = nullptr;
  std::size_t bytes = 0;
  ASSERT_CUDA(cudaLibraryGetGlobal(&counter, &bytes, library, "counter"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(host_array(static_cast<int*>(counter), 1)[0], 6);
  EXPECT_CUDA(cudaLibraryUnload(library));
  EXPECT_EQ(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLibraryLoadFromFile(&library, "no such file", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorFileNotFound);
}

}  // namespace
