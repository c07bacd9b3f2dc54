// A base of what there is one of: a guard, something that a thread or a driver knows by its address.
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
