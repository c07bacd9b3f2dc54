// The HTTP API of xcli web. The token comes with each request and is in no address and no cookie: it arrives behind
// '#', which browsers do not send, and is kept for this tab alone. Before each request with the token, what listens
// there shows that it knows the token (src/cli/web/http_proof.h): another user may have taken the port meanwhile.
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

// An Error whose message is a sentence for the user, and whose status is HTTP's.
function failure(sentence, status) {
  const error = new Error(sentence);
  error.status = status;
  return error;
}

// Judgement: the stream tells something each second, and a server that is busy answers within one.
const SILENT_MS = 5000;

// As fetch; an Error of it is a sentence.
async function ask(path, given) {
  try {
    return await fetch(`/api/v1/${path}`, given);
  } catch {
    throw failure("xcli web does not answer: start it again", 0);
  }
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

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function proofOf(token, nonce) {
  const text = new TextEncoder();
  const kind = {name: "HMAC", hash: "SHA-256"};
  const key = await crypto.subtle.importKey("raw", text.encode(token), kind, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, text.encode(`xsched-proof:${nonce}`)));
}

// Only a server that knows the token already is told it. Without a token there is nothing to lose.
async function headers(signal) {
  const token = sessionStorage.getItem(KEPT);
  if (!token) return {};
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const {proof} = await answerOf(await ask(`proof?nonce=${nonce}`, {signal}));
  if (proof !== await proofOf(token, nonce))
    throw failure("what listens here does not know the token: it is another user's, or xcli web was started again", 401);
  return {Authorization: `Bearer ${token}`};
}

export async function get(path) {
  return answerOf(await ask(path, {headers: await headers()}));
}

export async function send(method, path, body) {
  const given = {...await headers(), "Content-Type": "application/json"};
  return answerOf(await ask(path, {method, headers: given, body: JSON.stringify(body)}));
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

// Calls handlers.NAME(data) for each event until the stream ends; then it throws. Calls heard() whenever something has
// come.
async function followUntil(signal, heard, hz, handlers) {
  const response = await ask(`live?hz=${hz}`, {headers: await headers(signal), signal});
  if (!response.ok) await answerOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const {value, done} = await reader.read().catch(() => ({done: true}));
    if (done) throw failure("xcli web went away: start it again", 0);
    heard();
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      tellEvent(text.slice(0, end), handlers);
      text = text.slice(end + 2);
    }
  }
}

// Follows a stream until it ends or stays silent: a tunnel that leads nowhere may answer nothing, not even an error.
async function follow(hz, handlers) {
  const silent = new AbortController();
  let timer = 0;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENT_MS);
  };
  heard();
  try {
    await followUntil(silent.signal, heard, hz, handlers);
  } catch (error) {
    if (!silent.signal.aborted) throw error;
    throw failure(`no answer for ${SILENT_MS / 1000} s: is xcli web stopped, or the tunnel to it broken?`, 0);
  } finally {
    clearTimeout(timer);
  }
}

// Follows the stream, and once more a second after each end. handlers.away({error}) is told of the end. Returns the
// sentence of why another token is needed.
export async function followForEver(hz, handlers) {
  for (;;) {
    try {
      await follow(hz, handlers);
    } catch (error) {
      if (error.status === 401) return error.message;
      handlers.away({error: error.message});
    }
    await new Promise((done) => { setTimeout(done, 1000); });
  }
}
