// --report and --plot: what is in their files, and what is said where they cannot be made. The charts themselves are
// looked at in a browser (scripts/test-pages); here another script stands in for theirs.
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// A data folder with such a script for charts.
Surroundings with_script(const ScratchFolder& scratch, const std::string& script) {
  std::filesystem::create_directory(scratch.path() / "pages");
  write_file(scratch.path() / "pages/report.js", script);
  return {.folder = scratch.path(), .environment = {{"OOC_PALEO_DATA", scratch.path().string()}}};
}

Ran predict_there(const Surroundings& there, const Words& more) {
  return run_ooc_paleo(Words{"predict", "network.json", "--hardware", kMachine, "--quiet"} + more,
                       there);
}

TEST_CASE("a page has the JSON of its result, and beside it the result is what it is without") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "globalThis.drawn = true;");
  scratch.file("network.json", read_file(kData + "worked_example.json"));
  const std::string plain = predict_there(there, {"--memory", "3GB"}).out;
  const Ran ran = predict_there(there, {"--memory", "3GB", "--report", "out.html"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "");
  CHECK(ran.out == plain);
  const std::string html = scratch.read("out.html");
  CHECK(has(html, "<script>globalThis.drawn = true;</script>"));
  CHECK(has(html, "\"iteration_time_ns\": 850000000"));
  CHECK(has(html, "\"ooc-paleo/timeline\""));
}

TEST_CASE("a network named as a script is a name") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  std::string network = read_file(kData + "worked_example.json");
  const std::string named = "\"name\": \"";
  network.insert(network.find(named) + named.size(), "<script>alert(1)</script>");
  scratch.file("network.json", network);
  CHECK(predict_there(there, {"--report", "out.html"}).exit_code == 0);
  const std::string html = scratch.read("out.html");
  CHECK(has(html, "alert(1)"));
  CHECK_FALSE(has(html, "<script>alert"));
}

TEST_CASE("what does not fit has a page, too") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  scratch.file("network.json", read_file(kData + "worked_example.json"));
  CHECK(predict_there(there, {"--memory", "1GB", "--report", "out.html"}).exit_code == 3);
  CHECK(has(scratch.read("out.html"), "\"feasible\": false"));
}

TEST_CASE("a plot needs Node.js and says so before anything is worked out") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  const Ran ran = run_shell(
      "program=$(command -v ooc-paleo); PATH=/nowhere exec \"$program\" predict network.json "
      "--hardware v100-16gb-pcie3 --plot out.svg",
      there);
  check_ends(ran, 2, {"--plot: found no program node in PATH"});
  CHECK_FALSE(has(ran.err, "network.json"));
}

/// A program of that name, which --plot finds first.
Surroundings with_node(const ScratchFolder& scratch, const std::string& script) {
  Surroundings there = with_script(scratch, "");
  const std::filesystem::path node = scratch.path() / "node";
  write_file(node, "#!/bin/sh\n" + script);
  std::filesystem::permissions(node, std::filesystem::perms::owner_all);
  return there;
}

TEST_CASE("a plot is an SVG and is called so") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  for (const char* name : {"x.pdf", "x.svg.png", "x"}) {
    const Ran ran = predict_there(there, {"--plot", name});
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(has(ran.err, "expected a name that ends with .svg"), ran.err);
  }
}

TEST_CASE("a node that hangs ends with the program, and one that never ends is ended") {
  const ScratchFolder scratch;
  scratch.file("network.json", read_file(kData + "worked_example.json"));
  const std::string plot = "PATH=.:$PATH ooc-paleo predict network.json --hardware " + kMachine +
                           " --quiet --plot out.svg >out.txt 2>err.txt";
  const Surroundings hangs = with_node(scratch, "echo $$ >pid; exec sleep 100\n");
  const Ran ran = run_shell(plot +
                                " & p=$!; while [ ! -s pid ]; do sleep 0.05; done; kill $p; "
                                "wait $p; kill -0 $(cat pid) 2>/dev/null && echo left",
                            hangs);
  CHECK(ran.out == "");
  CHECK(scratch.read("err.txt") == "ooc-paleo: interrupted\n");
  CHECK_FALSE(std::filesystem::exists(scratch.path() / "out.svg"));
  const Surroundings endless = with_node(scratch, "exec yes " + std::string(1000, 'x') + "\n");
  CHECK(run_shell(plot, endless).exit_code == 2);
  CHECK_MESSAGE(has(scratch.read("err.txt"), "node does not end"), scratch.read("err.txt"));
}

TEST_CASE("pictures do not take the place of another output or of an input") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  scratch.file("network.json", read_file(kData + "worked_example.json"));
  for (const char* place : {"network.json", "-"}) {
    CAPTURE(place);
    CHECK(predict_there(there, {"--report", place}).exit_code == 2);
  }
}

TEST_CASE("a sweep has a page of the rows in its file, of an earlier run too") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  scratch.file("network.json", read_file(kData + "worked_example.json"));
  const auto sweep = [&](const Words& more) {
    return run_ooc_paleo(Words{"sweep", "network.json", "--hardware", kMachine, "--link",
                               "5GB/s,20GB/s", "--schedule", "capacity", "--quiet"} +
                             more,
                         there);
  };
  const auto has_rates = [](const std::string& html) {
    return has(html, "\"link_bytes_per_s\": 5000000000") &&
           has(html, "\"link_bytes_per_s\": 20000000000");
  };
  for (const char* run : {"new", "complete"}) {
    CAPTURE(run);
    CHECK(sweep({"-o", "rows.json", "--report", "out.html"}).exit_code == 0);
    CHECK(has_rates(scratch.read("out.html")));
    std::filesystem::remove(scratch.path() / "out.html");
  }
  for (const Words& rows :
       {Words{}, Words{"-o", "rows.csv"}, Words{"-o", "rows.jsonl"}, Words{"-o", "rows.sqlite"}}) {
    CHECK(sweep(rows + Words{"--report", "out.html"}).exit_code == 0);
    const std::string html = scratch.read("out.html");
    CAPTURE(rows.size());
    CHECK(has_rates(html));
    CHECK(has(html, "\"schedule\": \"capacity\""));
    CHECK(has(html, "\"error\": null"));
    // The same knees and axes, whatever the rows were written in.
    CHECK(has(html, "\"within_1_percent_link_bytes_per_s\":"));
    CHECK(has(html, "\"axes\": [{\"column\": \"link_bytes_per_s\", \"label\": \"link\"}]"));
    std::filesystem::remove(scratch.path() / "out.html");
  }
  const std::string rows = scratch.read("rows.csv");
  scratch.file("rows.csv", rows.substr(0, rows.size() - 20));
  CHECK(sweep({"-o", "rows.csv", "--report", "out.html"}).exit_code == 0);
  CHECK(scratch.read("rows.csv") == rows);
  CHECK(has_rates(scratch.read("out.html")));
}

TEST_CASE("a calibration has a page of its samples, beside the profile that it is without") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  const auto calibrate = [&](const Words& more) {
    return run_ooc_paleo(Words{"calibrate", "--probe", "none", "--from",
                               kData + "calibrate/stub.samples.jsonl", "--quiet"} +
                             more,
                         there);
  };
  CHECK(calibrate({"-o", "plain.json"}).exit_code == 0);
  CHECK(calibrate({"-o", "drawn.json", "--report", "out.html"}).exit_code == 0);
  CHECK(scratch.read("plain.json") == scratch.read("drawn.json"));
  const Surroundings draws = with_node(scratch, "echo '<svg/>'; echo; cat >/dev/null\n");
  const Ran plotted =
      run_shell("PATH=.:$PATH ooc-paleo calibrate --probe none --from " + kData +
                    "calibrate/stub.samples.jsonl --quiet -o plotted.json --plot out.svg",
                draws);
  CHECK_MESSAGE(plotted.exit_code == 0, plotted.err);
  CHECK(scratch.read("out.svg") == "<svg/>\n");
  const std::string html = scratch.read("out.html");
  for (const char* each :
       {"\"ooc-paleo/calibration\"", "\"direction\":", "\"to_near\"", "\"kept_ns\""}) {
    CAPTURE(each);
    CHECK(has(html, each));
  }
  check_ends(calibrate({"-o", "x.json", "--report", "x.json"}), 2,
             {"another file of this command"});
}

TEST_CASE("a page of files takes results of one kind") {
  const ScratchFolder scratch;
  const Surroundings there = with_script(scratch, "");
  scratch.file("network.json", read_file(kData + "worked_example.json"));
  const auto report = [&](const Words& more) {
    return run_ooc_paleo(Words{"report"} + more, there);
  };
  CHECK(predict_there(there, {"-o", "a.json"}).exit_code == 0);
  CHECK(predict_there(there, {"--memory", "3GB", "-o", "b.json"}).exit_code == 0);
  CHECK(report({"a.json", "b.json", "-o", "both.html"}).exit_code == 0);
  const std::string html = scratch.read("both.html");
  CHECK(has(html, "data-name=\"a.json\""));
  CHECK(has(html, "data-name=\"b.json\""));
  CHECK(has(html, "\"iteration_time_ns\": 850000000"));
  scratch.file("need.json", R"({"format": "ooc-paleo/need"})");
  scratch.file("empty.json", R"({"format": "ooc-paleo/result", "version": 1})");
  scratch.file("past.json", R"({"format": "ooc-paleo/comparison", "version": 1,
                                "results": [{"feasible": true, "iteration_time_ns": -5}]})");
  scratch.file("old.json", R"({"format": "ooc-paleo/sweep", "version": 1, "results": []})");
  scratch.file("later.json", R"({"format": "ooc-paleo/result", "version": 2})");
  struct Wrong {
    Words words;
    const char* said;
  };
  for (const Wrong& each :
       {Wrong{{"a.json"}, "--output: found none"}, Wrong{{"-o", "x.html"}, "FILES"},
        Wrong{{"network.json", "-o", "x.html"}, "network.json: /format"},
        Wrong{{"a.json", "need.json", "-o", "x.html"}, "as in the first file"},
        Wrong{{"later.json", "-o", "x.html"}, "later.json: /version: found 2"},
        Wrong{{"empty.json", "-o", "x.html"}, "empty.json: found no \"inputs\""},
        Wrong{{"past.json", "-o", "x.html"}, "past.json: /results/0/iteration_time_ns: found -5"},
        Wrong{{"old.json", "-o", "x.html"}, "old.json: found no \"axes\""},
        Wrong{{"a.json", "-o", "a.json"}, "which is an input"}}) {
    check_ends(report(each.words), 2, {each.said});
  }
}

}  // namespace
}  // namespace ooc::test
