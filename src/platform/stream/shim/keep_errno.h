// Keeps errno as a call of the driver left it, so that the program finds the driver's value.
#pragma once

#include <cerrno>

namespace xsched::stream {

class KeepErrno {
public:
    KeepErrno() : saved_(errno) {}
    ~KeepErrno() { errno = saved_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

private:
    const int saved_;
};

}  // namespace xsched::stream
