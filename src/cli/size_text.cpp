#include "cli/size_text.h"

namespace xsched::cli {

std::string short_size(uint64_t bytes) {
    return bytes == 0 ? "-" : base::rounded_size(bytes, "", {"K", "M", "G", "T", "P"});
}

}  // namespace xsched::cli
