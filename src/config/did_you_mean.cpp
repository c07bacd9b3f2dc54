#include "config/did_you_mean.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace xsched::config {
namespace {

// Returns the edit distance: how many letters must be changed, removed, inserted or swapped with the next one.
size_t distance(const std::string& one, const std::string& other) {
    std::vector<size_t> before(other.size() + 1);
    std::vector<size_t> last(other.size() + 1);
    std::iota(last.begin(), last.end(), size_t{0});
    for (size_t i = 1; i <= one.size(); ++i) {
        std::vector<size_t> row(other.size() + 1, i);
        for (size_t j = 1; j <= other.size(); ++j) {
            const size_t changed = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
            row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, std::move(row));
    }
    return last.back();
}

}  // namespace

std::string nearest(const std::vector<std::string>& known, const std::string& word) {
    const auto begins = [&word](const std::string& one) { return !word.empty() && one.rfind(word, 0) == 0; };
    if (std::count_if(known.begin(), known.end(), begins) == 1)  // the begin of one name alone
        return *std::find_if(known.begin(), known.end(), begins);
    std::string best;
    size_t least = SIZE_MAX;
    for (const std::string& one : known) {
        const size_t how_far = distance(one, word);
        if (how_far < least) best = one;
        least = std::min(least, how_far);
    }
    return least * 3 <= std::max(best.size(), word.size()) ? best : "";
}

std::string meant(const std::vector<std::string>& known, const std::string& word) {
    const std::string best = nearest(known, word);
    return best.empty() ? "" : " (did you mean \"" + best + "\"?)";
}

}  // namespace xsched::config
