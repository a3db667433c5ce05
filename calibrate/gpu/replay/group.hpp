// A group of lines as it comes in, from `plan` to `run`. Nothing is answered before `run`, so the first
// problem is kept until then, and what follows it is only passed over: one error for a group, not one a line.
#pragma once

#include <cstddef>
#include <string>

#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/replay/fields.hpp"
#include "calibrate/gpu/replay/program.hpp"

namespace ooc::gpu {

// Version 2 has pages; version 1 is read too.
inline constexpr std::size_t kPlanVersion = 2;

class ReplayGroup {
 public:
  // plan, block, slot, step or run.
  static bool takes(const std::string& word);

  // Whether a first line has come (of any of the words: without its plan it is one that fails).
  bool is_open() const { return open_; }
  // Whether `line` goes on with this group: it is no `plan`, and has the same id.
  bool goes_on_with(const Line& line) const;
  // The line that a group's answers take their id from.
  const Line& first_line() const { return first_; }

  void add(const Line& line);
  // The group is wrong; an earlier problem stands.
  void spoil(const std::string& problem);
  // What has come, checked as a whole. Throws RequestError with the first problem.
  ReplayProgram finish();

 private:
  void read(const Line& line);
  void read_plan(const Line& line);
  void read_block(const Line& line);
  void read_pages(const Line& line);
  void read_slot(const Line& line);
  void read_step(const Line& line);
  void read_run(const Line& line);
  void require_turn(const Line& line, std::size_t came, std::size_t announced) const;

  void require_pages(const Line& line) const;
  void require_all(const ReplayFields& fields, int kinds) const;

  bool open_ = false;
  Line first_;
  std::string problem_;
  std::size_t blocks_ = 0;  // announced
  std::size_t slots_ = 0;
  std::size_t steps_ = 0;
  ReplayProgram program_;
};

}  // namespace ooc::gpu
