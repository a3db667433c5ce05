// Quantities: each parser returns a value or an error text, never throws; an accepted size, time or
// rate is within the limits of units.hpp, and its exact text parses back to the same value.
#include <variant>

#include "model/base/quantity_io.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {
namespace {

template <class Value>
bool explained(const Parsed<Value>& parsed) {
  if (std::holds_alternative<Value>(parsed)) return false;
  OOC_CHECK(!std::get<QuantityError>(parsed).expected.empty(), "an error says what would be right");
  return true;
}

template <class Value>
bool accepted_exactly(Parsed<Value> (*parse)(std::string_view), std::string (*write)(Value),
                      std::string (*format)(Value), std::string_view text) {
  const Parsed<Value> parsed = parse(text);
  if (explained(parsed)) return false;
  const Value value = std::get<Value>(parsed);
  OOC_CHECK(value.count() >= 0, "no quantity is negative");
  OOC_CHECK(!format(value).empty(), "every value has a text for people");
  const Parsed<Value> again = parse(write(value));
  OOC_CHECK(std::holds_alternative<Value>(again), "an exact text is a quantity");
  OOC_CHECK(std::get<Value>(again) == value, "an exact text parses back to its value");
  return true;
}

}  // namespace

void consume(std::string_view text) {
  bool accepted = accepted_exactly<Bytes>(&parse_bytes, &exact_bytes, &format_bytes, text);
  accepted |= accepted_exactly<Duration>(&parse_duration, &exact_duration, &format_duration, text);
  accepted |= accepted_exactly<BytesPerSecond>(&parse_rate, &exact_rate, &format_rate, text);
  accepted |= !explained(parse_flop_rate(text));
  accepted |= !explained(parse_flop_count(text));
  accepted |= !explained(parse_ratio(text));
  if (!accepted) throw SpecError({.found = "no quantity", .expected = "one"});
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/quantity"}; }

}  // namespace ooc::fuzz
