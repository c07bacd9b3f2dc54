// Which xcli this is. Any thread.
#pragma once

#include <string>

namespace xsched::cli {

// "xcli 1.2.3 (commit 0123456789, changed)"; without a commit where the sources came without their history.
std::string version_text();

}  // namespace xsched::cli
