// Is the fake device a fair stand-in? Streams are in order, events order streams, a wrong order of copies is
// seen in the data, one engine serves one direction. Also the small functions of the measuring program.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/host.hpp"
#include "calibrate/gpu/job.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/platform.hpp"
#include "calibrate/gpu/resources.hpp"
#include "calibrate/gpu/stub/device.hpp"
#include "calibrate/gpu/stub/settings.hpp"

namespace ooc::gpu {

namespace {

constexpr std::size_t kBytes = 1000000;

// Puts 42 into near memory on one stream (48 us) and fetches it on another (9 us), with or without
// waiting for the first.
std::uint64_t fetched(bool wait_for_event) {
  Buffer source(Place::kPinned, kBytes, std::nullopt);
  Buffer target(Place::kPinned, kBytes, std::nullopt);
  Buffer near(Place::kNear, kBytes, std::nullopt);
  const std::uint64_t value = 42;
  std::memcpy(source.get(), &value, sizeof value);
  Stream in;
  Stream out;
  Event arrived;
  OOC_GPU_CHECK(
      cudaMemcpyAsync(near.get(), source.get(), kBytes, cudaMemcpyHostToDevice, in.get()));
  arrived.record(in);
  if (wait_for_event) OOC_GPU_CHECK(cudaStreamWaitEvent(out.get(), arrived.get(), 0));
  OOC_GPU_CHECK(cudaMemcpyAsync(target.get(), near.get(), 8, cudaMemcpyDeviceToHost, out.get()));
  in.wait();
  out.wait();
  std::uint64_t result = 0;
  std::memcpy(&result, target.get(), sizeof result);
  return result;
}

}  // namespace

TEST_CASE("a copy that waits for an event sees the data, one that does not sees what was there") {
  CHECK(fetched(true) == 42);
  CHECK(fetched(false) == 0);
}

TEST_CASE("a kernel that overwrites memory while it is copied out is seen in the copy") {
  Buffer near(Place::kNear, kBytes, std::nullopt);
  Buffer host(Place::kPinned, kBytes, std::nullopt);
  Stream copies;
  Stream kernels;
  OOC_GPU_CHECK(launch_fill(kernels.get(), near.get(), kBytes, 0, 1));
  kernels.wait();
  OOC_GPU_CHECK(
      cudaMemcpyAsync(host.get(), near.get(), kBytes, cudaMemcpyDeviceToHost, copies.get()));
  OOC_GPU_CHECK(launch_fill(kernels.get(), near.get(), kBytes, 0, 2));  // a plan's wrong reuse
  copies.wait();
  kernels.wait();
  CHECK(std::memcmp(host.get(), near.get(), kBytes) == 0);  // the second pattern
}

TEST_CASE("copies of one direction on two streams take turns") {
  Buffer host(Place::kPinned, kBytes, std::nullopt);
  Buffer near(Place::kNear, kBytes, std::nullopt);
  Stream first;
  Stream second;
  Event first_end;
  Event second_end;
  Gate gate;
  gate.shut();
  gate.stand_on(first);
  gate.stand_on(second);
  for (const Stream* stream : {&first, &second}) {
    OOC_GPU_CHECK(
        cudaMemcpyAsync(near.get(), host.get(), kBytes, cudaMemcpyHostToDevice, stream->get()));
  }
  first_end.record(first);
  second_end.record(second);
  gate.open();
  first.wait();
  second.wait();
  CHECK(elapsed_ns(first_end, second_end) == doctest::Approx(48000));
}

TEST_CASE("waiting behind a gate that nobody opens ends, unsuccessfully") {
  stub::Device device{stub::Settings{}};
  StubStream stream;
  device.add_stream(&stream);
  unsigned flag = 0;
  stub::Operation gate;
  gate.work = stub::Work::kGate;
  gate.flag = &flag;
  device.push(&stream, gate);
  CHECK_FALSE(device.run_until_empty(&stream));
  flag = 1;
  device.spend_host_ns(700);
  device.note_release(&flag);
  CHECK(device.run_until_empty(&stream));
  CHECK(device.host_now_ns() == 700);
}

TEST_CASE("near memory has an end, and gives back what is freed") {
  void* first = nullptr;
  void* second = nullptr;
  const std::size_t five_gib = std::size_t{5} << 30;  // of 8
  CHECK(cudaMalloc(&first, five_gib) == cudaSuccess);
  CHECK(cudaMalloc(&second, five_gib) == cudaErrorMemoryAllocation);
  CHECK(cudaFree(first) == cudaSuccess);
  CHECK(cudaMalloc(&second, five_gib) == cudaSuccess);
  CHECK(cudaFree(second) == cudaSuccess);
  CHECK(cudaFree(second) == cudaErrorInvalidValue);
}

TEST_CASE("a copy beyond an allocation's end is refused") {
  Buffer host(Place::kPinned, kBytes, std::nullopt);
  Buffer near(Place::kNear, kBytes, std::nullopt);
  Stream stream;
  CHECK(cudaMemcpyAsync(near.get(), host.get(), kBytes + 1, cudaMemcpyHostToDevice, stream.get()) ==
        cudaErrorInvalidValue);
}

TEST_CASE("the width of the median's interval follows the median absolute deviation") {
  // median 100, deviations 10, 0, 10: 1.96 × 1.2533 × 14.826 / √3 / 100
  CHECK(relative_half_width({90, 100, 110}) == doctest::Approx(0.21027).epsilon(1e-4));
  CHECK(relative_half_width({100, 100, 100, 5000, 100}) == 0);  // one outlier changes nothing
}

TEST_CASE("a link speed names its PCIe generation") {
  CHECK(pcie_generation("2.5 GT/s PCIe") == 1);
  CHECK(pcie_generation("16.0 GT/s PCIe") == 4);
  CHECK(pcie_generation("32.0 GT/s PCIe") == 5);
  CHECK_FALSE(pcie_generation("Unknown").has_value());
}

TEST_CASE("the stub's settings are read strictly") {
  CHECK(stub::parse_settings("duplex=0.5,noise=0.02").duplex == 0.5);
  CHECK_THROWS(stub::parse_settings("duplexx=1"));
  CHECK_THROWS(stub::parse_settings("duplex=fast"));
  CHECK_THROWS(stub::parse_settings("duplex"));
}

}  // namespace ooc::gpu
