// Can a person read it? Whole answers stand in tests/golden.
#include "reports/writers/text_table.hpp"
#include "reports_example.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    widest = std::max(widest, end - begin);
    begin = end + 1;
  }
  return widest;
}

}  // namespace

TEST_CASE("columns line up, numbers to the right, without trailing spaces") {
  TextTable table({left("name"), "bytes", left("note")});
  table.add_row({"a", "1", ""});
  table.add_row({"caf\xc3\xa9", "12,345", "x"});  // 4 code points, 5 bytes
  CHECK(table.text({}) ==
        "  name   bytes  note\n"
        "  a          1\n"
        "  caf\xc3\xa9  12,345  x\n");
}

TEST_CASE("errors of such jobs leave a range of times open, from three figures on") {
  RunReport report = Example().report();
  report.iteration_time = Duration(900);
  report.errors = {.kind = "k", .figures = 3, .median = 0.2, .lowest = -0.25, .highest = 0.5};
  CHECK(measured_range(report) == std::pair(Duration(600), Duration(1200)));
  report.errors->figures = 2;
  CHECK_FALSE(measured_range(report));
}

TEST_CASE("numbers are grouped and shortened for people") {
  CHECK(group_thousands(138357544) == "138,357,544");
  CHECK(group_thousands(999) == "999");
  CHECK(group_thousands(-1000) == "-1,000");
  CHECK(si_count(15470264320) == "15.47 G");
  CHECK(si_count(999) == "999");
  CHECK(si_count(999'999) == "1.000 M");
  CHECK(significant(418.04) == "418.0");
  CHECK(significant(12345.6) == "12,346");
  CHECK(significant(0.5) == "0.500");
}

TEST_CASE("terminals get no control characters from names in files") {
  CHECK(printable("a\x1b[31mb") == "a?[31mb");
  // U+202E, right-to-left override; U+2069; U+200F; U+009B, the control sequence introducer.
  CHECK(printable("a\u202eb\u2069c\u200fd\u009b") == "a?b?c?d?");
  CHECK(printable("é\u2010\u2070\u202f\u00a0") == "é\u2010\u2070\u202f\u00a0");
  CHECK(printable("a\tb\x1b", "\t") == "a\tb?");
}

TEST_CASE("bytes that are no UTF-8 do not reach a terminal") {
  CHECK(printable("a\x9b"
                  "2J\xc3(\xf0\x9f\x98") == "a?2J?(???");
  CHECK(printable("é\x80z") == "é?z");
  CHECK(printable("\U0001f600\uffff") == "\U0001f600\uffff");
  CHECK(escaped_controls("\x9b\\\n", "\\", "\n") == "\\x9b\\\\\n");
}

TEST_CASE("a table wider than the terminal goes on below, with its first column again") {
  TextTable table({left("name"), "one", "two", "three"});
  table.add_row({"layer", "1", "22", "333"});
  CHECK(table.text({.width = 24}) == table.text({}));
  CHECK(table.text({.width = 23}) ==
        "  name   one  two\n  layer    1   22\n\n  name   three\n  layer    333\n");
  // Narrower than any two columns: one at a time.
  CHECK(table.text({.width = 5}) ==
        "  name   one\n  layer    1\n\n  name   two\n  layer   22\n\n  name   three\n  layer    "
        "333\n");
}

TEST_CASE("columns that may leave a table too wide do, and words of the last one go on below") {
  TextTable table({left("name"), right("one", 2), right("two", 1), "three"});
  table.add_row({"layer", "1", "22", "333"});
  CHECK(table.text({.width = 23}) ==
        "  name   one  three\n  layer    1    333\n  no room for: two\n");
  CHECK(table.shows("one", {.width = 23}));
  CHECK_FALSE(table.shows("two", {.width = 23}));
  CHECK(table.text({.width = 18}) ==
        "  name   three\n  layer    333\n  no room for:\n    one, two\n");
  TextTable facts({left(""), "", left("")});
  facts.add_row({"time", "1 s", "as fast as computing without any wait"});
  CHECK(facts.text({.width = 40}) ==
        "  time  1 s  as fast as computing\n             without any wait\n");
}

TEST_CASE("long lines are folded at blanks, below their own text") {
  CHECK(folded("one two three\n", 0) == "one two three\n");
  CHECK(folded("one two three\n", 9) == "one two\n  three\n");
  CHECK(folded("  --a B  what it does\n", 18) == "  --a B  what it\n         does\n");
  CHECK(folded("  --long-flag VALUE  what it does\n", 20) ==
        "  --long-flag VALUE\n      what it does\n");
  CHECK(folded("unbreakable word\n", 4) == "unbreakable\n  word\n");
  CHECK(folded("  -f   rule (one|two|three)\n", 20) == "  -f   rule (one|\n       two|three)\n");
  CHECK(folded("  x  ###|...\n", 10) == "  x\n     ###|...\n");  // a bar is no list
  // Colours take no room, letters of several bytes one column.
  CHECK(folded("\x1b[1mäöü äöü\x1b[0m\n", 7) == "\x1b[1mäöü äöü\x1b[0m\n");
}

TEST_CASE("a profile whose numbers are all assumed is said to be so in words") {
  CHECK(assumed_warning("mine", {"*"}) ==
        "\nWarning: assumed, not measured, in profile mine: every number without another "
        "provenance\n");
  CHECK(assumed_warning("mine", {}).empty());
}

TEST_CASE("a run is not said to be limited by waits that are smaller than its compute") {
  RunReport report = Example().report();
  const auto first_line = [&] {
    const std::string text = table_prediction(report, {});
    const std::size_t begin = text.find("Compute runs");
    REQUIRE(begin != std::string::npos);
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const auto stall = [&](StallCause cause) -> Duration& {
    return report.stalls[static_cast<std::size_t>(cause)];
  };
  stall(StallCause::kRecompute) = us(110);  // 20 % of 550, above the 100 us for copies
  CHECK(first_line() ==
        "Compute runs 81.8 % of the time; the largest loss is running tasks again, 20.0 %");
  CHECK(has(comparison_text({report}), "recomputation, 20 %\n"));
  report.stalls = {};
  stall(StallCause::kMemory) = us(11);  // 2 %: named although limited_by would say compute
  CHECK(first_line() ==
        "Compute runs 81.8 % of the time; the largest wait is for memory to be freed, 2.0 %");
  stall(StallCause::kMemory) = us(1);
  CHECK(has(comparison_text({report}), "memory capacity, < 1 %\n"));
  report.stalls = {};
  CHECK(first_line() == "Compute runs 81.8 % of the time; it never waits");
  CHECK(has(comparison_text({report}), "10.0 %  none\n"));
  report.reference_time = us(395);
  CHECK(first_line() ==
        "Compute runs 81.8 % of the time; the largest loss is slower algorithms, 10.0 %");
  report.rounds = 2;
  CHECK(has(comparison_text({report}), "micro-batches, 10 %\n"));
}

TEST_CASE("moved network inputs, which have no row among the layers, are named below them") {
  RunReport report = Example().report();
  CHECK_FALSE(has(table_prediction(report, {}), "network inputs"));
  report.inputs_to_near = Bytes(2000);
  CHECK(has(table_prediction(report, {}),
            "  network inputs, in no row: 0 B copied to far, 2.000 kB to near memory\n"));
}

TEST_CASE("memory smaller than the weights says what is there and what is lacking") {
  RunReport report = refused_example().report();
  report.static_bytes = Bytes(5000);
  const std::string text = table_prediction(report, {});
  CHECK(has(
      text,
      "\nDoes not fit\n"
      "  near memory has 3.000 kB; weights, gradients and optimiser state alone take 5.000 kB,\n"
      "  2.000 kB more than there is\n"));
  CHECK_FALSE(has(text, "held by"));  // nothing runs
  report.static_bytes = report.budget_near;
  report.out_of_memory->free = Bytes(0);
  CHECK(has(table_prediction(report, {}),
            "c.backward needs 1.000 kB at once; nothing of 3.000 kB is free\n"));
}

TEST_CASE("a fragmented memory is named as the cause") {
  Example example = refused_example();
  auto& oom = std::get<OutOfMemory>(example.plan);
  oom.free = Bytes(1200);
  oom.smallest_budget.reset();
  const std::string text = table_prediction(example.report(), {});
  CHECK(has(text, "fragmented"));
  CHECK(has(text, "not known"));
}

TEST_CASE("what is too small is named, and all sizes that suffice are written alike") {
  std::vector<RunReport> reports = {refused_example().report(), refused_example().report()};
  reports[0].out_of_memory->smallest_budget = Bytes(1 << 20);  // no "1 MiB" beside "3100 B"
  reports[0].out_of_memory->tier = OutOfMemory::Tier::kFar;
  reports[0].inputs.far_memory = Bytes((1 << 20) - 100);
  const std::string text = comparison_text(reports);
  // Near memory lacks 3100 - 3000.
  CHECK(has(text, R"(
  schedule    memory  lacks  smallest that suffices  stops at
  one, moved  near    100 B  3.100 kB (3100 B)       c.backward
  one, moved  far     100 B  1.049 MB (1048576 B)    c.backward
)"));
  CHECK(has(table_prediction(reports[0], {}),
            "smallest far memory: 1.049 MB (1048576 B); it suffices"));
}

TEST_CASE("a comparison names what runs in less memory, or with gradients that stay") {
  std::vector<RunReport> reports = {Example().report(), Example().report()};
  reports[1].inputs.schedule = "other";
  const std::string none = comparison_text(reports);
  CHECK_FALSE(has(none, "planned for less"));
  CHECK_FALSE(has(none, "keep their memory"));
  reports[0].planned_for = Bytes(2900);
  reports[1].keeps_gradients = true;
  const std::string text = comparison_text(reports);
  CHECK(has(text, "planned for less, what the allocator holds back: one, moved 2.900 kB\n"));
  CHECK(has(text, "keep their memory, freed ones leave no plan as quick: other\n"));
}

TEST_CASE("a comparison names one bound in its head, or each row's own where they differ") {
  std::vector<RunReport> reports = {refused_example().report(), Example().report(),
                                    Example().report()};
  reports[0].lower_bound.reset();  // what does not fit has no say
  CHECK(has(comparison_text(reports), "tensors is 500.0 us"));
  reports[2].lower_bound = us(510);
  const std::string text = comparison_text(reports);
  CHECK_FALSE(has(text, "tensors is 500.0 us"));
  CHECK(has(text, "500.0 us  10.0 %"));  // 550 against 500
  CHECK(has(text, "510.0 us"));
}

TEST_CASE("a comparison of long names and large numbers stays within 120 columns") {
  RunReport report = Example().report();
  report.inputs.schedule = "unified-prefetch";
  report.iteration_time = us(123'456'789);
  report.lower_bound = us(12'345'678);
  report.slowdown = 12.34567;
  report.peak_near = report.to_far = report.to_near = Bytes(987'654'321'098);
  report.stalls[static_cast<std::size_t>(StallCause::kRecompute)] = us(123'456'789);  // 100 %
  CHECK(widest_line(comparison_text({report})) <= 120);
  CHECK(widest_line(comparison_text({report, report})) <= 120);
}

TEST_CASE("colour appears only when the caller asks for it") {
  const RunReport report = refused_example().report();
  CHECK_FALSE(has(table_prediction(report, {}), "\x1b"));
  CHECK(has(table_prediction(report, {.tool = {}, .look = {Colour::kAnsi}}),
            "\x1b[1;31mDoes not fit\x1b[0m"));
}
