// Does the JSON writer put commas, line breaks and quotes where each layout has them?
#include "model/base/json_writer.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/units.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

std::string example(JsonLayout layout) {
  std::string text;
  JsonWriter json(text, layout);
  json.begin_object().member("a", 1).begin_list("none").end().begin_object("empty").end();
  json.objects("rows", std::vector{1, 2},
               [&](int row) { json.member("n", row).member("t", true); });
  json.member("list", std::vector<std::string>{"x", "y"}).end();
  return text;
}

template <class Value>
std::string written(const Value& value) {
  std::string text;
  JsonWriter(text).value(value);
  return text;
}

}  // namespace

TEST_CASE("each layout has its blanks and line breaks") {
  CHECK(
      example(JsonLayout::kCompact) ==
      R"({"a":1,"none":[],"empty":{},"rows":[{"n":1,"t":true},{"n":2,"t":true}],"list":["x","y"]})");
  CHECK(example(JsonLayout::kLine) ==
        R"({"a": 1, "none": [], "empty": {}, "rows": [{"n": 1, "t": true}, {"n": 2, "t": true}], )"
        R"("list": ["x", "y"]})");
  CHECK(example(JsonLayout::kPadded) ==
        R"({ "a": 1, "none": [], "empty": {}, "rows": [{ "n": 1, "t": true }, )"
        R"({ "n": 2, "t": true }], "list": ["x", "y"] })");
  CHECK(example(JsonLayout::kIndented) == R"({
  "a": 1,
  "none": [],
  "empty": {},
  "rows": [
    {
      "n": 1,
      "t": true
    },
    {
      "n": 2,
      "t": true
    }
  ],
  "list": [
    "x",
    "y"
  ]
})");
}

TEST_CASE("a text can be written piece by piece, with line breaks where they are asked for") {
  std::string text;
  JsonWriter begin(text, JsonLayout::kLine);
  begin.begin_object().line(0).member("a", 1).line(2).begin_list("rows").line(4).value(1);
  JsonWriter end(text, JsonLayout::kLine, "{[");
  end.value(2).line(4).value(3).line(2).end().member("b", 4).line(0).end();
  CHECK(text == "{\n\"a\": 1,\n  \"rows\": [\n    1, 2,\n    3\n  ], \"b\": 4\n}");
}

TEST_CASE("values are exact, and what is not there is null") {
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(written(std::numeric_limits<std::size_t>::max()) == "18446744073709551615");
  CHECK(written(0.1) == "0.1");
  CHECK(written(1.0) == "1.0");
  CHECK(written(1e22) == "1e+22");
  CHECK(written(std::numeric_limits<double>::infinity()) == "null");
  CHECK(written(std::optional<Bytes>(Bytes(7))) == "7");
  CHECK(written(std::optional<Bytes>()) == "null");
  CHECK(written(nullptr) == "null");
  CHECK(written(JsonText{"1.50"}) == "1.50");
}

TEST_CASE("texts are escaped once, for terminals too, and always valid UTF-8") {
  CHECK(json_string("plain") == "\"plain\"");
  CHECK(json_string("a\"b\\c\n\t\x01") == R"("a\"b\\c\n\t\u0001")");
  CHECK(json_string("\u20ac") == "\"\u20ac\"");
  CHECK(json_string("\x7f\u009b\u202e") == R"("\u007f\u009b\u202e")");
  CHECK(json_string("a\xff") == "\"a\ufffd\"");
  const std::string text = "\x1b[31m \u2028 \"\\ \u00e9";
  CHECK(read_spec_text("[" + json_string(text) + "]", "a.json").root.items.at(0).text == text);
}
