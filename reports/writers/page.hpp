// One self-contained page of a result: its JSON, and the program of reports/pages that draws it in a browser.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ooc {

/// JSON that a page has in it.
struct PageDocument {
  std::string_view name;  ///< what it was read from, or empty
  std::string_view json;
};

struct Page {
  std::string_view title;
  std::span<const PageDocument> documents;
  std::string_view script;  ///< reports/pages, bundled
};

/// HTML that opens without a network: whatever names the documents hold, none is markup. Their numbers are theirs to the
/// last digit; white space between tokens is left out.
[[nodiscard]] std::string page_html(const Page& page);

/// What the same script reads on its standard input, outside a browser, to draw the first chart as SVG: one line, with the
/// documents as a page has them.
[[nodiscard]] std::string plot_request(std::span<const PageDocument> documents);

}  // namespace ooc
