// Is what reports say of a run on paper the sum that the closed forms give by hand, and do they keep silent
// where those do not hold? The chain is that of reports_example.hpp: a, b, c of 50 us forward and 100 us
// backward, each output 1000 B and a copy of it 200 us; the plan moves a's.
#include "reports/writers/writer.hpp"
#include "reports_example.hpp"
#include "simulator/summary/equations.hpp"
#include "simulator/summary/paper_estimate.hpp"
#include "tests/support/test.hpp"

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
    about = iteration_of(graph, costs);
  }
  Iteration about;
};

PaperEstimateInput input_of(const LinkedExample& example, ClosedForm form) {
  return {.form = form, .about = example.about, .plan = example.the_plan()};
}

constexpr BytesPerSecond kRate(5'000'000);  // 1000 B in 200 us

RunReport report_of(const Example& example, ClosedForm form) {
  const Iteration job = iteration_of(example.graph, example.costs);
  return summarize({.inputs = example.inputs,
                    .job = job,
                    .about = job,
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
  CHECK(estimate->differences.empty());  // asked for without a timeline
}

TEST_CASE(
    "equations 10-12: the forward pass, then what is near and a link that runs from the turn on") {
  // Y_b and Y_c are kept: cB 100, bB 100; then 200 us x 5 B/us have brought Y_a: 150 + 300.
  const LinkedExample example(kRate);
  const auto hidden = paper_estimate(input_of(example, ClosedForm::kCapacity));
  CHECK(hidden->equations == "10-12");
  CHECK(hidden->time == us(450));
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
    }
  }
}

using Differences = std::vector<std::pair<std::string, Duration>>;

Differences differences_of(const LinkedExample& example, ClosedForm form) {
  PaperEstimateInput input = input_of(example, form);
  input.timeline = &example.timeline();
  const auto estimate = paper_estimate(input);
  Differences found;
  for (const auto& each : estimate->differences) {
    found.emplace_back(each.cause, each.time);
  }
  return found;
}

TEST_CASE("what a run takes longer is set down to the assumptions that it does not keep") {
  // (10)-(12) say 450 us, the run takes 550: a's copy out ends at 250, 100 us behind the turn.
  LinkedExample example(kRate);
  CHECK(differences_of(example, ClosedForm::kCapacity) ==
        Differences{{"copies out still under way at the turn", us(100)}});
  // (7)-(9) say 700: bF does not wait for the copy out, 150 us, and the last section runs from 250.
  CHECK(differences_of(example, ClosedForm::kVdnnLike) ==
        Differences{{"forward sections and the turn", us(-150)}});

  // The copy in starts 30 us later than what it waits for, and takes 20 us longer than the link needs.
  auto& timeline = std::get<Timeline>(*example.outcome);
  timeline.spans[5] = {us(280), us(500)};
  timeline.spans[7] = {us(500), us(600)};
  timeline.stalls.back().end = us(500);
  timeline.iteration_time = us(615);
  CHECK(differences_of(example, ClosedForm::kCapacity) ==
        Differences{{"latency, and copies that slow each other", us(20)},
                    {"copies out still under way at the turn", us(100)},
                    {"copies in held back for room, or by the schedule", us(30)},
                    {"updates of weights", us(15)}});
}

Equations equations_of_example(const LinkedExample& example, Bytes budget) {
  return equations_of({.about = example.about,
                       .plan = example.the_plan(),
                       .timeline = example.timeline(),
                       .budget = budget,
                       .rates = {.far = BytesPerSecond(80'000'000),
                                 .connection = example.costs.transfers.to_near_peak,
                                 .near = BytesPerSecond(900'000'000)}});
}

TEST_CASE("equations (2) to (12) step by step, beside the run") {
  // 5 B/us. Backward reads 1000 B a layer, c's and b's stay: NM_Ca = 2000. Steps are of 100 us.
  const LinkedExample example(kRate);
  const Equations equations = equations_of_example(example, Bytes(4100));
  CHECK(equations.swap_in == kRate);
  CHECK(equations.binds == "Conn_Th");
  CHECK(equations.swap_in_run == kRate);
  CHECK(equations.capacity == Bytes(4000));
  CHECK(equations.retained == Bytes(2000));
  REQUIRE(equations.steps.size() == 3);
  const auto column = [&](auto field) {
    std::vector<std::int64_t> values;
    for (const EquationStep& step : equations.steps) values.push_back((step.*field).count());
    return values;
  };
  using Column = std::vector<std::int64_t>;
  // a's copy in, 200 us, beside b: (9) 100 / 200. (12): it has 200 us until a is reached, never caught.
  CHECK(column(&EquationStep::swap) == Column{0, 200'000, 0});
  CHECK(column(&EquationStep::section) == Column{100'000, 200'000, 100'000});
  CHECK(column(&EquationStep::section_run) == Column{100'000, 200'000, 100'000});
  CHECK(equations.steps[1].utilization == 0.5);
  CHECK(equations.steps[1].concurrency == 500);
  CHECK(equations.steps[1].utilization_12 == 1);
  CHECK(equations.steps[1].utilization_run == 0.5);
  CHECK_FALSE(equations.caught.has_value());
  REQUIRE(equations.caught_run.has_value());
  CHECK(equations.caught_run->layer == "a");
  CHECK(equations.caught_run->time == us(200));
  CHECK(equations.utilization == 0.75);
  CHECK(equations.utilization_12 == 1);
  CHECK(equations.utilization_run == 0.75);
  // 2000; less 1000, plus 100 us x 5 B/us; the same again. In the run a comes as a whole, at its start.
  CHECK(column(&EquationStep::available_3) == Column{2000, 1500, 1000});
  CHECK(column(&EquationStep::available_6) == Column{2000, 1500, 1000});
  CHECK(column(&EquationStep::available_run) == Column{2000, 1000, 1000});
}

TEST_CASE("equations (3), (4), (6) part where the link is slow or the capacity small") {
  // 1 B/us: at a's start 2000 - 1000 + 100 - 1000 + 100 = 200 by (3) and (4); a is caught there, at 200 us.
  const LinkedExample slow(BytesPerSecond(1'000'000));
  Equations equations = equations_of_example(slow, Bytes(4100));
  CHECK(equations.steps[2].available_3 == Bytes(200));
  CHECK(equations.steps[2].utilization_2 == 0.2);
  REQUIRE(equations.caught.has_value());
  CHECK(equations.caught->layer == "a");
  CHECK(equations.caught->time == us(200));
  // Room for 1200 B: at b's start (4) has 1500, (6) 1000 + min(500, 200).
  const LinkedExample example(kRate);
  equations = equations_of_example(example, Bytes(1300));
  CHECK(equations.steps[1].available_4 == Bytes(1500));
  CHECK(equations.steps[1].available_6 == Bytes(1200));
  CHECK(equations.steps[2].available_6 == Bytes(700));
}

TEST_CASE("writers set the equations beside the run where they are asked for") {
  const LinkedExample example(kRate);
  RunReport report = report_of(example, ClosedForm::kCapacity);
  const Writer& table = *find_writer("table");
  CHECK_FALSE(has(table.prediction(report, {}), "T_catch"));
  report.equations = equations_of_example(example, Bytes(4100));
  const std::string text = table.prediction(report, {});
  CHECK(has(text, "  200.0 us  this run at a\n"));
  const std::string json = find_writer("json")->prediction(report, {});
  CHECK(has(json, "\"run_caught\": {"));
  CHECK(has(json, "\"binds\": \"Conn_Th\""));
}

TEST_CASE("equations of a plan on several devices are the reason why there are none") {
  LinkedExample example(kRate);
  example.about.moving = std::make_shared<const MovingState>();
  CHECK(equations_of_example(example, Bytes(4100)).unfit == "they are about one device");
}

TEST_CASE("where the closed forms do not hold they give no time, but the reason") {
  LinkedExample example(kRate);
  CHECK_FALSE(paper_estimate(input_of(example, ClosedForm::kNone)).has_value());

  const PaperEstimateInput input = input_of(example, ClosedForm::kCapacity);
  example.about.rounds = 2;
  CHECK_FALSE(paper_estimate(input)->time.has_value());
  CHECK(paper_estimate(input)->unfit == "they are about a batch in one round");

  LinkedExample devices(kRate);
  devices.about.moving = std::make_shared<const MovingState>();
  CHECK(paper_estimate(input_of(devices, ClosedForm::kCapacity))->unfit ==
        "they are about one device");
}

TEST_CASE("a network with skips is taken in the order in which its tasks run") {
  LinkedExample skip(kRate);
  skip.network.layers[2].inputs.emplace_back(make_id<LayerId>(0));
  CHECK(paper_estimate(input_of(skip, ClosedForm::kCapacity))->time == us(450));
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
  CHECK(has(text, "OOC-Paleo's equations 10-12: 18.2 % below the simulated time\n"));
  CHECK(has(text, "   +100.0 us  copies out still under way at the turn\n"));
  CHECK(has(comparison_text({report}),
            "one, moved by OOC-Paleo's equations 10-12: 450.0 us, 18.2 % below the simulated "
            "time,\n    for +100.0 us copies out still under way at the turn\n"));
  const std::string json = find_writer("json")->prediction(report, {});
  CHECK(has(json, "\"closed_form_time_ns\": 450000,\n  \"closed_form_equations\": \"10-12\","));

  report.paper->time = us(550);
  CHECK(has(table.prediction(report, {}), ": equal to the simulated time\n"));
  report.paper->time = Duration(550'001);
  CHECK(has(table.prediction(report, {}), ": within 0.05 % of the"));
  report.paper->time = us(605);
  CHECK(has(table.prediction(report, {}), ": 10.0 % above the"));

  report.paper->time.reset();
  report.paper->unfit = "they are about one device";
  CHECK(
      has(table.prediction(report, {}), "OOC-Paleo's equations 10-12: they are about one device"));
  CHECK_FALSE(has(comparison_text({report}), "OOC-Paleo"));
  CHECK(has(find_writer("json")->prediction(report, {}), "\"closed_form_equations\": null"));
}
