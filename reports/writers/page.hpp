// Self-contained HTML page of a result: its JSON, and the script of reports/pages that draws it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ooc {

/// JSON inside a page.
struct PageDocument {
  std::string_view name = {};  ///< name of the document's source; empty: none
  std::string_view json;
};

struct Page {
  std::string_view title;
  std::span<const PageDocument> documents;
  std::string_view script;  ///< text of the bundled script of reports/pages
};

/// Returns HTML that needs no network. Text from the documents cannot become markup.
[[nodiscard]] std::string page_html(const Page& page);

}  // namespace ooc
