// The administrator's words in plugstack.conf: ceilings for all jobs, for those of a partition and of a QOS. Any
// thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace xsched::slurm {

class Ceilings {
public:
    // Takes one word: "highest-priority=20", "partition/urgent:highest-priority=100", "qos/batch:device-limit=50",
    // "xcli=PATH", "scontrol=PATH". Returns "", or a sentence for the administrator.
    std::string take(const std::string& word);
    // Returns the settings of a job's control group, as `xcli limit` takes them: "GROUP:highest-priority=100". A QOS
    // comes before a partition, and that before all jobs.
    std::vector<std::string> settings(const std::string& group, const std::string& partition,
                                      const std::string& qos) const;
    // Returns the settings that take them back.
    static std::vector<std::string> none(const std::string& group);
    bool any() const { return !by_subject_.empty(); }
    const std::string& xcli() const { return paths_.at("xcli"); }
    const std::string& scontrol() const { return paths_.at("scontrol"); }

private:
    // The ceilings: by subject ("", "partition/NAME" or "qos/NAME") and by name ("highest-priority") the value as
    // text.
    std::map<std::string, std::map<std::string, std::string>> by_subject_;
    std::map<std::string, std::string> paths_ = {{"xcli", "/usr/bin/xcli"}, {"scontrol", "/usr/bin/scontrol"}};
};

}  // namespace xsched::slurm
