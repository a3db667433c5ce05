// Do the readers' getters complain in words that say what to write, and where?
#include "model/base/spec_tree.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

/// The error that `read` throws on the text: "place | found | expected | hint".
template <class Read>
std::string view_error(std::string_view text, Read read) {
  const SpecDocument document = read_spec_text(text, "a.json");
  const auto error = error_parts([&] {
    read(SpecView(document));
    return 0;
  });
  if (error.found == "no error") return error.found;
  CHECK(error.file == "a.json");
  return error.place + " | " + error.found + " | " + error.expected + " | " + error.hint;
}

template <class Read>
auto value_of(std::string_view text, Read read) {
  const SpecDocument document = read_spec_text(text, "a.json");
  return read(SpecView(document));
}

}  // namespace

TEST_CASE("the one-line message reads file, place, found, expected, hint") {
  const SpecDocument document = read_spec_text("{\"k\": [0]}", "nets/tiny.json");
  CHECK(message_of([&] { return SpecView(document).get("k").items().at(0).as_integer(1, 9); }) ==
        "nets/tiny.json: /k/0: found 0, expected an integer from 1 to 9 (line 1, column 8)");
}

TEST_CASE("an unknown key is named with the known ones and the nearest") {
  const auto read = [](const SpecView& view) {
    (void)view.find("kernel");
    (void)view.find("stride");
    view.reject_unknown_keys({"name"});
  };
  CHECK(view_error("{\"kernel\": 1, \"name\": 2}", read) == "no error");
  CHECK(view_error("{\"kernal\": 3}", read) ==
        "/kernal | unknown key \"kernal\" | one of \"kernel\", \"name\", \"stride\" | line 1, "
        "column 12, "
        "did you mean \"kernel\"?");
  CHECK_FALSE(has(view_error("{\"colour\": 3}", read), "did you mean"));
}

TEST_CASE("a missing key is an error of the object, and points at a misspelt one") {
  const auto read = [](const SpecView& view) { (void)view.get("kernel"); };
  CHECK(view_error("{\"kernal\": 3}", read) ==
        " | no \"kernel\" | an object with \"kernel\" | line 1, column 1, is \"kernal\" meant to "
        "be it?");
  CHECK(has(view_error("{}", read), "no \"kernel\""));
  CHECK(view_error("[1]", read) == " | a list of 1 | an object | line 1, column 1");
}

TEST_CASE("pointers escape slash and tilde") {
  CHECK(child_pointer("/layers", "a/b~c") == "/layers/a~1b~0c");
  const auto read = [](const SpecView& view) { (void)view.get("a/b").as_text(); };
  CHECK(view_error("{\"a/b\": 1}", read).starts_with("/a~1b | 1 | text in quotes"));
}

TEST_CASE("scalars of the wrong type are named as what they are") {
  CHECK(view_error("[[]]", [](const SpecView& v) {
          (void)v.items().at(0).as_text();
        }).starts_with("/0 | an empty list | text in quotes"));
  CHECK(view_error("{\"a\":{}}", [](const SpecView& v) {
          (void)v.get("a").as_number();
        }).starts_with("/a | an object | a number"));
  CHECK(view_error("\"yes\"", [](const SpecView& v) {
          (void)v.as_boolean();
        }).starts_with(" | \"yes\" | true or false"));
  CHECK(view_error("null", [](const SpecView& v) {
          (void)v.items();
        }).starts_with(" | null | a list"));
  CHECK(view_error("3", [](const SpecView& v) {
          (void)v.members();
        }).starts_with(" | 3 | an object"));
}

TEST_CASE("integers are checked against their range without rounding") {
  const auto read = [](const SpecView& view) { return view.as_integer(1, 1000); };
  CHECK(value_of("1e3", read) == 1000);
  CHECK(has(view_error("1001", read), "1001 | an integer from 1 to 1000"));
  CHECK(has(view_error("2.5", read), "2.5 | an integer from 1 to 1000"));
  CHECK(has(view_error("99999999999999999999", read), "99999999999999999999 | an integer"));
  CHECK(has(view_error("\"3\"", read), "\"3\" | an integer"));
  CHECK(has(view_error("2", [](const SpecView& view) { (void)view.as_integer(1, 1); }), "2 | 1 |"));
}

TEST_CASE("a choice lists what there is and the nearest") {
  const auto read = [](const SpecView& view) { return view.as_choice({"same", "valid"}); };
  CHECK(value_of("\"same\"", read) == "same");
  CHECK(view_error("\"smae\"", read) ==
        " | \"smae\" | one of \"same\", \"valid\" | line 1, column 1, did you mean \"same\"?");
  CHECK(view_error("3", read) == " | 3 | one of \"same\", \"valid\" | line 1, column 1");
}

TEST_CASE("a bare number where a unit belongs shows what to write") {
  CHECK(view_error("16", [](const SpecView& v) { (void)v.as_bytes(); }) ==
        " | 16 | a size with a unit, such as \"16 GiB\" or \"16 GB\" | line 1, column 1");
  CHECK(view_error("[1]", [](const SpecView& v) { (void)v.as_bytes(); }) ==
        " | a list of 1 | a size with a unit, such as \"16 GiB\" or \"16 GB\" | line 1, column 1");
  CHECK(has(view_error("true", [](const SpecView& v) { (void)v.as_rate(); }), "true | a rate"));
}

TEST_CASE("quantities read through the view") {
  CHECK(value_of("\"16 GiB\"", [](const SpecView& v) { return v.as_bytes().count(); }) ==
        17'179'869'184);
  CHECK(value_of("\"8 us\"", [](const SpecView& v) { return v.as_duration().count(); }) == 8000);
  CHECK(value_of("\"12 GB/s\"", [](const SpecView& v) { return v.as_rate().count(); }) ==
        12'000'000'000);
  CHECK(value_of("\"15.7 TFLOP/s\"",
                 [](const SpecView& v) { return v.as_flop_rate().per_second; }) == 15.7e12);
}

TEST_CASE("ratios are checked against their range") {
  const auto read = [](const SpecView& view) { return view.as_ratio(0.0, 1.0); };
  CHECK(value_of("0.85", read) == 0.85);
  CHECK(value_of("\"85 %\"", read) == 0.85);
  CHECK(has(view_error("85", read), "85 | a ratio from 0 to 1"));
  CHECK(has(view_error("\"850 %\"", read), "\"850 %\" | a ratio from 0 to 1"));
}

TEST_CASE("the nearest word forgives a third of the letters, swaps and case") {
  const std::vector<std::string> words{"capacity", "vdnn-all", "vdnn-conv", "in-core"};
  CHECK(nearest_word("capactiy", words) == "capacity");
  CHECK(nearest_word("VDNN-ALL", words) == "vdnn-all");
  CHECK(nearest_word("vdnn_conv", words) == "vdnn-conv");
  CHECK_FALSE(nearest_word("swap", words));
  CHECK_FALSE(nearest_word("", words));
  CHECK_FALSE(nearest_word("x", {"y"}));  // one letter, and that one wrong
}
