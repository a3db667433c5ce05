// File of a sweep's rows, appended by this run and by runs that continue it. It contains only rows,
// so a continued run recognises its sweep by comparing the first and the last row.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ooc {

/// File that only this process writes, by a lock. If this process created the file and left it empty, it is removed.
class LockedFile {
 public:
  /// Opens the file. `name`: as for -o. Throws SpecError if it cannot be written, or if another process writes it.
  explicit LockedFile(std::string name);
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& path() const { return path_; }  ///< links resolved
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void empty() const;  ///< removes all contents
  /// Forces data to disk, since network file systems report failed writes late.
  void sync() const;

 private:
  std::string name_;
  std::string path_;
  bool made_ = false;
  int descriptor_ = -1;
};

/// Rows of a sweep in a file. Functions throw SpecError at --output.
class RowFile {
 public:
  virtual ~RowFile() = default;

  /// Returns the number of complete rows present.
  [[nodiscard]] virtual std::size_t rows() = 0;
  /// Throws if row `index`, the first or the last, differs from `row`. A file without complete rows
  /// is compared with the start of the first row.
  virtual void check(std::size_t index, std::string_view row) = 0;
  /// Truncates the file after the complete rows. New rows go there.
  virtual void go_on() = 0;
  /// Writes complete rows, which survive any end of this process once write() returns.
  virtual void write(std::string_view rows) = 0;
};

/// Throws SpecError: the file has the rows of another sweep, with `found` where this sweep has `expected`.
[[noreturn]] void refuse_rows(const LockedFile& file, const std::string& found,
                              const std::string& expected);

/// Opens a file with one row a line. `head`: line before the rows; empty: none.
[[nodiscard]] std::unique_ptr<RowFile> open_text_file(const LockedFile& file, std::string head);
/// Opens a database with a table `points`: column `point`, the row's number from `first`, then the
/// columns of `head`, a CSV header. Rows are lines of CSV.
[[nodiscard]] std::unique_ptr<RowFile> open_sqlite_file(const LockedFile& file,
                                                        std::string_view head, std::size_t first);

}  // namespace ooc
