#include "cli/time_text.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "base/clock.h"
#include "cli/server_link.h"
#include "console/checks.h"

namespace xsched::cli {

int64_t time_ns(const std::string& text, const std::string& what) {
    constexpr double kDayNs = 24 * 3600 * 1e9;
    char* end = nullptr;
    const double number = strtod(text.c_str(), &end);
    const std::string unit = end;
    if (end != text.c_str() && unit.empty())
        throw Failure("\"" + text + "\" has no unit: say " + text + "s or " + text + "ms");
    const double each = console::ns_of_unit(unit);
    if (end == text.c_str() || each == 0 || !(number * each >= 1) || number * each > kDayNs)
        throw Failure("\"" + text + "\" is no time " + what + ": say 10s, 500ms, 2m or 24h, a day at most");
    return static_cast<int64_t>(number * each);
}

int64_t interval_in_ns(const std::string& text) {
    constexpr int64_t kLeastNs = 50 * base::kMillisecond, kMostNs = 3600 * base::kSecond;
    char* end = nullptr;
    const double seconds = strtod(text.c_str(), &end);  // a number alone
    const bool is_alone = end != text.c_str() && *end == '\0';
    const int64_t ns = is_alone ? static_cast<int64_t>(std::clamp(seconds, 0.0, 1e6) * base::kSecond)
                                : time_ns(text, "between two looks");
    if (ns < kLeastNs || ns > kMostNs) throw Failure("\"" + text + "\" is not from 50ms to 1h");
    return ns;
}

std::string utc_now(const char* format) {
    const time_t now = time(nullptr);
    tm parts{};
    gmtime_r(&now, &parts);
    char text[64];
    strftime(text, sizeof text, format, &parts);
    return text;
}

}  // namespace xsched::cli
