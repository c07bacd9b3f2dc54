// Suggests the word that a person probably meant to write. For tools and servers; no library in a guest includes it.
// Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace xsched::base {

// Returns the edit distance: how many letters must be changed, removed, inserted or swapped with the next one. Capitals
// count as small letters.
inline size_t distance(const std::string& one, const std::string& other) {
    std::vector<size_t> before(other.size() + 1);
    std::vector<size_t> last(other.size() + 1);
    std::iota(last.begin(), last.end(), size_t{0});
    const auto same = [&](size_t i, size_t j) { return lower(one[i - 1]) == lower(other[j - 1]); };
    for (size_t i = 1; i <= one.size(); ++i) {
        std::vector<size_t> row(other.size() + 1, i);
        for (size_t j = 1; j <= other.size(); ++j) {
            row[j] = std::min({last[j - 1] + (same(i, j) ? 0 : 1), last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, std::move(row));
    }
    return last.back();
}

// Returns the word of `known` that is nearest to `word` if at most a third of its letters differ, otherwise "".
inline std::string nearest(const std::vector<std::string>& known, const std::string& word) {
    const auto begins = [&word](const std::string& one) {
        return !word.empty() && one.size() >= word.size() && distance(one.substr(0, word.size()), word) == 0;
    };
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

// Returns, for example, " (did you mean \"status\"?)", or "".
inline std::string meant(const std::vector<std::string>& known, const std::string& word) {
    const std::string best = nearest(known, word);
    return best.empty() ? "" : " (did you mean \"" + best + "\"?)";
}

// Returns, for example, " (did you mean \"share\"?): use one of clients, share", to be written behind the wrong word.
inline std::string instead(const std::vector<std::string>& known, const std::string& word) {
    std::string text = meant(known, word) + ": use one of ";
    for (const std::string& one : known) text += (&one == &known.front() ? "" : ", ") + one;
    return text;
}

}  // namespace xsched::base
