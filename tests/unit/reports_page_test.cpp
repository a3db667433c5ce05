// Is a page one file that is nothing but what it was given, whatever names are in it?
#include <nlohmann/json.hpp>

#include "reports/writers/page.hpp"
#include "reports/writers/trace.hpp"
#include "reports_example.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;
using PageJson = nlohmann::json;

namespace {

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// What stands in the element of that number of JSON.
std::string document_in(const std::string& html, std::size_t index) {
  std::size_t at = 0;
  for (std::size_t i = 0; i <= index; ++i) at = html.find("application/json", at) + 1;
  const std::size_t begin = html.find('>', at) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

}  // namespace

TEST_CASE("a page has its documents to the last digit and its script once") {
  const std::array documents{
      PageDocument{.name = "a.json",
                   .json = R"({"time": 123456789012345678, "x": 0.1, "a b": "c \" d\\"})"},
      PageDocument{.name = "b.json", .json = "[1, 2]"}};
  const std::string html =
      page_html({.title = "vgg16", .documents = documents, .script = "draw();"});
  CHECK(document_in(html, 0) == documents[0].json);
  CHECK(document_in(html, 1) == "[1, 2]");
  CHECK(occurrences(html, "<script>draw();</script>") == 1);
  CHECK(has(html, "data-name=\"b.json\""));
  CHECK(has(html, "default-src 'none'"));
  CHECK_FALSE(has(html, "src="));
  CHECK_FALSE(has(html, "href="));
}

TEST_CASE("no name in a page is markup") {
  const std::string name = "</script><script>alert(1)</script><!-- \"'>&";
  const std::string json = PageJson{{"network", name}}.dump();
  const std::array documents{PageDocument{.name = name, .json = json}};
  const std::string html = page_html({.title = name, .documents = documents, .script = ""});
  CHECK(occurrences(html, "<script") == 2);
  CHECK(occurrences(html, "</script") == 2);
  CHECK_FALSE(has(html, "<!--"));
  CHECK(PageJson::parse(document_in(html, 0))["network"] == name);
}

TEST_CASE("columns of a timeline add up to it") {
  const Example example;
  const Timeline& timeline = example.timeline();
  const ToolInfo tool{};
  const PageJson data = PageJson::parse(timeline_data(
      {example.inputs, tool, example.graph, example.costs, example.the_plan(), timeline}));
  CHECK(data["iteration_time_ns"] == timeline.iteration_time.count());
  std::size_t steps = 0;
  std::int64_t latest = 0;
  for (const auto& [name, queue] : data["queues"].items()) {
    steps += queue["name"].size();
    CHECK(queue["start_ns"].size() == queue["name"].size());
    latest = std::max(latest, queue["end_ns"].back().get<std::int64_t>());
  }
  CHECK(steps == example.the_plan().steps.size());
  CHECK(latest == timeline.iteration_time.count());

  CHECK(data["queues"]["to_far"]["name"][0] == "to_far a");

  const PageJson& stalls = data["stalls"];
  std::int64_t stalled = 0;
  for (std::size_t i = 0; i < stalls["cause"].size(); ++i) {
    stalled += stalls["end_ns"][i].get<std::int64_t>() - stalls["start_ns"][i].get<std::int64_t>();
  }
  CHECK(stalled > 0);
  CHECK(stalled + timeline.busy.count() == timeline.iteration_time.count());

  const PageJson& memory = data["near_memory"];
  std::vector<std::int64_t> held(memory["at_ns"].size());
  for (const PageJson& bytes : memory["bytes"]) {
    REQUIRE(bytes.size() == held.size());
    for (std::size_t i = 0; i < held.size(); ++i) held[i] += bytes[i].get<std::int64_t>();
  }
  CHECK(*std::max_element(held.begin(), held.end()) == timeline.peak_near.count());
}
