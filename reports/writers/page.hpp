// Self-contained HTML page of a result: its JSON, and the script of reports/pages that draws it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ooc {

/// JSON inside a page.
struct PageDocument {
  std::string_view name;  ///< name of its source; may be empty
  std::string_view json;
};

struct Page {
  std::string_view title;
  std::span<const PageDocument> documents;
  std::string_view script;  ///< reports/pages, bundled
};

/// Returns HTML that needs no network. Names in the documents cannot act as markup.
[[nodiscard]] std::string page_html(const Page& page);

/// Returns the script's input for drawing the first chart as SVG outside a browser: one line with
/// the documents.
[[nodiscard]] std::string plot_request(std::span<const PageDocument> documents);

}  // namespace ooc
