// The main of every doctest executable. A run in which no test case was executed, or one was skipped,
// fails: an empty test is no test.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

namespace {

unsigned executed = 0;
unsigned skipped = 0;

struct CountingListener : doctest::IReporter {
  explicit CountingListener(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override { ++executed; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  /// Also told of those that filters leave out.
  void test_case_skipped(const doctest::TestCaseData& test) override {
    skipped += test.m_skip ? 1 : 0;
  }
};

}  // namespace

REGISTER_LISTENER("counting", 1, CountingListener);

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (context.shouldExit()) return status;  // --help, --list-test-cases
  if (executed == 0 || skipped > 0) {
    std::fprintf(stderr, "error: %u test cases executed, %u skipped\n", executed, skipped);
    return 1;
  }
  return status;
}
