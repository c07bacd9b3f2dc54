// The HTTP API of xcli web. The token comes with each request and is in no address and no cookie: it arrives behind
// '#', which browsers do not send, and is kept for this tab alone.
const KEPT = "xsched-token";

function takeToken() {
  const found = /[#&]token=([^&]+)/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(KEPT, decodeURIComponent(found[1]));
  history.replaceState(null, "", location.pathname + location.search);
}
takeToken();

export function keepToken(token) {
  sessionStorage.setItem(KEPT, token.trim());
}

function headers() {
  const token = sessionStorage.getItem(KEPT);
  return token ? {Authorization: `Bearer ${token}`} : {};
}

// An Error whose message is a sentence for the user, and whose status is HTTP's.
function failure(sentence, status) {
  const error = new Error(sentence);
  error.status = status;
  return error;
}

async function answerOf(response) {
  let answer = null;
  try {
    answer = await response.json();
  } catch {
    throw failure(`xcli web answers with status ${response.status} and no JSON`, response.status);
  }
  if (!answer.ok) throw failure(answer.error, response.status);
  return answer;
}

export async function get(path) {
  return answerOf(await fetch(`/api/v1/${path}`, {headers: headers()}));
}

export async function send(method, path, body) {
  const request = {method, headers: {...headers(), "Content-Type": "application/json"}, body: JSON.stringify(body)};
  return answerOf(await fetch(`/api/v1/${path}`, request));
}

function tellEvent(text, handlers) {
  let name = "message";
  let data = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (data && handlers[name]) handlers[name](JSON.parse(data));
}

// Calls handlers.NAME(data) for each event until the stream ends; then it throws.
export async function follow(hz, handlers) {
  const response = await fetch(`/api/v1/live?hz=${hz}`, {headers: headers()});
  if (!response.ok) await answerOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const {value, done} = await reader.read();
    if (done) throw failure("xcli web went away: start it again", 0);
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      tellEvent(text.slice(0, end), handlers);
      text = text.slice(end + 2);
    }
  }
}
