// For tests and for trying a fit: a recording answers like the machine it was made on.
#include <utility>

#include "tests/support/probes.hpp"

namespace ooc {
namespace {

class RecordedProbe : public Probe {
 public:
  explicit RecordedProbe(SampleSet set) : set_(std::move(set)) {}

  const KeyValues& machine() const override { return set_.machine; }
  std::string program() const override { return set_.program; }
  std::string backend() const override { return set_.backend; }

  ProbeAnswer measure(const Request& request, const StopAsked& stop) override {
    ProbeAnswer answer;
    answer.group.request = identity_of(request.keys);
    if (stop && stop()) {
      answer.state = ProbeState::kStopped;
      return answer;
    }
    if (const SampleGroup* group = set_.find(answer.group.request)) {
      answer.group = *group;
    } else {
      answer.group.state = GroupState::kRefused;
      answer.group.error = "not in the recording";
    }
    return answer;
  }

 private:
  SampleSet set_;
};

}  // namespace

std::unique_ptr<Probe> recorded_probe(SampleSet set) {
  return std::make_unique<RecordedProbe>(std::move(set));
}

}  // namespace ooc
