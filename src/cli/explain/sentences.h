// The sentences of xcli explain about a program: the server's facts ("programs", server/tools/tool_programs.cpp) in
// words that a person can act on. Pure; any thread.
#pragma once

#include <string>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// `program`: one of answer["programs"]; the others are looked at for who is there beside it.
Explained explain(const Json& answer, const Json& program);
std::string explained_text(const Json& program, const Explained& explained);
Json explained_json(const Json& program, const Explained& explained);
// "server_is_new": for JSON.
const char* finding_word(WhySlow finding);

}  // namespace xsched::cli
