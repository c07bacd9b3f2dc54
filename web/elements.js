// Elements of the page: made, and changed in place so that the focus stays where it is.
export const find = (id) => document.getElementById(id);

export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// The address of a program's own page; of all programs for null.
export function addressOf(pid) {
  const query = new URLSearchParams(location.search);
  query.delete("program");
  if (pid !== null) query.set("program", pid);
  return `${location.pathname}${query.size ? `?${query}` : ""}`;
}

// A link to a program's own page. page.js goes there without loading anything.
export function programLink(pid, text, className = "") {
  const link = make("a", className, text);
  link.href = addressOf(pid);
  link.dataset.pid = pid;
  return link;
}

function fillCell(cell, content) {
  const {text, pid} = typeof content === "object" ? content : {text: content, pid: null};
  const link = cell.querySelector("a");
  if (pid && link && link.dataset.pid === String(pid)) return setText(link, text);
  if (pid) return cell.replaceChildren(programLink(pid, text));
  setText(cell, text);
}

// `rows`: for each the contents of its cells, a text or {text, pid}. A cell has its column's heading as its label.
export function fillTable(table, rows) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((contents, at) => {
    const row = body.rows[at] ?? body.insertRow();
    headings.forEach((heading, column) => {
      const cell = row.cells[column] ?? row.insertCell();
      cell.className = heading.className;
      cell.dataset.label = heading.textContent;
      fillCell(cell, contents[column]);
    });
  });
  table.hidden = rows.length === 0;
}

// `pairs`: [name, text] for a description list; without a text the pair is left out.
export function fillList(list, pairs) {
  const told = pairs.filter(([, text]) => text);
  while (list.children.length > told.length) list.lastChild.remove();
  told.forEach(([name, text], at) => {
    if (!list.children[at]) {
      list.append(make("div"));
      list.children[at].append(make("dt"), make("dd"));
    }
    const [term, about] = list.children[at].children;
    setText(term, name);
    setText(about, text);
  });
}
