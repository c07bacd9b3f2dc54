#include "base/log.h"
#include "fuzz/target.h"

namespace xsched::fuzz {

void silence_log() {
    base::set_log_level(base::LogLevel::kError);
    base::set_log_sink([](const char*, size_t) {});
}

}  // namespace xsched::fuzz
