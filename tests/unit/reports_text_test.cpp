// Can a person read it? Whole texts are compared, so that a change of the tables is seen and meant.
#include <doctest/doctest.h>

#include "reports/writers/text_table.hpp"
#include "reports_example.hpp"

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

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("columns line up, numbers to the right, without trailing spaces") {
  TextTable table({{"name", Align::kLeft}, {"bytes"}, {"note", Align::kLeft}});
  table.add_row({"a", "1", ""});
  table.add_row({"caf\xc3\xa9", "12,345", "x"});  // 4 code points, 5 bytes
  CHECK(table.text(Colour::kNone) ==
        "  name   bytes  note\n"
        "  a          1\n"
        "  caf\xc3\xa9  12,345  x\n");
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
}

TEST_CASE("a prediction reads from the answer to its causes") {
  Example example;
  RunReport report = example.report();
  report.what_if = {{"memory + 25 %", us(550), 0}, {"link x 2", us(450), 1 - 450.0 / 550}};
  const std::string text = table_prediction(report, {});
  CHECK(text == R"(chain on by-hand, batch 1, schedule one, moved

  iteration time  550.0 us  1,818 samples/s
  slowdown          1.222x  against compute alone with the fastest algorithms, 450.0 us
  lower bound     500.0 us  this run is 10.0 % above it; it holds for schedules that only move tensors

Limited by link to near memory: it costs 18.2 % of the iteration

Where the time goes
  compute                            450.0 us  81.8 %
  waiting for copies to near memory  100.0 us  18.2 %

Memory
  budget              4.100 kB  near memory, as given by --memory
  peak                4.100 kB  5.100 kB when nothing moves
  static                 100 B  of it: weights, their gradients, state of sgd
  saved for backward  3.000 kB  what backward reads of the forward pass
  copied to far       1.000 kB  far memory needs 1.000 kB
  copied to near      1.000 kB  pinned; connection sets the rate

Layers that wait (1 of 3)
  layer  type       waits   forward  backward     saved  action
  a      custom  100.0 us  50.00 us  100.0 us  1.000 kB  swap

Warning: assumed, not measured, in profile by-hand: connection.modes.pinned

What would help most
  change         iteration  time saved
  link x 2        450.0 us      18.2 %
  memory + 25 %   550.0 us       0.0 %
)");
}

TEST_CASE("a job that does not fit says who holds what, the smallest budget and how to proceed") {
  const std::string text = table_prediction(refused_example().report(), {});
  CHECK(text == R"(chain on by-hand, batch 1, schedule one, moved

Does not fit
  c.backward needs 1.000 kB at once; 900 B of 3.000 kB are free

  held by     bytes
  b        1.000 kB
  c        1.000 kB
  weights     100 B

  smallest budget 3.100 kB (3100 B): it suffices, one byte less does not
  when nothing moves it takes 5.100 kB

How to proceed
  --memory "3100 B"  the smallest budget that suffices for this schedule
  ooc-paleo compare  which schedules fit, and how fast they are

Warning: assumed, not measured, in profile by-hand: connection.modes.pinned
)");
}

TEST_CASE("a fragmented memory is named as the cause") {
  Example example = refused_example();
  auto& oom = std::get<OutOfMemory>(example.plan);
  oom.free = Bytes(1200);
  oom.smallest_budget.reset();
  const std::string text = table_prediction(example.report(), {});
  CHECK(contains(text, "fragmented"));
  CHECK(contains(text, "not known"));
}

TEST_CASE("a comparison puts the best first and what does not fit last") {
  std::vector<RunReport> reports = {refused_example().report(), Example().report()};
  reports.push_back(reports[1]);
  reports[2].inputs.schedule = "faster";
  reports[2].iteration_time = us(500);
  const std::string text = table_comparison(reports, {});
  CHECK(text == R"(chain on by-hand, batch 1
near memory 3.000 kB, 5.100 kB when nothing moves; links pinned
compute alone takes 450.0 us; the lower bound for schedules that only move tensors is 500.0 us

  schedule        time  slowdown  samples/s      peak    to far   to near     gap    busy  limited by
  faster      500.0 us    1.222x      1,818  4.100 kB  1.000 kB  1.000 kB   0.0 %  81.8 %  link to near, 18 %
  one, moved  550.0 us    1.222x      1,818  4.100 kB  1.000 kB  1.000 kB  10.0 %  81.8 %  link to near, 18 %
  gap: time above the lower bound; busy: share of the time in which compute runs

Does not fit
  schedule    lacks  smallest budget  stops at
  one, moved  100 B           3100 B  c.backward

Warning: assumed, not measured, in profile by-hand: connection.modes.pinned
)");
}

TEST_CASE("a comparison names one bound in its head, or each row's own where they differ") {
  std::vector<RunReport> reports = {refused_example().report(), Example().report(),
                                    Example().report()};
  reports[0].lower_bound.reset();  // what does not fit has no say
  CHECK(contains(table_comparison(reports, {}), "tensors is 500.0 us"));
  reports[2].lower_bound = us(510);
  const std::string text = table_comparison(reports, {});
  CHECK_FALSE(contains(text, "tensors is 500.0 us"));
  CHECK(contains(text, "500.0 us  10.0 %"));  // 550 against 500
  CHECK(contains(text, "510.0 us"));
}

TEST_CASE("a comparison of long names and large numbers stays within 120 columns") {
  RunReport report = Example().report();
  report.inputs.schedule = "unified-prefetch";
  report.iteration_time = us(123'456'789);
  report.lower_bound = us(12'345'678);
  report.slowdown = 12.34567;
  report.peak_near = report.to_far = report.to_near = Bytes(987'654'321'098);
  report.limited_by = "memory capacity";
  CHECK(widest_line(table_comparison({report}, {})) <= 120);
}

TEST_CASE("an inspection lists layers and totals") {
  const Example example;
  const std::string text = table_inspection(
      summarize_network({.graph = example.graph, .costs = &example.costs, .hardware = "by-hand"}),
      {});
  CHECK(text == R"(chain, float32, batch 1, times on by-hand (native compute model)
by hand
input data 250

  layer  type    output  parameters  forward MACs     saved   forward  backward
  a      custom     250           -             -  1.000 kB  50.00 us  100.0 us
  b      custom     250           -             -  1.000 kB  50.00 us  100.0 us
  c      custom     250           -             -  1.000 kB  50.00 us  100.0 us

  layers                     3
  parameters                 0
  forward MACs               0  for one sample
  FLOPs                  0 + 0  forward + backward, whole batch
  compute time        450.0 us  forward, backward and update, one after the other
  saved for backward  3.000 kB  what backward reads, network inputs included
  static                   0 B  weights, their gradients, state of sgd
  in-core peak        4.000 kB  near memory when nothing moves (liveness)
)");
}

TEST_CASE("colour appears only when the caller asks for it") {
  const RunReport report = refused_example().report();
  CHECK_FALSE(contains(table_prediction(report, {}), "\x1b"));
  CHECK(contains(table_prediction(report, {.tool = {}, .colour = Colour::kAnsi}),
                 "\x1b[1;31mDoes not fit\x1b[0m"));
}
