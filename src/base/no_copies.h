// A base class that forbids copies: for guards, and for objects that a thread or a driver knows by address.
#pragma once

namespace xsched::base {

class NoCopies {
public:
    NoCopies(const NoCopies&) = delete;
    NoCopies& operator=(const NoCopies&) = delete;

protected:
    NoCopies() = default;
    ~NoCopies() = default;
};

}  // namespace xsched::base
