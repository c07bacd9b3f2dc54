// The driver's use of xcli on this node. Any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace xsched::kubernetes {

class NodeTools {
public:
    explicit NodeTools(std::string xcli) : xcli_(std::move(xcli)) {}

    // Changes a limit in the server. Throws std::runtime_error with xcli's sentence.
    void limit(const std::string& setting) const;
    // Writes the CDI file of a device. `words`: more of `xcli container`. Throws likewise.
    void write_cdi(const std::string& file, const std::string& name, const std::string& platform,
                   const std::vector<std::string>& words) const;
    // Returns the number of the server's process; 0: no server answers.
    int64_t server() const;
    // Returns the PCI addresses of devices on which programs have latency targets that cannot be met.
    std::set<std::string> missed_targets() const;

private:
    std::string run(const std::vector<std::string>& words) const;

    std::string xcli_;
};

// Returns the PCI address in a device's identifier: "0000:3b:00.0" for "GPU:3b0000"; "" if it has none.
std::string address_of(const std::string& device);
// Returns the devices with missed targets out of what `xcli list --json` prints.
std::set<std::string> missed_targets_in(const std::string& list);

}  // namespace xsched::kubernetes
