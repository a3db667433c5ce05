// JSON stands in <script> elements, where browsers look for nothing but "</script" and "<!--": with every "<" as
// \u003c, which JSON allows only inside of strings and reads back as the same text, neither can occur. The policy in
// the head forbids whatever would ask a network.
#include "reports/writers/page.hpp"

namespace ooc {
namespace {

constexpr std::string_view kHead =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>";

std::string_view in_markup(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return "";
  }
}

void add_text(std::string& out, std::string_view text) {
  for (const char& each : text) {
    const std::string_view other = in_markup(each);
    out += other.empty() ? std::string_view(&each, 1) : other;
  }
}

void add_json(std::string& out, std::string_view json) {
  for (const char each : json) {
    if (each == '<') {
      out += "\\u003c";
    } else {
      out += each;
    }
  }
}

}  // namespace

std::string page_html(const Page& page) {
  std::string out(kHead);
  add_text(out, page.title);
  out +=
      "</title>\n</head>\n<body>\n<noscript>The charts of this page are drawn by the script in "
      "it.</noscript>\n";
  for (const PageDocument& document : page.documents) {
    out += "<script type=\"application/json\" data-name=\"";
    add_text(out, document.name);
    out += "\">";
    add_json(out, document.json);
    out += "</script>\n";
  }
  out += "<script>";
  out += page.script;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace ooc
