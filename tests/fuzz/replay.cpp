// Drives a fuzz target without libFuzzer, so that every ordinary test run exercises it: all seeds,
// whose names say what must come out (valid_*, invalid_*), then a fixed number of mutations of
// them. The mutations come from a seeded generator: a failure here is repeatable, and its input is
// printed.
#include <random>

#include "tests/fuzz/target.hpp"
#include "tests/support/test.hpp"

namespace {

struct Seed {
  std::string name;
  std::string text;
};

std::vector<Seed> read_seeds() {
  std::vector<Seed> seeds;
  for (const auto& folder : ooc::fuzz::seed_folders()) {
    const auto path = std::filesystem::path(OOC_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (!entry.is_regular_file() || entry.file_size() > 20'000) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      seeds.push_back({entry.path().filename().string(), text.str()});
    }
  }
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

// Text that readers have opinions about.
constexpr std::array<std::string_view, 28> kTokens{"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "\"",
                                                   ":",
                                                   ",",
                                                   "0",
                                                   "-1",
                                                   "1e999",
                                                   "NaN",
                                                   "1e-400",
                                                   "\\u0000",
                                                   "\xff",
                                                   "\xef\xbb\xbf",
                                                   "9223372036854775808",
                                                   "null",
                                                   "true",
                                                   "\"4 GiB\"",
                                                   "\"1 us\"",
                                                   " ",
                                                   "100000",
                                                   "\"inf\"",
                                                   "2147483648",
                                                   "\n",
                                                   "=",
                                                   "id=7",
                                                   "%ff"};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate(const std::vector<Seed>& seeds) {
    std::string text = seeds[below(seeds.size())].text;
    const std::size_t edits = 1 + below(4);
    for (std::size_t i = 0; i < edits; ++i) edit(text, seeds);
    return text;
  }

 private:
  // Not std::uniform_int_distribution: its numbers differ between standard libraries.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void edit(std::string& text, const std::vector<Seed>& seeds) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(text.size() - at, 1 + below(32));
    const std::string_view token = kTokens[below(kTokens.size())];
    switch (below(7)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, token);
        break;
      case 4:
        text.replace(at, length, token);
        break;
      case 5:
        replace_number(text, at, token);
        break;
      default: {  // splice
        const std::string& other = seeds[below(seeds.size())].text;
        text = text.substr(0, at) + other.substr(below(other.size()));
      }
    }
  }

  // The next run of digits becomes something else: the edit most likely to leave legal JSON.
  void replace_number(std::string& text, std::size_t from, std::string_view token) {
    const std::size_t begin = text.find_first_of("0123456789", from);
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    const std::string number =
        below(2) == 0 ? std::string(token) : std::to_string(random_() >> below(64));
    text.replace(begin, end - begin, number);
  }

  std::mt19937_64 random_;
};

std::size_t mutation_count() {
  const char* cases = std::getenv("OOC_FUZZ_MUTATIONS");
  return cases == nullptr ? 4000 : static_cast<std::size_t>(std::strtoul(cases, nullptr, 10));
}

TEST_CASE("every seed is accepted or rejected as its name says") {
  const std::vector<Seed> seeds = read_seeds();
  std::size_t rejected = 0;
  for (const Seed& seed : seeds) {
    CAPTURE(seed.name);
    const bool wants_rejection = seed.name.starts_with("invalid_") ||
                                 seed.name.ends_with(".schema.json") || seed.name == "README.md";
    if (wants_rejection) ++rejected;
    CHECK(ooc::fuzz::is_accepted(seed.text) != wants_rejection);
  }
  CHECK(seeds.size() > rejected);
  CHECK(rejected > 0);
}

TEST_CASE("mutated seeds bring out nothing but a value or a SpecError") {
  const std::vector<Seed> seeds = read_seeds();
  REQUIRE_FALSE(seeds.empty());
  Mutator mutator(20190724);
  std::size_t accepted = 0;
  const std::size_t mutations = mutation_count();
  for (std::size_t i = 0; i < mutations; ++i) {
    const std::string text = mutator.mutate(seeds);
    CAPTURE(text);
    try {
      if (ooc::fuzz::is_accepted(text)) ++accepted;
    } catch (const std::exception& error) {
      FAIL("escaped: " << error.what());
    }
  }
  // Both doors must be used, or the mutations test nothing.
  CHECK(accepted > 0);
  CHECK(accepted < mutations);
}

}  // namespace
