#include "queue/path/room_wait.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace xsched::queue {
namespace {

constexpr int64_t kOwnSuspensionNs = 10 * base::kSecond;  // wait at a suspension by the program itself (safety)
// If a queue is not suspended and completes nothing, a caller waits for room in its window for at most the longer of
// kStuckNs and the usual time of kStuckCommands commands.
constexpr int64_t kStuckNs = 50 * base::kMillisecond;  // safety
constexpr int64_t kStuckCommands = 4;
// Longest wait of a caller for the copy in pieces of another thread. That thread may itself wait, in the driver, for
// the caller's next call.
constexpr int64_t kInCopyNs = 2 * base::kSecond;  // safety
constexpr int64_t kCompletesNowNs = 50 * base::kMicrosecond;  // judgement

}  // namespace

void RoomWait::begin(int64_t now_ns, uint64_t completed) {
    began_ = true;
    seen_ns_ = progress_ns_ = now_ns;
    completed_ = completed;
}

RoomWait::Patience RoomWait::look(int64_t now_ns, uint64_t completed, Queue queue, int64_t command_ns) {
    const int64_t looked_ns = now_ns - std::exchange(seen_ns_, now_ns);
    if (completed != std::exchange(completed_, completed)) {
        stuck_ns_ = 0;
        progress_ns_ = now_ns;
    }
    if (queue == Queue::kSuspendedByProgram) suspended_ns_ += looked_ns;
    if (queue == Queue::kOpen || queue == Queue::kInCopy) stuck_ns_ += looked_ns;
    if (queue == Queue::kInCopy) return stuck_ns_ >= kInCopyNs ? Patience::kDeviceStuck : Patience::kLeft;
    if (queue == Queue::kOpen && stuck_ns_ >= std::max(kStuckNs, kStuckCommands * command_ns))
        return Patience::kDeviceStuck;
    return suspended_ns_ < kOwnSuspensionNs ? Patience::kLeft : Patience::kOwnSuspension;
}

bool RoomWait::completes_now() const { return seen_ns_ - progress_ns_ < kCompletesNowNs; }

}  // namespace xsched::queue
