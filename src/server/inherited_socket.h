// Sockets that the service manager has opened for this process (systemd's socket units, sd_listen_fds(3)).
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace xsched::server {

// Returns the listening socket of this path, once; none if the manager has not opened it.
base::UniqueFd inherited_socket(const std::string& path);

}  // namespace xsched::server
