"use strict";

// Data reaches the page as text nodes and attribute values only, never as markup.

const NOTHING = "–";

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Text of the data: its own direction, whatever surrounds it.
function words(text, tag = "span", attributes = {}) {
  return element(tag, { dir: "auto", ...attributes }, text);
}

function button(text, action, attributes = {}) {
  const node = element("button", { type: "button", ...attributes }, text);
  node.addEventListener("click", action);
  return node;
}

function fixed(value, decimals) {
  if (value === null || value === undefined) return NOTHING;
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function signed(value, decimals) {
  const text = fixed(value, decimals);
  return value > 0 && Number(text) > 0 ? `+${text}` : text;
}

function duration(ms) {
  if (ms === null || ms === undefined) return NOTHING;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(2)} ms`;
}

function whole(count) {
  if (count === null || count === undefined) return NOTHING;
  return count.toLocaleString("en");
}

// Search and answer together, where both were measured.
function totalTime(answer) {
  if (!answer || answer.search_ms === null || answer.answer_ms === null) return null;
  return answer.search_ms + answer.answer_ms;
}

function categoryName(report, number) {
  const found = report.categories.find(([known]) => known === number);
  return `${found ? found[1] : "category"} (${number})`;
}

function linkTo(question) {
  return `#q=${encodeURIComponent(question.id).replaceAll("%3A", ":")}`;
}
