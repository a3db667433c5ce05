#include "cli/pictures.hpp"

#include "cli/locate.hpp"
#include "cli/text_file.hpp"
#include "model/base/option_text.hpp"

namespace ooc {

Pictures::Pictures(const Arguments& arguments, FlagName flag) {
  auto path = arguments.value(flag);
  if (!path) return;
  auto script = find_page_script();
  if (!script) {
    bad_value(flag.text(), "no charts: pages/report.js is not there",
              "it beside the program's data, or in the build folder of its sources",
              "scripts/build-pages makes it; it needs npm");
  }
  script_ = *std::move(script);
  page_.emplace(std::string(flag.text()), *std::move(path));
}

void Pictures::finish(std::string_view title, std::span<const PageDocument> documents) {
  if (!page_) return;
  const std::string script = read_text_file(script_, "");
  page_->finish(page_html({.title = title, .documents = documents, .script = script}));
}

}  // namespace ooc
