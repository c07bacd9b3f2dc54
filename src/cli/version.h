// The version of this xcli. Any thread.
#pragma once

#include <string>

namespace xsched::cli {

// Returns "xcli 1.2.3 (commit 0123456789, changed)"; without the commit if the sources came without their history.
std::string version_text();

}  // namespace xsched::cli
