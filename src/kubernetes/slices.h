// This node's ResourceSlice at the API server. One thread.
#pragma once

#include <string>

#include "kubernetes/api_server.h"

namespace xsched::kubernetes {

class Slices {
public:
    Slices(const ApiServer& server, std::string node) : server_(server), node_(std::move(node)) {}

    // Makes the API server's slice of this node that of these devices. Throws ApiError.
    void publish(const Json& devices);

private:
    Json spec(const Json& devices, int64_t generation) const;
    Json owner() const;
    Json listed() const;

    const ApiServer& server_;
    std::string node_;
    Json devices_;         // as they were published last
    std::string version_;  // of the slice that this has made
};

}  // namespace xsched::kubernetes
