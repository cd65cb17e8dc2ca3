"use strict";

// The controls above the list.

function makeFilters(report, list) {
  const place = document.getElementById("filters");

  function labelled(text, control) {
    return element("label", {}, element("span", {}, text), control);
  }

  function select(text, key, options, changes = (value) => ({ [key]: value })) {
    const control = element(
      "select",
      { name: key },
      ...options.map(([value, label]) => element("option", { value }, label)),
    );
    control.addEventListener("change", () => list.choose(changes(control.value)));
    return labelled(text, control);
  }

  function bound(text, key) {
    const control = element("input", { name: key, type: "number", step: "any", inputmode: "decimal" });
    control.addEventListener("input", () => {
      list.choose({ [key]: control.value === "" ? null : Number(control.value) });
    });
    return labelled(text, control);
  }

  function all(values) {
    return [["", "all"], ...values.map((value) => [value, value])];
  }

  function draw() {
    const distinct = (values) => [...new Set(values)];
    const search = element("input", { name: "search", type: "search", autocomplete: "off", spellcheck: "false" });
    search.addEventListener("input", () => list.choose({ search: search.value.trim().toLowerCase() }));
    const categories = distinct(report.questions.map((q) => q.category)).sort((a, b) => a - b);
    const clear = button("Clear", () => {
      draw();
      list.clear();
      place.querySelector("[name=search]").focus();
    });
    place.replaceChildren(
      labelled(report.no_text ? "Search ids" : "Search ids, questions, golds, predictions", search),
      select("Category", "category", [
        ["", "all"],
        ...categories.map((number) => [String(number), categoryName(report, number)]),
      ]),
      select("Conversation", "conversation", all(distinct(report.questions.map((q) => q.conversation)))),
      select("State", "state", all(distinct(report.questions.flatMap(statesOf)))),
      ...(report.runs.length > 1
        ? [select("Change", "change", [["", "all"], ...CHANGES.map(({ key, label }) => [key, label])])]
        : []),
      ...(report.metrics.length
        ? [
            select(
              "Score",
              "metric",
              report.metrics.map(({ name }, index) => [String(index), name]),
              (value) => ({ metric: Number(value) }),
            ),
            bound("Score from", "low"),
            bound("Score to", "high"),
          ]
        : []),
      clear,
    );
    place.hidden = false;
  }

  draw();
}
