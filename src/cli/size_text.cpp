#include "cli/size_text.h"

#include "config/latency_target.h"

namespace xsched::cli {

std::string few_bytes(const std::string& before, const std::string& number) {
    constexpr size_t kFewDigits = 6;  // less than a megabyte ("judgement": no program has so little device memory)
    if (!config::lacks_unit(number) || number.size() > kFewDigits) return "";
    return before + number + " means " + number + " bytes: say " + number + "GiB or " + number + "MiB";
}

std::string short_size(uint64_t bytes) {
    return bytes == 0 ? "-" : base::rounded_size(bytes, "", {"K", "M", "G", "T", "P"});
}

}  // namespace xsched::cli
