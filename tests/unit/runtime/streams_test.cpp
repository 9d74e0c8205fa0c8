// Streams, events, errors and devices: what programs can observe of them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "api.h"

namespace {

TEST(Streams, AreHandlesThatAreChecked) {
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  EXPECT_CUDA(cudaStreamQuery(stream));
  EXPECT_CUDA(cudaStreamSynchronize(stream));
  cudaStreamCaptureStatus status{};
  EXPECT_CUDA(cudaStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  for (const std::uintptr_t standard : {std::uintptr_t{0}, kStreamLegacy, kStreamPerThread})
    EXPECT_CUDA(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(standard)));
}

TEST(Streams, ClampPriorities) {
  cudaStream_t stream = nullptr;
  int priority = 99;
  ASSERT_CUDA(cudaStreamCreateWithPriority(&stream, kStreamNonBlocking, -100));
  ASSERT_CUDA(cudaStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -5);
  EXPECT_EQ(cudaStreamCreateWithPriority(&stream, 0xff, 0), cudaErrorInvalidValue);
}

TEST(Streams, CallTheHostInOrder) {
  int calls = 0;
  EXPECT_CUDA(cudaLaunchHostFunc(
      nullptr, [](void* data) { ++*static_cast<int*>(data); }, &calls));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST(Events, MeasureTheHostsTime) {
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_CUDA(cudaEventCreate(&start));
  ASSERT_CUDA(cudaEventCreate(&end));
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);  // never recorded
  ASSERT_CUDA(cudaEventRecord(start, nullptr));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_CUDA(cudaEventRecord(end, nullptr));
  EXPECT_CUDA(cudaEventSynchronize(end));
  EXPECT_CUDA(cudaEventQuery(end));
  EXPECT_CUDA(cudaStreamWaitEvent(nullptr, end, 0));
  ASSERT_CUDA(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 5.0f);
  EXPECT_CUDA(cudaEventDestroy(start));
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
}

TEST(Events, WithoutTimingHaveNone) {
  cudaEvent_t a = nullptr, b = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&a, kEventDisableTiming));
  ASSERT_CUDA(cudaEventCreateWithFlags(&b, 0));
  ASSERT_CUDA(cudaEventRecord(a, nullptr));
  ASSERT_CUDA(cudaEventRecord(b, nullptr));
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, a, b), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventCreateWithFlags(&a, 0x100), cudaErrorInvalidValue);
}

TEST(Errors, AreKeptForEachThreadUntilRead) {
  cudaGetLastError();
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);  // a success does not clear it
  std::thread([] { EXPECT_CUDA(cudaGetLastError()); }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaGetLastError());
}

TEST(Errors, HaveNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(Unsupported, SaysSoOnce) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphCreate(), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphCreate(), cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "lanescope: cudaGraphCreate is not supported: it returns cudaErrorNotSupported\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST(Device, IsOneH200) {
  int count = 0, device = -1, value = 0;
  ASSERT_CUDA(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 1);
  ASSERT_CUDA(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
  DeviceProp13 properties{};
  ASSERT_CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT_STREQ(properties.name, "NVIDIA H200");
  EXPECT_EQ(properties.major, 9);
  ASSERT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_EQ(value, properties.multiProcessorCount);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
}

TEST(Device, RemembersLimits) {
  std::size_t value = 0;
  ASSERT_CUDA(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  EXPECT_EQ(value, 1024u);
  ASSERT_CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  ASSERT_CUDA(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  EXPECT_EQ(value, 4096u);
}

TEST(Versions, AreThirteen) {
  int runtime = 0, driver = 0;
  ASSERT_CUDA(cudaRuntimeGetVersion(&runtime));
  ASSERT_CUDA(cudaDriverGetVersion(&driver));
  EXPECT_EQ(runtime, 13000);
  EXPECT_GE(driver, runtime);
}

// As with a GPU: a context does not survive a fork, and its memory stays the parent's.
TEST(Fork, LeavesTheChildWithoutTheContext) {
  void* pointer = nullptr;
  int in = 11, out = 0;
  ASSERT_CUDA(cudaMalloc(&pointer, 4));
  ASSERT_CUDA(cudaMemcpy(pointer, &in, 4, cudaMemcpyHostToDevice));
  const pid_t child = fork();
  if (child == 0) {
    void* another = nullptr;
    _exit(cudaMalloc(&another, 4) == cudaErrorInitializationError ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_CUDA(cudaMemcpy(&out, pointer, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(out, 11);
}

}  // namespace
