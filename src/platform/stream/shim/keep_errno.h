// Keeps errno as a call of the driver left it, so that the program finds the driver's value.
#pragma once

#include <cerrno>

#include "base/no_copies.h"

namespace xsched::stream {

class KeepErrno : base::NoCopies {
public:
    KeepErrno() : saved_(errno) {}
    ~KeepErrno() { errno = saved_; }

private:
    const int saved_;
};

}  // namespace xsched::stream
