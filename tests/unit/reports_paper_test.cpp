// Is what reports say of a run on paper the sum that the closed forms give by hand, and do they keep silent
// where those do not hold? The chain is that of reports_example.hpp: a, b, c of 50 us forward and 100 us
// backward, each output 1000 B and a copy of it 200 us; the plan moves a's.
#include <doctest/doctest.h>

#include "reports/writers/writer.hpp"
#include "reports_example.hpp"
#include "simulator/summary/metrics.hpp"
#include "simulator/summary/paper_estimate.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

/// With a link without latency. Not to be copied: its graph points into it.
struct LinkedExample : Example {
  explicit LinkedExample(BytesPerSecond rate) {
    TransferCosts& copies = costs.transfers;
    const TransferCost copy{
        .latency = Duration(0), .rate = rate, .alone = transfer_time(Bytes(1000), rate)};
    copies.to_far.assign(graph.tensors.size(), copy);
    copies.to_near = copies.to_far;
    copies.to_far_peak = copies.to_near_peak = rate;
  }
};

PaperEstimateInput input_of(const Example& example, ClosedForm form) {
  return {.form = form, .graph = example.graph, .costs = example.costs, .plan = example.the_plan()};
}

constexpr BytesPerSecond kRate(5'000'000);  // 1000 B in 200 us

RunReport report_of(const Example& example, ClosedForm form) {
  return summarize({.inputs = example.inputs,
                    .graph = example.graph,
                    .costs = example.costs,
                    .plan = example.plan,
                    .outcome = example.outcome,
                    .in_core_peak = Bytes(5100),
                    .closed_form = form});
}

}  // namespace

TEST_CASE("equations 7-9: sections of a layer and the copy beside it") {
  const LinkedExample example(kRate);
  const auto estimate = paper_estimate(input_of(example, ClosedForm::kVdnnLike));
  CHECK(estimate->equations == "7-9");
  // aF 50, bF beside a's copy out 200, cF 50; cB 100, bB beside a's copy in 200, aB 100.
  CHECK(estimate->time == us(700));
  CHECK(estimate->notes.empty());
}

TEST_CASE(
    "equations 10-12: the forward pass, then what is near and a link that runs from the turn on") {
  // Y_b and Y_c are kept: cB 100, bB 100; then 200 us x 5 B/us have brought Y_a: 150 + 300.
  const LinkedExample example(kRate);
  const auto hidden = paper_estimate(input_of(example, ClosedForm::kCapacity));
  CHECK(hidden->equations == "10-12");
  CHECK(hidden->time == us(450));
  CHECK(hidden->notes ==
        std::vector<std::string>{"waits in forward", "copies out after it", "room for copies in"});
  // At 4 B/us, 800 of its 1000 B: aB is caught at T_catch and waits for 200 B, 50 us.
  const LinkedExample slower(BytesPerSecond(4'000'000));
  CHECK(paper_estimate(input_of(slower, ClosedForm::kCapacity))->time == us(500));
}

TEST_CASE(
    "a chain that is kept between runs of one plan gives what a new one gives at other rates") {
  for (const ClosedForm form : {ClosedForm::kVdnnLike, ClosedForm::kCapacity}) {
    PaperChain chain;
    for (const std::int64_t rate : {5'000'000, 4'000'000, 50'000'000, 1'000'000}) {
      const LinkedExample example{BytesPerSecond(rate)};
      PaperEstimateInput input = input_of(example, form);
      const auto anew = paper_estimate(input);
      input.kept = &chain;
      const auto kept = paper_estimate(input);
      CHECK(kept->time == anew->time);
      CHECK(kept->notes == anew->notes);
    }
  }
}

TEST_CASE("what a closed form leaves out is said only where the run has it") {
  LinkedExample example(kRate);
  PaperEstimateInput input = input_of(example, ClosedForm::kVdnnLike);
  input.pageable = true;
  CHECK(paper_estimate(input)->notes ==
        std::vector<std::string>{"that pageable copies stop computing"});
  input.pageable = false;
  input.copies = {.streams = CopyStreams::kFramework, .pinned_cost = us(1)};
  CHECK(paper_estimate(input)->notes ==
        std::vector<std::string>{"copies that wait as the framework's do",
                                 "computing that waits while memory is pinned"});
  for (TransferCost& copy : example.costs.transfers.to_near) copy.alone += us(1);
  example.costs.transfers.duplex = Ratio(500'000'000);
  const auto notes = paper_estimate(input_of(example, ClosedForm::kCapacity))->notes;
  REQUIRE(notes.size() == 5);
  CHECK(notes[3] == "latency of copies");
  CHECK(notes[4] == "copies that slow each other");
}

TEST_CASE("where the closed forms do not hold they give no time, but the reason") {
  const LinkedExample example(kRate);
  CHECK_FALSE(paper_estimate(input_of(example, ClosedForm::kNone)).has_value());

  PaperEstimateInput input = input_of(example, ClosedForm::kCapacity);
  input.rounds = 2;
  CHECK_FALSE(paper_estimate(input)->time.has_value());
  CHECK(paper_estimate(input)->notes.front() == "they are about a batch in one round");

  LinkedExample devices(kRate);
  std::get<Plan>(devices.plan).devices = 2;
  CHECK(paper_estimate(input_of(devices, ClosedForm::kCapacity))->notes.front() ==
        "they are about one device");

  LinkedExample skip(kRate);
  skip.network.layers[2].inputs.emplace_back(make_id<LayerId>(0));
  const auto none = paper_estimate(input_of(skip, ClosedForm::kVdnnLike));
  CHECK_FALSE(none->time.has_value());
  CHECK(none->notes ==
        std::vector<std::string>{"they are about chains, which this network is not"});
}

TEST_CASE("reports carry the closed form of a run, of schedules that have one") {
  const LinkedExample example(kRate);
  CHECK_FALSE(report_of(example, ClosedForm::kNone).paper.has_value());
  const RunReport report = report_of(example, ClosedForm::kCapacity);
  REQUIRE(report.paper.has_value());
  CHECK(report.paper->time == us(450));

  const Example refused = refused_example();
  CHECK_FALSE(report_of(refused, ClosedForm::kCapacity).paper.has_value());
}

TEST_CASE("writers set the closed form beside the time") {
  // Simulated: 550 us.
  RunReport report = report_of(LinkedExample(kRate), ClosedForm::kCapacity);
  const Writer& table = *find_writer("table");
  const std::string text = table.prediction(report, {});
  CHECK(text.find("OOC-Paleo's equations 10-12: 18.2 % below the simulated time\n") !=
        std::string::npos);
  CHECK(text.find("  leaves out waits in forward, copies out after it, room for copies in\n") !=
        std::string::npos);
  CHECK(table.comparison({report}, {})
            .find("one, moved by OOC-Paleo's equations 10-12: 450.0 us, 18.2 % below the simulated "
                  "time,\n    without waits in forward, ") != std::string::npos);
  const std::string json = find_writer("json")->prediction(report, {});
  CHECK(json.find("\"closed_form_time_ns\": 450000,\n  \"closed_form_equations\": \"10-12\",") !=
        std::string::npos);

  report.paper->time = us(550);
  CHECK(table.prediction(report, {}).find(": equal to the simulated time\n") != std::string::npos);
  report.paper->time = Duration(550'001);
  CHECK(table.prediction(report, {}).find(": within 0.05 % of the") != std::string::npos);
  report.paper->time = us(605);
  CHECK(table.prediction(report, {}).find(": 10.0 % above the") != std::string::npos);

  report.paper->time.reset();
  report.paper->notes = {"they are about one device"};
  CHECK(
      table.prediction(report, {}).find("OOC-Paleo's equations 10-12: they are about one device") !=
      std::string::npos);
  CHECK(table.comparison({report}, {}).find("OOC-Paleo") == std::string::npos);
  CHECK(find_writer("json")->prediction(report, {}).find("\"closed_form_equations\": null") !=
        std::string::npos);
}
