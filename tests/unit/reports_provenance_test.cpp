// Does the warning of the reports name each assumed part of a profile once, and none too few?
#include "model/base/spec_tree.hpp"
#include "model/hardware/profile_provenance.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

using Entries = std::vector<std::pair<std::string, ProvenanceKind>>;
constexpr ProvenanceKind kAssumed = ProvenanceKind::kAssumed;
constexpr ProvenanceKind kMeasured = ProvenanceKind::kMeasured;

/// For a profile of four numbers.
std::vector<std::string> assumed_of(const Entries& entries) {
  const SpecDocument anywhere = read_spec_text("1", "toy.json");
  std::vector<ProfileNumber> numbers;
  for (const char* path : {"far.latency", "far.rate", "link.duplex", "link.modes.a"}) {
    numbers.push_back({path, SpecView(anywhere)});
  }
  std::vector<Provenance> list;
  for (const auto& [fields, kind] : entries) {
    Provenance& entry = list.emplace_back();
    entry.fields = fields;
    entry.kind = kind;
  }
  return assumed_fields(list, numbers);
}

}  // namespace

TEST_CASE("an assumed entry inside another assumed one is named once") {
  CHECK(assumed_of({{"far", kAssumed}, {"far.latency", kAssumed}, {"link", kMeasured}}) ==
        std::vector<std::string>{"far"});
  CHECK(assumed_of({{"far.latency", kAssumed}, {"link.*", kAssumed}, {"*", kAssumed}}) ==
        std::vector<std::string>{"*"});
}

TEST_CASE("an assumed entry inside a measured one is named, whatever stands around that") {
  CHECK(assumed_of({{"far", kMeasured},
                    {"link", kAssumed},
                    {"link.modes", kMeasured},
                    {"link.modes.a", kAssumed}}) ==
        std::vector<std::string>{"link", "link.modes.a"});
}

TEST_CASE("an assumed entry that governs nothing hides none") {
  CHECK(assumed_of({{"far", kAssumed},
                    {"far.latency", kAssumed},
                    {"far.rate", kAssumed},
                    {"link", kMeasured}}) == std::vector<std::string>{"far.latency", "far.rate"});
}
