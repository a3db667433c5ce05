// Does reading JSON find every kind of bad file before anything is built, and say where?
#include <unistd.h>

#include "model/base/json_writer.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/units.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

SpecNode read(std::string_view text) { return read_spec_text(text, "a.json").root; }

/// "place | found | expected | hint", or "no error".
std::string json_error(std::string_view text, const ReadLimits& limits = {}) {
  const auto error = error_parts([&] { return read_spec_text(text, "a.json", limits); });
  if (error.found == "no error") return error.found;
  CHECK(error.file == "a.json");
  return error.place + " | " + error.found + " | " + error.expected + " | " + error.hint;
}

std::string json_file_error(const std::string& path, const ReadLimits& limits = {}) {
  const auto error = error_parts([&] { return read_spec_file(path, limits); });
  if (error.found == "no error") return error.found;
  CHECK(error.file == path);
  return error.found + " | " + error.expected + " | " + error.hint;
}

/// A file that is gone when the test ends.
struct TemporaryFile {
  std::string path;
  TemporaryFile(const std::string& name, std::string_view text)
      : path((std::filesystem::temp_directory_path() /
              ("ooc-base-" + std::to_string(::getpid()) + "-" + name))
                 .string()) {
    std::ofstream(path, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path); }
};

TEST_CASE("every value knows line and column of its first character") {
  const SpecNode root =
      read("{\n  \"a\": [1, -2.5e1 ,\"x\\\"y\"],\n\t\"b\":{\"c\":true,\"d\":null}}\n");
  CHECK(root.line == 1);
  CHECK(root.column == 1);
  const SpecNode& list = root.members.at(0).second;
  CHECK(list.line == 2);
  CHECK(list.column == 8);
  CHECK(list.items.at(0).column == 9);
  CHECK(list.items.at(1).column == 12);
  CHECK(list.items.at(1).integer == -25);
  CHECK(list.items.at(2).column == 20);
  CHECK(list.items.at(2).text == "x\"y");
  const SpecNode& object = root.members.at(1).second;
  CHECK(object.line == 3);
  CHECK(object.column == 6);  // a tab is one character
  CHECK(object.members.at(0).second.column == 11);
  CHECK(object.members.at(0).second.boolean);
  CHECK(object.members.at(1).second.column == 20);
  CHECK(object.members.at(1).second.type == SpecType::kNull);
}

TEST_CASE("columns count characters and not bytes") {
  const SpecNode root = read("[\"\u00e9\u20ac\", 1]");
  CHECK(root.items.at(1).column == 8);  // [ " é € " , space 1
}

TEST_CASE(
    "places are those behind escapes, and behind numbers, which end where the next token begins") {
  const SpecNode root =
      read("{\"\\\"\\\\\": \"\\u20ac\\\\\",\n\"n\":[-1.5e+3,2]\n ,\"w\":[null,7]}");
  CHECK(root.members.at(0).second.column == 10);
  const SpecNode& numbers = root.members.at(1).second;
  CHECK(numbers.items.at(0).text == "-1.5e+3");
  CHECK(numbers.items.at(1).column == 14);
  CHECK(numbers.items.at(1).line == 2);
  CHECK(root.members.at(2).second.items.at(1).column == 13);
  CHECK(root.members.at(2).second.line == 3);
}

TEST_CASE("integers are exact in 63 bits and never go through a double") {
  const SpecNode root = read(
      "[9007199254740993, 9223372036854775807, -9223372036854775807, 9223372036854775808, 1e3, "
      "1000.0, 1.5, 12e-1, 120e-1, 99999999999999999999, -0, 1E+2]");
  CHECK(root.items.at(0).integer == 9'007'199'254'740'993);  // 2^53 + 1: no double
  CHECK(root.items.at(1).integer == 9'223'372'036'854'775'807);
  CHECK(root.items.at(2).integer == -9'223'372'036'854'775'807);
  CHECK_FALSE(root.items.at(3).integer);
  CHECK(root.items.at(4).integer == 1000);
  CHECK(root.items.at(5).integer == 1000);
  CHECK_FALSE(root.items.at(6).integer);
  CHECK(root.items.at(6).number == 1.5);
  CHECK_FALSE(root.items.at(7).integer);
  CHECK(root.items.at(8).integer == 12);
  CHECK_FALSE(root.items.at(9).integer);
  CHECK(root.items.at(9).text == "99999999999999999999");
  CHECK(root.items.at(10).integer == 0);
  CHECK(root.items.at(11).integer == 100);
  // Digits beyond the nineteenth count too: these are no integers.
  CHECK_FALSE(read("1000000000000000000.01").integer);
  CHECK(read("1000000000000000000.00").integer == 1'000'000'000'000'000'000);
}

TEST_CASE("a file that is not there, a directory and an unreadable file are told apart") {
  CHECK(json_file_error("/nowhere/at/all.json") == "no such file | a readable file | ");
  CHECK(json_file_error("/tmp") == "a directory | a file | ");
}

TEST_CASE("a file above the size limit is refused by its size, unread") {
  const TemporaryFile file("large.json", "");
  std::filesystem::resize_file(file.path, 200'000'000);  // sparse: reading it would find zero bytes
  CHECK(json_file_error(file.path) ==
        "a file of 200000000 bytes | at most 64 MiB | the limit on input files is set by "
        "--max-input");
  CHECK(has(json_file_error(file.path, {.max_bytes = 100}), "at most 100 B"));
}

TEST_CASE("a source without a size is cut off at the limit") {
  // /dev/zero never ends; /dev/null is empty.
  CHECK(
      json_file_error("/dev/zero", {.max_bytes = 1 << 20}).starts_with("more than 1048576 bytes"));
  CHECK(json_file_error("/dev/null").starts_with("an empty file"));
}

TEST_CASE("text above the limit is refused as a file is") {
  CHECK(has(json_error("[1, 2]", {.max_bytes = 5}), "6 bytes | at most 5 bytes"));
}

TEST_CASE("nesting stops at the limit, however deep the file goes") {
  CHECK(json_error(std::string(64, '[') + std::string(64, ']')) == "no error");
  const std::string deep = json_error(std::string(5'000'000, '['));
  CHECK(has(deep, "nested deeper than that | a nesting depth of at most 64"));
  CHECK(has(deep, "line 1, column 65"));
  CHECK(json_error("{\"a\":{\"b\":{\"c\":1}}}", {.max_depth = 2}).starts_with("/a/b | "));
}

TEST_CASE("the number of values is limited, since small values cost much memory") {
  CHECK(json_error("[1,2,3]", {.max_values = 4}) == "no error");
  CHECK(json_error("[1,2,3,4]", {.max_values = 4}) ==
        "/3 | more values than that | at most 4 values in a file | line 1, column 8");
}

TEST_CASE("duplicate keys are named with both places") {
  CHECK(json_error("{\"a\": {\"k\": 1,\n \"x\": 2, \"k\": 3}}") ==
        "/a/k | the key \"k\" for the second time | each key once | line 2, column 10, first at "
        "line 1, "
        "column 8");
  // Escapes make equal keys look different.
  CHECK(has(json_error("{\"k\": 1, \"\\u006b\": 2}"), "second time"));
}

TEST_CASE("text behind the value is an error, a zero byte included") {
  CHECK(json_error("{} {}") ==
        " | \"{\" | the end of the file after one JSON value | line 1, column 4");
  CHECK(has(json_error("1 x"), "\"x\" | the end of the file after one JSON value"));
  CHECK(has(json_error(std::string_view("{}\0{}", 5)), "the end of the file after"));
  CHECK(json_error("{}\n \t") == "no error");
}

TEST_CASE("a byte order mark and UTF-16 are named") {
  CHECK(json_error("\xef\xbb\xbf{}") ==
        " | a byte order mark | JSON in UTF-8 without one | line 1, column 1");
  CHECK(has(json_error(std::string_view("\xff\xfe{\0}\0", 6)), "UTF-16 text"));
}

TEST_CASE("NaN and infinities are no JSON") {
  CHECK(json_error("{\"a\": NaN}") == "/a | NaN | a finite number | line 1, column 7");
  CHECK(json_error("[1,\n -Infinity]") == "/1 | -Infinity | a finite number | line 2, column 2");
}

TEST_CASE("numbers out of range are refused, too small ones are zero") {
  CHECK(json_error("[1e400]") == "/0 | \"1e400\" | a number within +-1.8e308 | line 1, column 2");
  CHECK(json_error("{\"a\":-1e999}").starts_with("/a | \"-1e999\" | a number within"));
  CHECK(read("[1e-400]").items.at(0).number == 0);
}

TEST_CASE("truncated files say what should have come next") {
  CHECK(json_error("{") ==
        " | the end of the file | a key in double quotes or \"}\" | line 1, column 2");
  CHECK(json_error("{\"a\"") == "/a | the end of the file | \":\" and a value | line 1, column 5");
  CHECK(json_error("{\"a\":") == "/a | the end of the file | a value | line 1, column 6");
  CHECK(json_error("{\"a\": [1, 2\n").starts_with("/a/2 | the end of the file | \",\" or \"]\""));
  CHECK(json_error("[1,").starts_with("/1 | the end of the file | another value"));
  CHECK(json_error("{\"a\": 1,")
            .starts_with(" | the end of the file | another key in double quotes"));
  CHECK(
      json_error("{\"a\": \"tex").starts_with("/a | text without a closing quote | a JSON string"));
  CHECK(json_error("[tru").starts_with("/0 | \"tru\" | a value or \"]\""));
}

TEST_CASE("common slips in JSON are answered with what belongs there") {
  CHECK(json_error("{\"a\": 1,}") == " | \"}\" | another key in double quotes | line 1, column 9");
  CHECK(json_error("[1, 2,]").starts_with("/2 | \"]\" | another value"));
  CHECK(json_error("{\"a\": 1 \"b\": 2}") == " | \"b\" | \",\" or \"}\" | line 1, column 9");
  CHECK(json_error("{a: 1}").starts_with(" | \"a\" | a key in double quotes"));
  CHECK(json_error("{'a': 1}").starts_with(" | \"'a'\" | a key in double quotes"));
  CHECK(has(json_error("[1] // note"), "the end of the file after one JSON value"));
  CHECK(has(json_error("[\"a\nb\"]"), "malformed text in quotes | a JSON string"));
  CHECK(has(json_error("[\"\\q\"]"), "malformed text in quotes"));
  CHECK(has(json_error("[\"\\ud800\"]"), "malformed text in quotes"));
  CHECK(json_error("]").starts_with(" | \"]\" | a JSON value"));
}

TEST_CASE("invalid UTF-8 is found wherever it stands") {
  CHECK(json_error("{\"a\": \"\xc3\x28\"}") ==
        " | byte 0xc3, which is not UTF-8 | JSON in UTF-8 | line 1, column 8");
  for (const char* text : {"[\"\xc0\xaf\"]", "[\"\xed\xa0\x80\"]", "[\"\xf5\x80\x80\x80\"]", "\x80",
                           "[\"\xe2\x82", "[\"\xf4\x90\x80\x80\"]"}) {
    CHECK(has(json_error(text), "which is not UTF-8"));
  }
  CHECK(read("[\"\u20ac\U0001F600\"]").items.at(0).text == "\u20ac\U0001F600");
}

TEST_CASE("messages hold no control characters and stay on one line") {
  const std::string what =
      message_of([] { return read_spec_text("{\"a\\u001b[31m\": x\x1b\n", "a.json"); });
  CHECK(what != "");
  CHECK_FALSE(has(what, "\x1b"));
  CHECK_FALSE(has(what, "\n"));
}

TEST_CASE("messages cannot be turned round by the text they quote") {
  CHECK(in_quotes("a\u202eb\x1b") == "\"a\\u202eb\\u001b\"");
  const SpecError error({.file = "a\u2066.json",
                         .place = "/\u200f",
                         .found = "x\u2028y",
                         .expected = "z",
                         .hint = {}});
  CHECK(std::string(error.what()) == "a .json: / : found x y, expected z");
}

TEST_CASE("a key of a megabyte does not make a line of a megabyte") {
  const std::string key(1 << 20, 'k');
  const auto read = [&] { return read_spec_text("{\"" + key + "\": x", "a.json"); };
  CHECK(message_of(read).size() < 1000);
  CHECK(error_parts(read).place == "/" + key);
}

TEST_CASE("texts in messages are cut between characters and not inside one") {
  const std::string euros =
      "\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac";  // 9 x 3 bytes
  const std::string quoted = in_quotes(euros + euros + euros);   // 81 bytes
  // 26 whole characters are 78 bytes; the 27th would end at 81.
  CHECK(quoted.size() == 1 + 78 + 4);
  CHECK(quoted.ends_with("\u20ac...\""));
}

TEST_CASE("printing a tree and reading it again gives the same tree") {
  const std::string text =
      R"({"name": "a\"\\\u0001", "list": [1, 2.50, -3e2], "empty": [], "none": {},
    "deep": {"x": [{"y": null}, {"z": true}]}, "long": ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]})";
  const std::string once = json_text(read(text));
  CHECK(json_text(read(once)) == once);
  CHECK(has(once, "[1, 2.50, -3e2]"));  // numbers as they were written
  CHECK(read(once).members.at(0).second.text == "a\"\\\x01");
  std::size_t start = 0;
  for (std::size_t end = once.find('\n'); end != std::string::npos; end = once.find('\n', start)) {
    CHECK(end - start <= 100);
    start = end + 1;
  }
}

// Does the JSON writer put commas, line breaks and quotes where each layout has them?

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

}  // namespace
}  // namespace ooc::test
