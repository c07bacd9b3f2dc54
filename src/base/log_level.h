// How urgent a log line is. Any thread.
#pragma once

namespace xsched::base {

enum class LogLevel : int { kDebug = 0, kInfo = 1, kWarn = 2, kError = 3 };

}  // namespace xsched::base
