#include "policy/note.h"

#include <cstdio>
#include <string>

#include "base/text.h"

namespace xsched::policy {

namespace {

struct NoteInfo {
    NoteCode code;
    bool warns;
};
constexpr NoteInfo kNotes[] = {
#define XSCHED_NOTE(name, number, warns, first, second, sentence) {NoteCode::name, warns},
#include "policy/note.def"
#undef XSCHED_NOTE
};

enum class Told { kCount, kLength };

std::string number_text(int64_t number, Told as) {
    return as == Told::kLength ? base::length_text(static_cast<double>(number) / 1e3) : std::to_string(number);
}

}  // namespace

bool note_warns(NoteCode code) {
    for (const NoteInfo& note : kNotes)
        if (note.code == code) return note.warns;
    return false;
}

const char* write_note(const Note& note, char* text, size_t size) {
    if (size == 0) return "";
    text[0] = '\0';
    const auto write = [&](Told first, Told second, const char* sentence) {
        snprintf(text, size, sentence, number_text(note.first, first).c_str(),
                 number_text(note.second, second).c_str());
    };
    switch (note.code) {
#define XSCHED_NOTE(name, number, warns, first, second, sentence) \
    case NoteCode::name: write(Told::first, Told::second, sentence); break;
#include "policy/note.def"
#undef XSCHED_NOTE
        default: break;
    }
    return text;
}

}  // namespace xsched::policy
