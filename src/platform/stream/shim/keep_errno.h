// What a program finds in errno after a call of the driver is the driver's.
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
