// Does the profile reader refuse what would silently spoil a prediction, and does the writer keep
// everything?
#include "model/base/spec_errors.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

const char* const kProfile = R"({
  "$schema": "hwprofile.schema.json",
  "format": "ooc-paleo/hardware-profile", "version": 1,
  "name": "toy", "description": "a machine of round numbers",
  "compute": {
    "peak": { "float32": "10 TFLOP/s", "float16": "20.5 TFLOP/s" },
    "efficiency": { "default": 0.5, "conv": { "curve": [["1 MFLOP", 0.2], ["1 GFLOP", "70 %"]] },
                    "memory": { "curve": [["1 MiB", 0.25], ["64 MiB", 0.75]] } },
    "kernel_launch": "5 us"
  },
  "near_memory": { "capacity": "16 GiB", "reserved": "700 MiB", "throughput": "900 GB/s", "latency": "0.6 us" },
  "far_memory": { "capacity": "512 GiB", "throughput": "76.8 GB/s", "latency": "0.1 us" },
  "connection": {
    "name": "a cable", "theoretical": "15.75 GB/s", "duplex": 0.85,
    "modes": {
      "pinned": { "to_near": { "throughput": "12 GB/s", "latency": "9 us" },
                  "to_far": { "curve": [["4 KiB", "9.1 us"], ["1 MiB", "90 us"], ["1 GiB", "85 ms"]] } },
      "unified_fault": { "to_near": { "throughput": "8 GB/s", "latency": "1 us" },
                         "to_far": { "throughput": "8 GB/s", "latency": "1 us" },
                         "page": "64 KiB", "fault": "25 us" }
    }
  },
  "devices": 2,
  "provenance": [
    { "fields": "*", "kind": "datasheet", "source": "a data sheet", "date": "2018-01" },
    { "fields": "compute.efficiency.*", "kind": "assumed", "source": "a guess" },
    { "fields": "connection.modes", "kind": "measured", "source": "a run" },
    { "fields": "connection.modes.unified_fault.fault", "kind": "assumed", "source": "a guess" }
  ],
  "machine": { "gpu": "toy", "numbers": [1.50, 2e-3] },
  "samples": [ { "bytes": 4096, "median_ns": 9100.25 } ]
}
)";

/// The text above with one piece replaced.
std::string profile_with(const std::string& piece, const std::string& other) {
  std::string text = kProfile;
  const std::size_t at = text.find(piece);
  REQUIRE_MESSAGE(at != std::string::npos, piece);
  return text.replace(at, piece.size(), other);
}

/// "place | found | expected | hint without line and column", or "no error".
std::string profile_error(const std::string& text) {
  try {
    (void)read_profile_text(text, "toy.json");
  } catch (const SpecError& error) {
    CHECK(error.parts().file == "toy.json");
    CHECK(error.parts().hint.starts_with("line "));
    const std::size_t comma = error.parts().hint.find(", ", error.parts().hint.find("column"));
    return error.parts().place + " | " + error.parts().found + " | " + error.parts().expected +
           (comma == std::string::npos ? "" : " | " + error.parts().hint.substr(comma + 2));
  }
  return "no error";
}

/// With one piece replaced the profile is refused, and the error says so.
void refuses(const std::string& piece, const std::string& other, const std::string& says) {
  CAPTURE(piece);
  CHECK(has(profile_error(profile_with(piece, other)), says));
}

}  // namespace

TEST_CASE("every field of a profile arrives where it belongs") {
  const HardwareProfile profile = read_profile_text(kProfile, "toy.json");
  CHECK(profile.name == "toy");
  CHECK(profile.description == "a machine of round numbers");
  CHECK(profile.peak.at(Dtype::kFloat32).per_second == 10e12);
  CHECK(profile.peak.at(Dtype::kFloat16).per_second == 20.5e12);
  CHECK(profile.efficiency.at("default").points.size() == 1);
  CHECK(profile.efficiency.at("conv").points ==
        std::vector<std::pair<double, double>>{{1e6, 0.2}, {1e9, 0.7}});
  CHECK(profile.efficiency.at("memory").points.at(0).first == 1048576);  // bytes
  CHECK(profile.kernel_launch == Duration(5000));
  CHECK(profile.near_memory.capacity == Bytes(17'179'869'184));
  CHECK(profile.near_memory.reserved == Bytes(734'003'200));
  CHECK(profile.near_memory.throughput == BytesPerSecond(900'000'000'000));
  CHECK(profile.near_memory.latency == Duration(600));
  CHECK(profile.far_memory.capacity == Bytes(549'755'813'888));
  CHECK(profile.far_memory.latency == Duration(100));
  CHECK(profile.connection.name == "a cable");
  CHECK(profile.connection.theoretical == BytesPerSecond(15'750'000'000));
  CHECK(profile.connection.duplex == Ratio(850'000'000));
  const TransferMode& pinned = profile.connection.modes.at("pinned");
  CHECK(std::get<StraightLine>(pinned.to_near).throughput == BytesPerSecond(12'000'000'000));
  CHECK(std::get<StraightLine>(pinned.to_near).latency == Duration(9000));
  CHECK(std::get<SizeCurve>(pinned.to_far).points.at(1).second == Duration(90'000));
  CHECK_FALSE(pinned.page);
  const TransferMode& fault = profile.connection.modes.at("unified_fault");
  CHECK(fault.page == Bytes(65536));
  CHECK(fault.fault == Duration(25'000));
  CHECK(profile.devices == 2);
  CHECK(profile.provenance.size() == 4);
  CHECK(profile.provenance.at(0).date == "2018-01");
  CHECK(profile.provenance.at(2).kind == ProvenanceKind::kMeasured);
}

TEST_CASE(
    "rates of far updates are bytes or parameters of Adam, have provenance, and are written "
    "again") {
  CHECK_FALSE(read_profile_text(kProfile, "toy.json").far_compute);
  const auto with_rate = [](const std::string& rate) {
    return profile_with("\"connection\": {",
                        "\"far_compute\": { " + rate + " },\n  \"connection\": {");
  };
  const HardwareProfile profile =
      read_profile_text(with_rate(R"("throughput": "3.9 Gparam/s", "latency": "10 us")"), "toy");
  REQUIRE(profile.far_compute);
  CHECK(profile.far_compute->throughput == BytesPerSecond(109'200'000'000));  // 3.9 x 28
  CHECK(profile.far_compute->latency == Duration(10'000));
  CHECK_FALSE(profile.far_compute->assumed);
  const HardwareProfile again = read_profile_text(write_profile(profile), "again");
  CHECK(again.far_compute->throughput == profile.far_compute->throughput);
  CHECK(again.far_compute->latency == profile.far_compute->latency);
  const HardwareProfile shared = read_profile_text(
      write_profile(read_profile_text(with_rate(R"("share": 0.74)"), "toy")), "again");
  CHECK(shared.far_compute->share == Ratio(740'000'000));
  CHECK(has(profile_error(with_rate(R"("share": 0.74, "throughput": "3 GB/s")")), "one of them"));
  CHECK(has(profile_error(with_rate(R"("throughput": "3.9 Gparams")")), "3.9 Gparam/s"));
  CHECK(has(profile_error(with_rate(R"("adam": "3.9 Gparam/s")")), "throughput"));
}

TEST_CASE("the most specific provenance governs, and the assumed ones are listed") {
  const HardwareProfile profile = read_profile_text(kProfile, "toy.json");
  CHECK(profile.assumed ==
        std::vector<std::string>{"compute.efficiency.*", "connection.modes.unified_fault.fault"});
  // An entry all of whose numbers have a better one governs nothing and warns of nothing.
  const HardwareProfile covered = read_profile_text(
      profile_with(
          R"({ "fields": "connection.modes", "kind": "measured")",
          R"({ "fields": "connection.modes.unified_fault.page", "kind": "measured", "source": "a" },
              { "fields": "connection.modes.unified_fault.to_near", "kind": "measured", "source": "a" },
              { "fields": "connection.modes.unified_fault.to_far", "kind": "measured", "source": "a" },
              { "fields": "connection.modes.unified_fault", "kind": "assumed", "source": "a" },
              { "fields": "connection.modes", "kind": "measured")"),
      "toy.json");
  CHECK(covered.assumed ==
        std::vector<std::string>{"compute.efficiency.*", "connection.modes.unified_fault.fault"});
}

TEST_CASE("a number that no provenance covers is an error naming it") {
  CHECK(profile_error(profile_with(R"("fields": "*")", R"("fields": "near_memory")")) ==
        "/compute/peak/float32 | \"10 TFLOP/s\" without provenance | an entry of \"provenance\" "
        "whose "
        "\"fields\" cover compute.peak.float32 | is it measured, datasheet, published or assumed?");
  // "near" is no prefix of near_memory in whole words.
  CHECK(profile_error(profile_with(R"("fields": "*")", R"("fields": "near")"))
            .starts_with("/provenance/0/fields | \"near\" | the dotted path"));
}

TEST_CASE("provenance that covers nothing or the same twice is an error") {
  refuses("compute.efficiency.*", "compute.eficiency.*", "did you mean \"compute.efficiency\"?");
  CHECK(profile_error(profile_with(R"("connection.modes")", R"("compute.efficiency")")) ==
        "/provenance/2/fields | \"compute.efficiency\" | each path in one entry | "
        "\"compute.efficiency.*\" covers the same");
  refuses("\"measured\"", "\"mesured\"", "did you mean \"measured\"?");
  for (const char* nothing : {"\"\"", "\".*\""}) {
    CHECK(profile_error(profile_with("\"*\"", nothing)) ==
          std::string("/provenance/0/fields | ") + nothing +
              " | the dotted path of a number in this file, or \"*\" for all");
  }
  CHECK(profile_error(profile_with("\"a data sheet\"", "\"\""))
            .starts_with("/provenance/0/source | \"\""));
}

TEST_CASE("format and version are checked first") {
  CHECK(profile_error(profile_with("ooc-paleo/hardware-profile", "ooc-paleo/network"))
            .starts_with(
                "/format | \"ooc-paleo/network\" | \"ooc-paleo/hardware-profile\" | this is a "
                "network"));
  CHECK(profile_error(profile_with("\"version\": 1", "\"version\": 2"))
            .starts_with("/version | 2 | 1"));
  CHECK(profile_error("{}").starts_with(" | no \"format\" | an object with \"format\""));
  CHECK(profile_error("[]").starts_with(" | an empty list | an object"));
}

TEST_CASE("every level of a profile rejects keys it does not know") {
  CHECK(profile_error(profile_with("\"devices\"", "\"device\""))
            .starts_with("/device | unknown key \"device\""));
  refuses("\"kernel_launch\"", "\"kernel_lunch\"", "is \"kernel_lunch\" meant");
  refuses("\"reserved\"", "\"resreved\"", "is \"resreved\" meant");
  CHECK(profile_error(profile_with(R"("far_memory": {)", R"("far_memory": { "burst": "1 GiB", )"))
            .starts_with("/far_memory/burst | unknown key \"burst\""));
  refuses("\"unified_fault\"", "\"unified_falt\"", "did you mean \"unified_fault\"?");
  refuses("\"float16\"", "\"flot16\"", "did you mean \"float16\"?");
  refuses("\"conv\"", "\"cnov\"", "did you mean \"conv\"?");
  CHECK(profile_error(
            profile_with("\"latency\": \"9 us\"", "\"latency\": \"9 us\", \"page\": \"4 KiB\""))
            .starts_with("/connection/modes/pinned/to_near/page | unknown key"));
  CHECK(profile_error(profile_with("\"date\"", "\"when\""))
            .starts_with("/provenance/0/when | unknown key"));
}

TEST_CASE("a new layer kind may have an efficiency without the reader knowing it") {
  CHECK(profile_error(profile_with("\"conv\"", "\"mixture_of_experts\"")) == "no error");
}

TEST_CASE("quantities without units are refused with an example") {
  CHECK(profile_error(profile_with("\"16 GiB\"", "16")) ==
        "/near_memory/capacity | 16 | a size with a unit, such as \"16 GiB\" or \"16 GB\"");
  refuses("\"10 TFLOP/s\"", "\"10 TFLOPS\"", "write \"10 TFLOP/s\"");
  refuses("\"1 MFLOP\"", "1e6", "a count of operations with a unit");
}

TEST_CASE("efficiencies lie above 0 and at most at 1") {
  for (const char* bad : {"0", "-0.5", "1.01", "\"101 %\""}) {
    refuses("\"default\": 0.5", std::string("\"default\": ") + bad, "a ratio above 0, at most 1");
  }
  CHECK(profile_error(profile_with("\"default\": 0.5", "\"default\": 1")) == "no error");
  refuses("\"default\": 0.5, ", "", "no \"default\"");
}

TEST_CASE("curves ascend, copy times never fall, and have enough points") {
  refuses(R"([["1 MFLOP", 0.2], ["1 GFLOP", "70 %"]])", "[]", "at least 1 points");
  refuses("1 GFLOP", "1 MFLOP", "curves ascend");
  refuses("[\"1 MiB\", \"90 us\"]", "[\"4 KiB\", \"90 us\"]", "curves ascend");
  CHECK(profile_error(profile_with("\"90 us\"", "\"9 us\"")) ==
        "/connection/modes/pinned/to_far/curve/1/1 | \"9 us\" | no less than the time of the "
        "smaller size "
        "before");
  refuses(R"(, ["1 MiB", "90 us"], ["1 GiB", "85 ms"])", "", "at least 2 points");
  refuses("[\"1 MiB\", \"90 us\"]", "[\"1 MiB\"]", "a pair such as");
  CHECK(profile_error(
            profile_with(R"(["1 MiB", "90 us"], ["1 GiB", "85 ms"])", R"(["1 MiB", "9.1 us"])")) ==
        "/connection/modes/pinned/to_far/curve | a curve that never rises | a time that grows with "
        "the size | so small a size gives no rate: measure a larger one too");
  refuses("\"9.1 us\"", "\"0 us\"", "a time above 0");
}

TEST_CASE("the duplex ratio lies between taking turns and both at full rate") {
  // unified_fault: 8 and 8 GB/s, so at least 8 / 16 = 0.5; pinned: 12 GB/s to near; to far a curve
  // that moves 2^20 bytes in 90 - 9.1 us, 12.961 GB/s, so at least 12.961 / 24.961 = 0.519257.
  CHECK(profile_error(profile_with("\"duplex\": 0.85", "\"duplex\": 0.5"))
            .starts_with("/connection/duplex | 0.5 | a ratio from 0.519257"));
  CHECK(profile_error(profile_with("\"duplex\": 0.85", "\"duplex\": 0.520")) == "no error");
  CHECK(profile_error(profile_with("\"duplex\": 0.85", "\"duplex\": 1")) == "no error");
  refuses("\"duplex\": 0.85", "\"duplex\": 1.1", "a ratio from 0.5 to 1");
}

TEST_CASE("each direction may keep a share of its own") {
  const auto pair = [](const std::string& text) {
    return profile_with("\"duplex\": 0.85", "\"duplex\": " + text);
  };
  const HardwareProfile profile =
      read_profile_text(pair(R"({ "to_near": 0.3, "to_far": "96 %" })"), "toy.json");
  CHECK(profile.connection.duplex == Duplex(Ratio(300'000'000), Ratio(960'000'000)));
  const std::string text = write_profile(profile);
  CHECK(read_profile_text(text, "again.json").connection.duplex == profile.connection.duplex);
  CHECK(has(text, "\"to_far\": 0.96"));

  CHECK(has(profile_error(pair(R"({ "to_near": 0.3 })")), "no \"to_far\""));
  CHECK(profile_error(pair(R"({ "to_near": 0, "to_far": 1 })"))
            .starts_with("/connection/duplex/to_near | 0 | a ratio from 0.01 to 1"));
  CHECK(
      has(profile_error(pair(R"({ "to_near": 0.9, "to_far": 1.01 })")), "a ratio from 0.01 to 1"));
  CHECK(has(profile_error(pair(R"({ "to_near": 0.9, "to_far": 0.9, "both": 1 })")),
            "unknown key \"both\""));
  // pinned: 0.3 x 12 + 0.5 x 12.961 = 10.08 of 12.961 GB/s; to_near from 6.481 / 12 = 0.540058.
  CHECK(profile_error(pair(R"({ "to_near": 0.3, "to_far": 0.5 })")) ==
        "/connection/duplex | 0.3 to near and 0.5 to far | shares with which both directions carry "
        "what the faster one does alone | in mode \"pinned\" they carry 0.778 of it; to_near from "
        "0.540058 on would do");
}

TEST_CASE("a rate may come with the range that reports have") {
  const auto ranged = [](const std::string& text) {
    return profile_with("\"throughput\": \"12 GB/s\", ",
                        "\"throughput\": \"12 GB/s\", \"range\": " + text + ", ");
  };
  const HardwareProfile profile =
      read_profile_text(ranged(R"(["9 GB/s", "12.5 GB/s"])"), "toy.json");
  const auto& line = std::get<StraightLine>(profile.connection.modes.at("pinned").to_near);
  CHECK(line.throughput == BytesPerSecond(12'000'000'000));
  REQUIRE(line.range.has_value());
  CHECK(line.range->lowest == BytesPerSecond(9'000'000'000));
  CHECK(line.range->highest == BytesPerSecond(12'500'000'000));
  CHECK(has(write_profile(profile), R"("range": ["9 GB/s", "12.5 GB/s"])"));

  const std::string place = "/connection/modes/pinned/to_near/range";
  CHECK(profile_error(ranged(R"(["9 GB/s"])")).starts_with(place + " | "));
  CHECK(profile_error(ranged(R"(["13 GB/s", "14 GB/s"])")) ==
        place +
            " | \"13 GB/s\" to \"14 GB/s\" | two rates with the throughput between them, 12 GB/s");
  CHECK(profile_error(ranged(R"(["12 GB/s", "12 GB/s"])")) ==
        place + "/1 | \"12 GB/s\" | a rate above the first one, \"12 GB/s\"");
  CHECK(profile_error(ranged(R"(["9 GB", "12 GB/s"])")).starts_with(place + "/0"));
}

TEST_CASE("impossible memories and connections are refused") {
  CHECK(profile_error(profile_with("\"700 MiB\"", "\"16 GiB\"")) ==
        "/near_memory/reserved | \"16 GiB\" | less than the capacity, 16 GiB");
  refuses("\"512 GiB\"", "\"0 B\"", "a size above 0");
  refuses("\"900 GB/s\"", "\"0 GB/s\"", "at least 1 B/s");
  CHECK(profile_error(profile_with("\"a cable\"", "7"))
            .starts_with("/connection/name | 7 | text in quotes"));
}

TEST_CASE("unified memory on demand needs page and fault, the other modes have none") {
  refuses("\"page\": \"64 KiB\", ", "", "no \"page\"");
  CHECK(has(profile_error(
                profile_with(R"("page": "64 KiB", "fault": "25 us" })", R"("page": "64 KiB" })")),
            "no \"fault\""));
  refuses("\"unified_fault\"", "\"unified_prefetch\"", "unknown key \"page\"");
}

TEST_CASE("groups of faults grow within a block of a power of two times the page") {
  const auto grows = [](const std::string& block) {
    return profile_with("\"fault\": \"25 us\"",
                        "\"fault\": \"25 us\", \"grows_to\": \"" + block + "\"");
  };
  const auto mode = [](const std::string& text) {
    return read_profile_text(text, "toy.json").connection.modes.at("unified_fault");
  };
  CHECK_FALSE(mode(kProfile).grows_to);
  CHECK(mode(grows("2 MiB")).grows_to == Bytes(2'097'152));
  CHECK(mode(write_profile(read_profile_text(grows("2 MiB"), "toy.json"))).grows_to ==
        Bytes(2'097'152));
  CHECK(profile_error(grows("64 KiB")) == "no error");
  for (const char* bad : {"32 KiB", "192 KiB", "100 KiB", "128 GiB"}) {
    CAPTURE(bad);
    CHECK(profile_error(grows(bad)).starts_with("/connection/modes/unified_fault/grows_to"));
    CHECK(has(profile_error(grows(bad)), "times the page, 64 KiB"));
  }
  refuses("\"latency\": \"9 us\"", "\"latency\": \"9 us\", \"grows_to\": \"2 MiB\"", "unknown key");
}

TEST_CASE("devices have links of their own where the profile says so") {
  const std::string text = profile_with(
      "\"devices\": 2,", "\"peers\": { \"throughput\": \"300 GB/s\" }, \"devices\": 2,");
  const HardwareProfile profile = read_profile_text(text, "toy.json");
  CHECK(profile.peers.value().throughput == BytesPerSecond(300'000'000'000));
  CHECK(profile.peers->latency == Duration(20'000));
  CHECK(read_profile_text(write_profile(profile), "again").peers->throughput ==
        profile.peers->throughput);
  CHECK_FALSE(read_profile_text(profile_with("", ""), "toy.json").peers);
}

TEST_CASE("devices are counted from 1") {
  refuses("\"devices\": 2", "\"devices\": 0", "an integer from 1 to 1024");
  // Left out it is 1, a number that nobody wrote and nobody must vouch for.
  CHECK(read_profile_text(profile_with("\"devices\": 2,", ""), "toy.json").devices == 1);
}

TEST_CASE("what the writer writes reads back to an equal profile") {
  const HardwareProfile first = read_profile_text(kProfile, "toy.json");
  const std::string text = write_profile(first);
  const HardwareProfile second = read_profile_text(text, "again.json");
  CHECK(write_profile(second) == text);
  CHECK(second.name == first.name);
  CHECK(second.description == first.description);
  CHECK(second.peak.at(Dtype::kFloat16).per_second == first.peak.at(Dtype::kFloat16).per_second);
  for (const auto& [kind, efficiency] : first.efficiency) {
    if (efficiency.points.size() > 1) CHECK(second.efficiency.at(kind).points == efficiency.points);
    CHECK(second.efficiency.at(kind).at(3e8) == efficiency.at(3e8));
  }
  CHECK(second.near_memory.reserved == first.near_memory.reserved);
  CHECK(second.far_memory.throughput == first.far_memory.throughput);
  CHECK(second.connection.duplex == first.connection.duplex);
  CHECK(second.connection.theoretical == first.connection.theoretical);
  CHECK(std::get<SizeCurve>(second.connection.modes.at("pinned").to_far).points ==
        std::get<SizeCurve>(first.connection.modes.at("pinned").to_far).points);
  CHECK(second.connection.modes.at("unified_fault").fault == Duration(25'000));
  CHECK(second.devices == 2);
  CHECK(second.assumed == first.assumed);
  CHECK(json_text(*second.machine) == json_text(*first.machine));
  CHECK(has(json_text(*second.machine), "[1.50, 2e-3]"));  // verbatim
}

TEST_CASE("the version of cuDNN is two numbers or one, and has its provenance") {
  const auto versioned = [](const std::string& version) {
    return profile_with("\"kernel_launch\"", "\"cudnn\": " + version + ", \"kernel_launch\"");
  };
  CHECK(!read_profile_text(kProfile, "toy.json").cudnn);
  const auto entry = [&](const std::string& version) {
    std::string text = versioned(version);
    const std::string list = "\"provenance\": [";
    text.insert(text.find(list) + list.size(),
                R"({"fields": "compute.cudnn", "kind": "published", "source": "x"},)");
    return text;
  };
  CHECK(read_profile_text(entry("\"5.1\""), "toy.json").cudnn == std::pair(5, 1));
  CHECK(read_profile_text(entry("\"4\""), "toy.json").cudnn == std::pair(4, 0));
  const HardwareProfile profile = read_profile_text(entry("\"8.9\""), "toy.json");
  CHECK(read_profile_text(write_profile(profile), "again.json").cudnn == std::pair(8, 9));
  for (const char* wrong : {"\"\"", "\"5.\"", "\".1\"", "\"v5\"", "\"5.1.3\"", "5.1"}) {
    CAPTURE(wrong);
    CHECK(profile_error(entry(wrong)).starts_with("/compute/cudnn | "));
    CHECK(has(profile_error(entry(wrong)), "a version such as \"4\" or \"5.1\""));
  }
}

TEST_CASE("odd values survive the round trip to the last bit") {
  HardwareProfile profile = read_profile_text(kProfile, "toy.json");
  profile.peak[Dtype::kFloat32].per_second = 12'345'678'901'234.5;
  profile.efficiency["default"].points[0].second = 1.0 / 3;
  profile.connection.duplex = Ratio(851'234'567);
  profile.near_memory.throughput = BytesPerSecond(899'999'999'999);
  profile.far_memory.throughput = kInfiniteRate;
  profile.near_memory.capacity = Bytes(150'754'820'097);
  profile.kernel_launch = Duration(4321);
  const HardwareProfile again = read_profile_text(write_profile(profile), "again.json");
  CHECK(again.peak.at(Dtype::kFloat32).per_second == 12'345'678'901'234.5);
  CHECK(again.efficiency.at("default").points[0].second == 1.0 / 3);
  CHECK(again.connection.duplex == Ratio(851'234'567));
  CHECK(again.near_memory.throughput == BytesPerSecond(899'999'999'999));
  CHECK(again.far_memory.throughput == kInfiniteRate);
  CHECK(again.near_memory.capacity == Bytes(150'754'820'097));
  CHECK(again.kernel_launch == Duration(4321));
}

TEST_CASE("a machine may say that it cannot have unified memory") {
  const std::string text =
      profile_with("\"unified_fault\": {", "\"unified_prefetch\": null, \"unified_fault\": {");
  const HardwareProfile profile = read_profile_text(text, "toy.json");
  CHECK(profile.connection.impossible_modes == std::set<std::string>{"unified_prefetch"});
  CHECK(!profile.connection.modes.contains("unified_prefetch"));
  const HardwareProfile again = read_profile_text(write_profile(profile), "again.json");
  CHECK(again.connection.impossible_modes == profile.connection.impossible_modes);
  CHECK(profile_error(profile_with("\"pinned\": {", "\"pageable\": null, \"pinned\": {")) ==
        "/connection/modes/pageable | null | an object");
}

TEST_CASE("numbers that no machine has are remarked on, with what may be meant") {
  const auto remarks = [](const std::string& piece, const std::string& other) {
    std::string all;
    for (const std::string& line :
         read_profile_text(profile_with(piece, other), "toy.json").implausible) {
      all += line + "\n";
    }
    return all;
  };
  CHECK(remarks("10 TFLOP/s", "10 TFLOP/s") == "");
  CHECK(remarks("10 TFLOP/s", "10 GFLOP/s") ==
        "toy.json: /compute/peak/float32: found \"10 GFLOP/s\", expected 0.2 to 2000 TFLOP/s, as "
        "machines have (line 6, column 26, is \"10 TFLOP/s\" meant?)\n");
  CHECK(has(remarks("15.75 GB/s", "15.75 MB/s"), "is \"15.75 GB/s\" meant?"));
  CHECK(has(remarks("\"to_near\": { \"throughput\": \"8 GB/s\"",
                    "\"to_near\": { \"throughput\": \"8 MB/s\""),
            "/connection/modes/unified_fault/to_near/throughput"));
  CHECK(has(remarks("\"16 GiB\"", "\"24 GB\""), "is \"24 GiB\" meant?"));
  CHECK(has(remarks("\"512 GiB\"", "\"512 MiB\""), "is \"512 GiB\" meant?"));
  CHECK(has(remarks("\"default\": 0.5", "\"default\": \"0.5 %\""), "0.01 to 1"));
  // A cost that is left out, and any size that is no round number of GB.
  CHECK(remarks("5 us", "0 us") == "");
  CHECK(remarks("\"16 GiB\"", "\"25.4 GB\"") == "");
  CHECK(remarks("\"16 GiB\"", "\"24e9 B\"") == "");
}

TEST_CASE("every error of the parts of a profile is kept") {
  std::string text = profile_with("\"900 GB/s\"", "900");
  for (const auto& [old, other] : {std::pair<std::string, std::string>("\"5 us\"", "\"5\""),
                                   {"\"latency\": \"9 us\"", "\"latency\": 9"},
                                   {"\"devices\": 2", "\"devices\": 0"}}) {
    text.replace(text.find(old), old.size(), other);
  }
  try {
    (void)read_profile_text(text, "toy.json");
    FAIL("no error");
  } catch (const SpecErrors& errors) {
    CHECK(errors.parts().place == "/compute/kernel_launch");
    REQUIRE(errors.others().size() == 3);
    CHECK(errors.others()[0].starts_with("toy.json: /near_memory/throughput: found 900"));
    CHECK(errors.others()[1].starts_with("toy.json: /connection/modes/pinned/to_near/latency"));
    CHECK(errors.others()[2].starts_with("toy.json: /devices: found 0"));
  }
  // A misspelt key is one mistake, not two.
  CHECK(profile_error(profile_with("\"devices\": 2", "\"device\": 2")) != "no error");
  try {
    (void)read_profile_text(profile_with("\"reserved\"", "\"reservd\""), "toy.json");
    FAIL("no error");
  } catch (const SpecErrors&) {
    FAIL("two errors");
  } catch (const SpecError& error) {
    CHECK(error.parts().found == "no \"reserved\"");
  }
}

namespace {

/// The machine above with its kernels' architecture in place of shares of the peak.
std::string with_architecture(const std::string& fields) {
  std::string text = kProfile;
  const std::size_t from = text.find("\"efficiency\"");
  const std::size_t to = text.find("  },\n  \"near_memory\"");
  text.replace(from, to - from, fields + "\n");
  const std::string entry =
      R"({ "fields": "compute.efficiency.*", "kind": "assumed", "source": "a guess" },)";
  return text.erase(text.find(entry), entry.size());
}

const ProfileSources kShipped{.limits = {},
                              .architecture_folders = {OOC_SOURCE_DIR "/hwprofiles/architectures"}};

}  // namespace

TEST_CASE("an architecture is found by name, or stands in the profile, and is written as it was") {
  const std::string named = with_architecture(
      R"("architecture": "volta", "multiprocessors": 80, "sustained": { "float32": 0.94 })");
  const HardwareProfile profile = read_profile_text(named, "toy.json", kShipped);
  REQUIRE(profile.kernels);
  CHECK(profile.efficiency.empty());
  CHECK(profile.kernels->architecture->name == "volta");
  CHECK(profile.kernels->architecture->parameters.tensor);
  CHECK(profile.kernels->multiprocessors == 80);
  CHECK(profile.kernels->sustained == std::map<Dtype, double>{{Dtype::kFloat32, 0.94}});
  const std::string text = write_profile(profile);
  CHECK(has(text, R"("architecture": "volta")"));
  CHECK(write_profile(read_profile_text(text, "again.json", kShipped)) == text);

  HardwareProfile own = profile;
  own.kernels->written_out = true;
  const std::string alone = write_profile(own);
  const HardwareProfile back = read_profile_text(alone, "again.json");
  CHECK(back.kernels->architecture->parameters.near_share ==
        profile.kernels->architecture->parameters.near_share);
  CHECK(write_profile(back) == alone);
}

TEST_CASE("cores in the place of multiprocessors are remarked on") {
  const auto remarks = [](const char* count) {
    return read_profile_text(with_architecture(std::string(R"("architecture": "volta",)") +
                                               R"( "multiprocessors": )" + count),
                             "toy.json", kShipped)
        .implausible;
  };
  CHECK(remarks("80").empty());
  REQUIRE(remarks("5120").size() == 1);
  CHECK(has(remarks("5120")[0], "/compute/multiprocessors: found 5120, expected 1 to 1000"));
}

TEST_CASE("what is wrong with an architecture is told with its place") {
  const auto error = [](const std::string& fields) {
    try {
      (void)read_profile_text(with_architecture(fields), "toy.json", kShipped);
    } catch (const SpecErrors& errors) {
      return std::string(errors.what()) + "\n" + errors.others().front();
    } catch (const SpecError& one) {
      return std::string(one.what());
    }
    return std::string("no error");
  };
  const auto says = [&](const std::string& fields, const char* part) {
    const std::string text = error(fields);
    CHECK_MESSAGE(has(text, part), text);
  };
  says(R"("architecture": "voltaa", "multiprocessors": 80)", "did you mean volta?");
  says(R"("architecture": "../x", "multiprocessors": 80)", "an architecture: ada, ampere");
  says(R"("architecture": "volta")", "multiprocessors");
  says(R"("architecture": "volta", "multiprocessors": 0)", "/compute/multiprocessors");
  says(R"("architecture": "volta", "multiprocessors": 80, "sustained": { "float32": 1.5 })",
       "/compute/sustained/float32");
  says(R"("architecture": "volta", "multiprocessors": 80, "sustained": { "float64": 0.5 })",
       "/compute/sustained/float64: found a share of a peak that is not there");
  says(R"("architecture": "volta", "multiprocessors": 80, "efficiency": { "default": 0.5 })",
       "no \"efficiency\" beside \"architecture\"");
  says(R"("architecture": { "name": "own" }, "multiprocessors": 80)", "/compute/architecture");
}
