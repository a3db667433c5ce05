// Do the curves of a profile go through their points, and do what is promised beyond them?
#include "model/base/errors.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

TEST_CASE("a single efficiency holds for any work") {
  const Efficiency efficiency{{{1.0, 0.6}}};
  CHECK(efficiency.at(0) == 0.6);
  CHECK(efficiency.at(1e15) == 0.6);
}

TEST_CASE("an efficiency curve is linear over log(FLOPs) and constant outside its points") {
  const Efficiency efficiency{{{1e6, 0.2}, {1e8, 0.6}, {1e9, 0.7}}};
  CHECK(efficiency.at(0) == 0.2);
  CHECK(efficiency.at(1e5) == 0.2);
  CHECK(efficiency.at(1e6) == 0.2);
  CHECK(efficiency.at(1e7) == doctest::Approx(0.4));  // half way from 1e6 to 1e8 in log
  CHECK(efficiency.at(1e8) == doctest::Approx(0.6));
  CHECK(efficiency.at(1e9) == 0.7);
  CHECK(efficiency.at(1e12) == 0.7);
}

TEST_CASE("a size curve returns its measured times exactly") {
  const SizeCurve curve{{{Bytes(1000), Duration(9100)},
                         {Bytes(10'000), Duration(9200)},
                         {Bytes(1'000'000), Duration(90'000)}}};
  CHECK(curve.time_ns(Bytes(1000)) == 9100);
  CHECK(curve.time_ns(Bytes(10'000)) == 9200);
  CHECK(curve.time_ns(Bytes(1'000'000)) == 90'000);
}

TEST_CASE("a size curve is a power law between points and beyond them") {
  // Slope 1/2 from 100 to 10,000 bytes, slope 1 from there on.
  const SizeCurve curve{{{Bytes(100), Duration(1000)},
                         {Bytes(10'000), Duration(10'000)},
                         {Bytes(1'000'000), Duration(1'000'000)}}};
  CHECK(curve.time_ns(Bytes(1000)) == doctest::Approx(3162.28).epsilon(1e-6));  // 1000 x sqrt(10)
  CHECK(curve.time_ns(Bytes(100'000)) == doctest::Approx(100'000));
  CHECK(curve.time_ns(Bytes(100'000'000)) == doctest::Approx(100'000'000));  // last slope
  CHECK(curve.time_ns(Bytes(1)) == doctest::Approx(100));                    // first slope
}

TEST_CASE("a size curve never falls as sizes grow") {
  const SizeCurve curve{{{Bytes(4096), Duration(9000)},
                         {Bytes(16384), Duration(9000)},
                         {Bytes(65536), Duration(12'500)},
                         {Bytes(1 << 24), Duration(1'400'000)}}};
  double before = 0;
  for (std::int64_t size = 1; size < (std::int64_t{1} << 34); size += 1 + size / 9) {
    const double time = curve.time_ns(Bytes(size));
    CHECK(time >= before);
    before = time;
  }
}

TEST_CASE("the rate of a size curve is that of copies that mostly move, whatever the small ones say") {
  // As measured: two small sizes whose times differ by 0.2 %, which alone would be 546 GB/s.
  const SizeCurve curve{{{Bytes(4096), Duration(8844)},
                         {Bytes(8192), Duration(8859)},
                         {Bytes(1 << 20), Duration(70'800)},
                         {Bytes(1 << 24), Duration(590'289)},
                         {Bytes(1 << 28), Duration(21'780'900)}}};
  CHECK(curve.peak_rate() == doctest::Approx((1 << 24) * 1e9 / (590'289 - 8844)));
  // None moves for half of its time: the last one tells.
  const SizeCurve start_up{{{Bytes(4096), Duration(9000)},
                            {Bytes(8192), Duration(9001)},
                            {Bytes(65536), Duration(12'000)}}};
  CHECK(start_up.peak_rate() == doctest::Approx(65536 * 1e9 / 3000));
}

TEST_CASE("a kind without an efficiency of its own takes the default") {
  HardwareProfile profile;
  profile.efficiency["default"] = Efficiency{{{1.0, 0.5}}};
  profile.efficiency["conv"] = Efficiency{{{1.0, 0.7}}};
  CHECK(efficiency_of(profile, "conv").at(1) == 0.7);
  CHECK(efficiency_of(profile, "linear").at(1) == 0.5);
  profile.efficiency.erase("default");
  CHECK_THROWS_AS((void)efficiency_of(profile, "linear"), InternalError);
}
