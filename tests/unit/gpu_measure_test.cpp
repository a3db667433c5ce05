// Does the measuring program measure what it says? The stub device's latency and rate are known, so every
// expected time is a sum that can be redone by hand. Unless said otherwise: to_near 8 us + bytes / 25 GB/s,
// to_far 9 us + bytes / 26 GB/s, an asynchronous call costs the host 2 us.
#include <doctest/doctest.h>

#include "tests/unit/gpu_child.hpp"

using ooc::test::GpuChild;
using ooc::test::last;
using ooc::test::times;
using Environment = GpuChild::Environment;

TEST_CASE("a gated pinned copy lasts latency plus bytes over rate, and its issue cost is apart") {
  GpuChild child;
  const auto near =
      child.ask("measure id=1 what=copy mode=pinned direction=to_near bytes=1000000 repetitions=4");
  REQUIRE(times(near, "time").size() == 4);
  // 8000 + 1e6 / 25
  for (const double ns : times(near, "time")) CHECK(ns == doctest::Approx(48000));
  for (const double ns : times(near, "issue")) CHECK(ns == doctest::Approx(2000));
  CHECK(last(near, "samples") == "8");
  CHECK(last(near, "verified") == "1");

  // 9000 + 2.6e6 / 26
  const auto far =
      child.ask("measure id=2 what=copy mode=pinned direction=to_far bytes=2600000 repetitions=1");
  CHECK(times(far, "time").front() == doctest::Approx(109000));
  CHECK(child.finish() == 0);
}

TEST_CASE("the gate keeps the time to queue a copy out of the interval") {
  GpuChild child(Environment{{"OOC_STUB", "issue_ns=50000"}});
  const std::string request =
      " what=copy mode=pinned direction=to_near bytes=2500000 repetitions=1";
  // 8000 + 2.5e6 / 25
  CHECK(times(child.ask("measure id=1" + request), "time").front() == doctest::Approx(108000));
  // Without it the start event happens at once, and the copy is issued 50 us later.
  CHECK(times(child.ask("measure id=2" + request + " gate=0"), "time").front() ==
        doctest::Approx(50000 + 108000));
}

TEST_CASE("the warm-up throws away what a link does while it wakes up") {
  // 7 copies at a third of the rate: 8000 + 3 × 40000 = 128000. The first five agree with each other.
  GpuChild child(Environment{{"OOC_STUB", "warmup_copies=7"}});
  const std::string request = "what=copy mode=pinned direction=to_near bytes=1000000 repetitions=5";
  const auto lines = child.ask("measure id=1 " + request);
  for (const double ns : times(lines, "time")) CHECK(ns == doctest::Approx(48000));
  CHECK(last(lines, "stable") == "1");

  // Agreement alone would be taken in.
  GpuChild hasty(Environment{{"OOC_STUB", "warmup_copies=7"}});
  const auto taken_in = hasty.ask("measure id=1 warmup_ms=0 " + request);
  CHECK(times(taken_in, "time").front() == doctest::Approx(128000));
  CHECK(last(taken_in, "warmup") == "5");
}

TEST_CASE("a warm-up that finds no agreement is said") {
  GpuChild child(Environment{{"OOC_STUB", "noise=0.5"}});
  const auto lines = child.ask(
      "measure id=1 what=copy mode=pinned direction=to_near bytes=1000000 repetitions=1 max_ms=20");
  CHECK(last(lines, "stable") == "0");
  CHECK(lines[lines.size() - 2].word == "note");
}

TEST_CASE("a pageable copy and both kinds of managed memory are slower by the stub's factors") {
  GpuChild child;
  const auto ask = [&](const std::string& id, const std::string& mode, const std::string& way) {
    return times(child.ask("measure id=" + id + " what=copy mode=" + mode + " direction=" + way +
                           " bytes=1000000 repetitions=1"),
                 "time")
        .front();
  };
  // Without a gate the interval begins 2 us (the host's recording of the event) before the copy.
  CHECK(ask("1", "pageable", "to_near") == doctest::Approx(2000 + 8000 + 40000 / 0.4));
  CHECK(ask("2", "unified_prefetch", "to_near") == doctest::Approx(2000 + 8000 + 40000 / 0.8));
  // A kernel's 1.5 us and the copy's latency, then 0.3 of the rate.
  CHECK(ask("3", "unified_fault", "to_near") == doctest::Approx(1500 + 8000 + 40000 / 0.3));
  CHECK(ask("4", "unified_fault", "to_far") == doctest::Approx(9000 + 1e6 / 26 / 0.3));
}

TEST_CASE("duplex copies are slowed by the duplex factor while both directions move data") {
  GpuChild child(Environment{{"OOC_STUB",
                              "to_far_rate=25e9,to_near_latency_ns=0,to_far_latency_ns=0,"
                              "duplex=0.8"}});
  const auto lines = child.ask("measure id=1 what=duplex bytes=10000000 repetitions=2");
  // 1e7 / 25 / 0.8
  CHECK(times(lines, "time_to_near").front() == doctest::Approx(500000));
  CHECK(times(lines, "time_to_far").front() == doctest::Approx(500000));
  CHECK(last(lines, "verified") == "1");
}

TEST_CASE("interference finds how copies and a memory-bound kernel slow each other") {
  GpuChild child(Environment{{"OOC_STUB",
                              "to_near_latency_ns=0,launch_ns=100000,copy_slowdown=0.5,"
                              "kernel_slowdown=0.8"}});
  const auto memory = child.ask(
      "measure id=1 what=interference kernel=memory direction=to_near bytes=10000000 "
      "repetitions=1");
  CHECK(times(memory, "copy_alone").front() == doctest::Approx(400000));
  CHECK(times(memory, "copy_overlap").front() == doctest::Approx(800000));
  // The first 100 us of the kernel disturb nobody, so a first copy would last only 700 us.
  CHECK(times(memory, "kernel_overlap").front() ==
        doctest::Approx(100000 + (times(memory, "kernel_alone").front() - 100000) / 0.8));
  CHECK(times(memory, "kernel_alone").front() >= 3 * 400000);

  const auto compute = child.ask(
      "measure id=2 what=interference kernel=compute direction=to_near bytes=10000000 "
      "repetitions=1");
  CHECK(times(compute, "copy_overlap").front() == doctest::Approx(400000));
}

TEST_CASE("launches: issue cost, kernels back to back, and waiting for an event") {
  GpuChild child;
  const auto lines = child.ask("measure id=1 what=launch repetitions=1");
  CHECK(times(lines, "time").front() == doctest::Approx(1500));
  CHECK(times(lines, "issue").front() == doctest::Approx(2000));
  // The kernel starts when its launch begins on the stub and is over before the call returns.
  CHECK(times(lines, "round_trip").front() == doctest::Approx(2000));
  CHECK(times(lines, "event_wait").front() == doctest::Approx(0));
}

TEST_CASE("compute measurements name algorithm, workspace and traffic") {
  GpuChild child;
  // 2 × 1000³ FLOP at 10 TFLOP/s, and a kernel's 1.5 us
  const auto gemm =
      child.ask("measure id=1 what=gemm dtype=float32 m=1000 n=1000 k=1000 repetitions=1");
  CHECK(times(gemm, "time").front() == doctest::Approx(200000 + 1500));

  const auto layer = child.ask(
      "measure id=2 what=layer kind=conv pass=forward dtype=float32 batch=2 channels=4 height=8 "
      "width=8 filters=4 kernel_h=3 kernel_w=3 pad_h=1 pad_w=1 repetitions=1");
  REQUIRE(layer.size() == 3);
  CHECK(*layer[0].find("algorithm") == "stub_direct");
  CHECK(*layer[1].find("workspace_bytes") == "2048");  // 2 × 4 × 8 × 8 × 4

  // 64 channels of 56 × 56 pixels, 4 images: 3211264 bytes, read and written
  const auto relu = child.ask("measure id=3 what=kernel name=relu bytes=3211264 repetitions=1");
  CHECK(*relu[0].find("traffic_bytes") == "6422528");
  CHECK(times(relu, "time").front() == doctest::Approx(6422.528 + 1500));
}

TEST_CASE("repetitions go on until the interval of the median is narrow enough, within limits") {
  GpuChild child(Environment{{"OOC_STUB", "noise=0.05"}});
  const std::string copy = " what=copy mode=pinned direction=to_near bytes=1000000 repetitions=5";
  CHECK(times(child.ask("measure id=1" + copy), "time").size() == 5);
  const auto many =
      times(child.ask("measure id=2" + copy + " max_repetitions=40 target_ci=0.0001"), "time");
  CHECK(many.size() == 40);
  const auto few = times(child.ask("measure id=3" + copy + " max_repetitions=4000"), "time").size();
  CHECK(few > 5);
  CHECK(few < 2000);
}
