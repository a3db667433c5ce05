// Is the one unit parser right, and does what we print read back?
#include "model/base/quantity_io.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

template <class Value>
std::string quantity_error(const Parsed<Value>& parsed) {
  const auto* error = std::get_if<QuantityError>(&parsed);
  return error ? error->found + " | " + error->expected : "no error";
}

std::int64_t bytes(const char* text) {
  const Parsed<Bytes> parsed = parse_bytes(text);
  REQUIRE_MESSAGE(std::holds_alternative<Bytes>(parsed), text, ": ", quantity_error(parsed));
  return std::get<Bytes>(parsed).count();
}

std::int64_t nanoseconds(const char* text) {
  const Parsed<Duration> parsed = parse_duration(text);
  REQUIRE_MESSAGE(std::holds_alternative<Duration>(parsed), text, ": ", quantity_error(parsed));
  return std::get<Duration>(parsed).count();
}

std::int64_t rate(const char* text) {
  const Parsed<BytesPerSecond> parsed = parse_rate(text);
  REQUIRE_MESSAGE(std::holds_alternative<BytesPerSecond>(parsed), text, ": ",
                  quantity_error(parsed));
  return std::get<BytesPerSecond>(parsed).count();
}

double flops(const char* text) {
  const Parsed<FlopsPerSecond> parsed = parse_flop_rate(text);
  REQUIRE_MESSAGE(std::holds_alternative<FlopsPerSecond>(parsed), text, ": ",
                  quantity_error(parsed));
  return std::get<FlopsPerSecond>(parsed).per_second;
}

}  // namespace

TEST_CASE("decimal and binary size units are told apart") {
  CHECK(bytes("16 GiB") == 17'179'869'184);  // 16 x 2^30
  CHECK(bytes("16 GB") == 16'000'000'000);
  CHECK(bytes("12GiB") == 12'884'901'888);  // the space is optional
  CHECK(bytes("700 MiB") == 734'003'200);   // 700 x 1,048,576
  CHECK(bytes("1 kB") == 1000);
  CHECK(bytes("1 KiB") == 1024);
  CHECK(bytes("1.5 KiB") == 1536);
  CHECK(bytes("2e3 B") == 2000);
  CHECK(bytes("3 TB") == 3'000'000'000'000);
  CHECK(bytes("1 TiB") == 1'099'511'627'776);
  CHECK(bytes("1 PB") == 1'000'000'000'000'000);
  CHECK(bytes("0 B") == 0);
}

TEST_CASE("decimal fractions are exact where a double would not be") {
  CHECK(bytes("0.1 GB") == 100'000'000);
  CHECK(bytes("72057.594037927935 TB") == 72'057'594'037'927'935);  // 2^56 - 1: 17 digits
  CHECK(rate("0.000000001 GB/s") == 1);
}

TEST_CASE("sizes and times round to the nearest whole unit, halves up") {
  CHECK(nanoseconds("0.4 ns") == 0);
  CHECK(nanoseconds("0.5 ns") == 1);
  CHECK(nanoseconds("1.49 ns") == 1);
  CHECK(bytes("0.3 KiB") == 307);  // 307.2
}

TEST_CASE("times know ns to min, and both characters for micro") {
  CHECK(nanoseconds("8 us") == 8000);
  CHECK(nanoseconds("8 \u00b5s") == 8000);
  CHECK(nanoseconds("8 \u03bcs") == 8000);
  CHECK(nanoseconds("1.25 ms") == 1'250'000);
  CHECK(nanoseconds("2 s") == 2'000'000'000);
  CHECK(nanoseconds("1 min") == 60'000'000'000);
  CHECK(nanoseconds("0 ms") == 0);
}

TEST_CASE("rates in bits are an eighth of rates in bytes") {
  CHECK(rate("12.4 GB/s") == 12'400'000'000);
  CHECK(rate("128 Gbit/s") == 16'000'000'000);
  CHECK(rate("8 bit/s") == 1);
  CHECK(rate("1 kbit/s") == 125);
  CHECK(rate("1 GiB/s") == 1'073'741'824);
  CHECK(rate("inf") == kInfiniteRate.count());
}

TEST_CASE("computing rates are the double nearest to the decimal text") {
  CHECK(flops("15.7 TFLOP/s") == 15.7e12);
  CHECK(flops("1 FLOP/s") == 1);
  CHECK(flops("4.29e3 GFLOP/s") == 4.29e12);
  CHECK(std::get<double>(parse_flop_count("2.5 GFLOP")) == 2.5e9);
}

TEST_CASE("ratios are bare or in percent") {
  CHECK(std::get<double>(parse_ratio("90 %")) == 0.9);
  CHECK(std::get<double>(parse_ratio("90%")) == 0.9);
  CHECK(std::get<double>(parse_ratio("0.9")) == 0.9);
  CHECK(quantity_error(parse_ratio("0.9 x")) == R"("0.9 x" | a ratio, such as "90 %" or 0.9)");
  CHECK(quantity_error(parse_ratio("1e999")) != "no error");
}

TEST_CASE("a bare number is an error that shows what to write with that number") {
  CHECK(quantity_error(parse_bytes("16")) ==
        R"("16" | a size with a unit, such as "16 GiB" or "16 GB")");
  CHECK(quantity_error(parse_bytes("999999")) ==
        R"("999999" | a size with a unit, such as "999999 GiB" or "999999 GB")");
  CHECK(quantity_error(parse_bytes("1000000")) ==
        R"("1000000" | a size with a unit, such as "1000000 B")");
  CHECK(quantity_error(parse_bytes("17179869184")) ==
        R"("17179869184" | a size with a unit, such as "17179869184 B")");
  CHECK(quantity_error(parse_bytes("12345678901234567")) ==
        R"("12345678901234567" | a size with a unit, such as "12345678901234567 B")");
  CHECK(quantity_error(parse_duration("8")) ==
        R"("8" | a time with a unit, such as "8 us" or "8 ms")");
  CHECK(quantity_error(parse_rate("12")) ==
        R"("12" | a rate with a unit, such as "12 GB/s" or "12 Gbit/s")");
  CHECK(quantity_error(parse_flop_rate("15.7")) ==
        R"("15.7" | a computing rate with a unit, such as "15.7 TFLOP/s")");
}

TEST_CASE("a misspelt unit is answered with the right spelling") {
  CHECK(has(quantity_error(parse_bytes("16 KB")), "\"kB\" counts 1000 bytes, \"KiB\" 1024"));
  CHECK(has(quantity_error(parse_bytes("16 gib")), "write \"16 GiB\""));
  CHECK(has(quantity_error(parse_flop_rate("15.7 TFLOPS")), "write \"15.7 TFLOP/s\""));
  CHECK(has(quantity_error(parse_rate("128 Gbps")), "write \"128 Gbit/s\""));
  CHECK(has(quantity_error(parse_rate("16 GBps")), "write \"16 GB/s\""));
  CHECK(has(quantity_error(parse_bytes("16 bananas")), "units: B, kB, MB"));
}

TEST_CASE("a unit that may be bits or bytes is answered with both") {
  for (const char* text : {"4Gb/s", "4 gb/s", "4 GB/S", "4 Mb/s"}) {
    CAPTURE(text);
    const std::string error = quantity_error(parse_rate(text));
    const bool is_bytes = std::string(text).ends_with("B/S");
    CHECK((has(error, "(bits)")) == !is_bytes);
    CHECK((has(error, "write \"4 GB/s\"")) == is_bytes);
  }
  CHECK(quantity_error(parse_rate("4Gb/s")) ==
        "\"4Gb/s\" | a rate with a unit, \"4 GB/s\" (bytes) or \"4 Gbit/s\" (bits), which are "
        "8-fold apart");
  CHECK(has(quantity_error(parse_bytes("4 Gb")), "write \"4 GB\" where bytes are meant"));
  CHECK(has(quantity_error(parse_rate("4 gbps")), "write \"4 Gbit/s\""));
}

TEST_CASE("blanks too many are named") {
  for (const char* text : {"16  GiB", "16 GiB ", "16\tGiB"}) {
    CHECK(has(quantity_error(parse_bytes(text)), "at most one blank, unit; write \"16 GiB\""));
  }
}

TEST_CASE("texts that are no quantity are refused") {
  for (const char* text : {"", " ", "GiB", "16  GiB", " 16 GiB", "16 GiB ", "+16 GiB", "0x10 GiB",
                           "1,5 GiB", "1e GiB", ".5 GiB", "nan GiB", "inf", "- 1 GiB", "1 GiB/s"}) {
    CAPTURE(text);
    CHECK(quantity_error(parse_bytes(text)) != "no error");
  }
}

TEST_CASE("negative quantities are refused") {
  CHECK(quantity_error(parse_bytes("-1 GiB")) == R"("-1 GiB" | a size with a unit, not negative)");
  CHECK(quantity_error(parse_duration("-0.5 ns")) ==
        R"("-0.5 ns" | a time with a unit, not negative)");
  CHECK(quantity_error(parse_rate("-1 GB/s")) != "no error");
  CHECK(quantity_error(parse_flop_rate("-1 TFLOP/s")) != "no error");
  CHECK(bytes("-0 B") == 0);
}

TEST_CASE("a quantity beyond its range is an error that names the limit") {
  const std::string limit = "a size below 64 PiB (2^56 bytes)";
  CHECK(quantity_error(parse_bytes("1e30 GiB")) == R"("1e30 GiB" | )" + limit);
  CHECK(quantity_error(parse_bytes("1e999999999999 B")) == R"("1e999999999999 B" | )" + limit);
  CHECK(quantity_error(parse_bytes("64 PiB")) == R"("64 PiB" | )" + limit);
  CHECK(bytes("72057594037927935 B") == 72'057'594'037'927'935);  // one byte less
  // 2^64 + 1 would wrap to 1.
  CHECK(quantity_error(parse_bytes("18446744073709551617 B")) != "no error");
  CHECK(quantity_error(parse_duration("9007199254740992 ns")) ==
        R"("9007199254740992 ns" | a time below 2^53 ns (104 days))");
  CHECK(nanoseconds("9007199254740991 ns") == 9'007'199'254'740'991);
  CHECK(quantity_error(parse_rate("1001 PB/s")) != "no error");
  CHECK(rate("1000 PB/s") == 1'000'000'000'000'000'000);
  CHECK(quantity_error(parse_rate("0 GB/s")) == R"("0 GB/s" | a rate of at least 1 B/s)");
  CHECK(quantity_error(parse_rate("1 bit/s")) ==
        R"("1 bit/s" | a rate of at least 1 B/s)");  // 0.125
  CHECK(quantity_error(parse_flop_rate("1e400 TFLOP/s")) != "no error");
  CHECK(quantity_error(parse_flop_rate("0 TFLOP/s")) != "no error");
}

TEST_CASE("tiny exponents end as zero and not in a long loop") {
  CHECK(bytes("1e-999999999 GiB") == 0);
  CHECK(bytes("1e-40 B") == 0);
}

TEST_CASE("sizes for people have four digits, rates three") {
  CHECK(format_bytes(Bytes(0)) == "0 B");
  CHECK(format_bytes(Bytes(999)) == "999 B");
  CHECK(format_bytes(Bytes(1000)) == "1.000 kB");
  CHECK(format_bytes(Bytes(15'568'000'000)) == "15.57 GB");
  CHECK(format_bytes(Bytes(-2'500'000)) == "-2.500 MB");
  CHECK(format_duration(Duration(612'400'000)) == "612.4 ms");
  CHECK(format_duration(Duration(950)) == "950 ns");
  CHECK(format_duration(Duration(12'345'000'000'000)) == "12345 s");
  CHECK(format_rate(BytesPerSecond(12'000'000'000)) == "12.0 GB/s");
  CHECK(format_rate(kInfiniteRate) == "infinite");
  CHECK(format_flop_rate(FlopsPerSecond{15.7e12}) == "15.7 TFLOP/s");
  CHECK(format_percent(0.1234) == "12.3 %");
  CHECK(format_percent(-0.0001) == "0.0 %");
}

TEST_CASE("rounding carries into the next unit") {
  CHECK(format_bytes(Bytes(999'949'999)) == "999.9 MB");
  CHECK(format_bytes(Bytes(999'960'000)) == "1.000 GB");
  CHECK(format_bytes(Bytes(9'999'600)) == "10.00 MB");
  CHECK(format_rate(BytesPerSecond(999'600)) == "1.00 MB/s");
}

TEST_CASE("exact sizes name the largest unit that divides") {
  CHECK(exact_bytes(Bytes(17'179'869'184)) == "16 GiB");
  CHECK(exact_bytes(Bytes(734'003'200)) == "700 MiB");
  CHECK(exact_bytes(Bytes(12'345)) == "12345 B");
  CHECK(exact_bytes(Bytes(16'000'000'000)) == "16 GB");
  CHECK(exact_bytes(Bytes(0)) == "0 B");
  CHECK(exact_duration(Duration(9'100)) == "9.1 us");
  CHECK(exact_rate(BytesPerSecond(12'150'000'000)) == "12.15 GB/s");
  CHECK(exact_rate(kInfiniteRate) == "inf");
  CHECK(exact_flop_rate(FlopsPerSecond{15.7e12}) == "15.7 TFLOP/s");
  CHECK(exact_flop_count(1e6) == "1 MFLOP");
}

TEST_CASE("every exact text reads back to the same value") {
  std::uint64_t state = 12345;  // a small generator with a fixed seed: the same values every run
  const auto next = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return state >> 8U;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t width = next() % 56;  // all magnitudes alike
    const auto size = static_cast<std::int64_t>(next() & ((1ULL << width) - 1));
    const auto time = std::min(size, kMaxTimeNs - 1);
    CHECK(bytes(exact_bytes(Bytes(size)).c_str()) == size);
    CHECK(nanoseconds(exact_duration(Duration(time)).c_str()) == time);
    CHECK(rate(exact_rate(BytesPerSecond(size + 1)).c_str()) == size + 1);
    const double real =
        std::ldexp(1.0 + static_cast<double>(size) / 7, static_cast<int>(next() % 20));
    CHECK(flops(exact_flop_rate(FlopsPerSecond{real}).c_str()) == real);
    CHECK(std::get<double>(parse_flop_count(exact_flop_count(real))) == real);
  }
  CHECK(rate(exact_rate(kMaxRate).c_str()) == kMaxRate.count());
  CHECK(rate(exact_rate(kInfiniteRate).c_str()) == kInfiniteRate.count());
  for (const double real : {1e-7, 0.3, 1.0, 999.0, 1e21, 1e24}) {
    CHECK(flops(exact_flop_rate(FlopsPerSecond{real}).c_str()) == real);
  }
}
