// The claims that are prepared on this node, in files that survive the driver, and what their pods' groups are given.
// One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/claim.h"
#include "kubernetes/json.h"

namespace xsched::kubernetes {

struct PreparedDevice {
    std::string request;
    std::string pool;
    std::string device;
    std::vector<std::string> cdi_names;
    int64_t share = 0;  // percent; 0: none
    int64_t limit = 0;  // likewise
    std::optional<int64_t> most_urgent;
};

struct Prepared {
    std::string space;
    std::string name;
    std::string uid;
    std::vector<PreparedDevice> devices;
    std::map<std::string, std::string> groups;  // control groups by uids of pods; "": it is not known yet

    Json to_json() const;
    static Prepared from_json(const Json& object);
};

class PreparedClaims {
public:
    // Reads the claims of the folder, which is made if it is not there. A file that cannot be read is left out.
    explicit PreparedClaims(std::string folder);
    // Writes the claim's file. Throws std::runtime_error if that fails.
    void keep(const Prepared& claim);
    void forget(const std::string& uid);
    const std::map<std::string, Prepared>& all() const { return claims_; }
    const Prepared* find(const std::string& uid) const;

private:
    std::string file_of(const std::string& uid) const { return folder_ + "/" + uid + ".json"; }

    std::string folder_;
    std::map<std::string, Prepared> claims_;
};

// Writes a file as a whole: readers see the old or the new one. Throws std::runtime_error with a sentence.
void write_file(const std::string& file, const std::string& text);

}  // namespace xsched::kubernetes
