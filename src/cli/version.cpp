#include "cli/version.h"

#include "commit.h"

namespace xsched::cli {

std::string version_text() {
    const std::string commit = XSCHED_COMMIT;
    return "xcli " XSCHED_VERSION + (commit.empty() ? "" : " (commit " + commit + ")");
}

}  // namespace xsched::cli
