#include "cli/sweep/sweep_output.hpp"

#include <fmt/format.h>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {

SweepOutput::SweepOutput(const std::string& path, const SweepFormat& format, Existing existing) {
  if (!output_target(path).empty()) {
    file_.emplace(path, format, existing);
    return;
  }
  if (format.name == "sqlite") {
    bad_value("--output", path == "-" ? "standard output" : in_quotes(path),
              "a file, which a database needs");
  }
  stream_.emplace("--output", path);
}

Standing SweepOutput::begin(const SweepIdentity& identity, const std::string& head) {
  if (file_) return file_->begin(identity, head);
  put(head);
  return Standing::kNew;
}

void SweepOutput::put(std::string_view text) {
  stream_->write(text);
  if (copies_) copy_ += text;
}

SweepSummary SweepOutput::before() const { return file_ ? file_->summary() : SweepSummary(); }

void SweepOutput::write(std::string_view rows, const SweepSummary& so_far) {
  if (file_) return file_->write(rows, so_far);
  put(rows);
  stream_->flush();
}

void SweepOutput::late() {
  if (file_) file_->late();
}

void SweepOutput::add_end(std::string_view end) {
  if (file_) return file_->add_end(end);
  put(end);
}

void SweepOutput::finish() {
  if (file_) return file_->finish();
  stream_->commit();
}

std::vector<Knee> SweepOutput::take_knees() {
  return file_ ? file_->take_knees() : std::vector<Knee>();
}

void SweepOutput::discard() {
  if (file_) file_->discard();
}

std::string SweepOutput::kept(std::size_t written, std::size_t all) {
  if (!file_) {
    stream_->flush();
    return fmt::format("{} of {} rows are in {}", written, all,
                       stream_->is_stdout() ? "the output" : stream_->path());
  }
  try {
    file_->flush();
  } catch (const SpecError&) {
    // The disk is full: what was handed over before is there.
  }
  if (file_->rows_kept() == 0) {
    file_->discard();
    return fmt::format("none of {} rows was finished: nothing is kept", all);
  }
  const bool overwrites = file_->existing() == Existing::kOverwrite;
  return fmt::format("{} of {} rows are in {}: the same command{} goes on from there",
                     file_->rows_kept(), all, file_->growing_name(),
                     overwrites ? " without --overwrite" : "");
}

}  // namespace ooc
