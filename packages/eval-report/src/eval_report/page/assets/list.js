"use strict";

// The list of questions: what is chosen, and one page of rows at a time.

const PAGE_SIZE = 50;

const CHANGES = [
  { key: "a", label: "A better", keeps: (difference) => difference > 0 },
  { key: "b", label: "B better", keeps: (difference) => difference !== null && difference < 0 },
  { key: "same", label: "same score", keeps: (difference) => difference === 0 },
  { key: "open", label: "not scored in both", keeps: (difference) => difference === null },
];

function makeList(report) {
  const two = report.runs.length > 1;
  const collator = new Intl.Collator("en", { numeric: true });
  const start = () => ({
    search: "",
    category: "",
    conversation: "",
    state: "",
    change: "",
    metric: 0,
    low: null,
    high: null,
    sort: two ? "change" : "id",
    descending: two,
    page: 0,
  });
  let chosen = start();
  let columns = [];
  let shown = [];

  report.questions.forEach((question, index) => {
    question.index = index;
    const texts = [question.id, question.question, question.gold];
    for (const answer of question.answers) texts.push(answer?.prediction);
    question.haystack = texts.filter(Boolean).join("\n").toLowerCase();
  });

  function keeps(question) {
    const { search, category, conversation, state, change, metric } = chosen;
    const changed = CHANGES.find(({ key }) => key === change);
    return (
      (search === "" || question.haystack.includes(search)) &&
      (category === "" || String(question.category) === category) &&
      (conversation === "" || question.conversation === conversation) &&
      (state === "" || statesOf(question).includes(state)) &&
      (!changed || changed.keeps(differenceOf(question, metric))) &&
      keepsScore(question)
    );
  }

  function keepsScore(question) {
    const { low, high, metric } = chosen;
    if (low === null && high === null) return true;
    return question.answers.some((_, run) => {
      const value = scoreOf(question, run, metric);
      return value !== null && (low === null || value >= low) && (high === null || value <= high);
    });
  }

  function sortValue() {
    if (chosen.sort !== "change") return columns.find(({ key }) => key === chosen.sort).value;
    return (question) => {
      const difference = differenceOf(question, chosen.metric);
      return difference === null ? null : Math.abs(difference);
    };
  }

  function order(value) {
    const turn = chosen.descending ? -1 : 1;
    return (left, right) => {
      const [a, b] = [value(left) ?? null, value(right) ?? null];
      // what has no value comes last either way
      if (a === null || b === null) return (a === null) - (b === null) || left.index - right.index;
      const ordered = typeof a === "string" ? collator.compare(a, b) : a - b;
      return turn * ordered || left.index - right.index;
    };
  }

  function choose(changes) {
    chosen = { ...chosen, page: 0, ...changes };
    columns = makeColumns(report, chosen.metric);
    shown = report.questions.filter(keeps).sort(order(sortValue()));
    draw();
  }

  function heading({ key, label, number }) {
    const active = chosen.sort === key;
    const sort = () => {
      choose({ sort: key, descending: active && !chosen.descending });
      document.querySelector(`#list [data-key="${key}"]`).focus();
    };
    return element(
      "th",
      {
        scope: "col",
        role: "columnheader",
        class: number ? "number" : null,
        "aria-sort": active ? (chosen.descending ? "descending" : "ascending") : null,
      },
      button(label, sort, { "data-key": key }),
    );
  }

  function cell({ key, label, value, print, number }, question) {
    if (key === "id") {
      const link = words(question.id, "a", { href: linkTo(question) });
      return element("th", { scope: "row", role: "rowheader" }, link);
    }
    const attributes = { role: "cell", "data-label": label, class: number ? "number" : null };
    if (print) return element("td", attributes, print(question));
    return element("td", attributes, words(value(question) ?? NOTHING, "div", { class: "clamp" }));
  }

  function draw() {
    const last = Math.max(Math.ceil(shown.length / PAGE_SIZE) - 1, 0);
    const first = chosen.page * PAGE_SIZE;
    const rows = shown.slice(first, first + PAGE_SIZE);
    const row = (question) =>
      element("tr", { role: "row" }, ...columns.map((column) => cell(column, question)));
    const table = element(
      "table",
      { role: "table", "aria-label": "Questions" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...columns.map(heading))),
      element("tbody", { role: "rowgroup" }, ...rows.map(row)),
    );
    document.getElementById("list").replaceChildren(table);
    const range = rows.length ? `, showing ${whole(first + 1)} to ${whole(first + rows.length)}` : "";
    const largest = chosen.sort === "change" ? ", largest change first" : "";
    document.getElementById("status").textContent =
      `${whole(shown.length)} of ${whole(report.questions.length)} questions${range}${largest}`;
    drawPages(last);
  }

  function drawPages(last) {
    const pages = document.getElementById("pages");
    const turn = (text, page, off) => {
      const go = () => {
        chosen.page = page;
        draw();
        const again = [...pages.children].find((each) => each.textContent === text);
        (again.disabled ? pages.querySelector("button:not(:disabled)") : again).focus();
      };
      return button(text, go, { disabled: off ? "" : null });
    };
    const [atFirst, atLast] = [chosen.page === 0, chosen.page === last];
    pages.hidden = last === 0;
    pages.replaceChildren(
      turn("First", 0, atFirst),
      turn("Previous", chosen.page - 1, atFirst),
      element("span", {}, `Page ${whole(chosen.page + 1)} of ${whole(last + 1)}`),
      turn("Next", chosen.page + 1, atLast),
      turn("Last", last, atLast),
    );
  }

  return {
    choose,
    clear: () => choose(start()),
    neighbours(question) {
      const place = shown.indexOf(question);
      return place < 0 ? [null, null] : [shown[place - 1] ?? null, shown[place + 1] ?? null];
    },
    focus(question) {
      const links = [...document.querySelectorAll("#list tbody a")];
      const link = question && links.find((each) => each.getAttribute("href") === linkTo(question));
      (link ?? document.getElementById("questions-heading")).focus();
    },
  };
}
