// Labels that stand in files of the machine: the names of a pod and its container, a device's address and UUID.
// One thread at a time.
#pragma once

#include <map>
#include <string>

#include "cli/metrics/group_labels.h"

namespace xsched::cli {

class LabelSources {
public:
    // `root`: the folder in which the files of the machine are, without a slash at its end.
    explicit LabelSources(const std::string& root = "");

    // Returns all labels that come from the control group.
    Labels of_group(const std::string& path) const;
    // `device`: the identifier in the server's answers, for example "GPU:3b0000". Returns nothing for a device that has
    // no PCI address on this machine.
    Labels of_device(const std::string& device) const;

private:
    std::string root_;
    std::map<std::string, Labels> containers_;  // names, by container
};

}  // namespace xsched::cli
