"use strict";

// One question in a dialog: both what was asked and what each run made of it.

function makeDetail(report, list) {
  const dialog = document.getElementById("detail");
  const two = report.runs.length > 1;

  function facts(pairs) {
    return element(
      "dl",
      { class: "facts" },
      ...pairs.map(([name, value]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, value)),
      ),
    );
  }

  function passage(name, text) {
    const body = text === null ? element("p", { class: "none" }, "none") : words(text, "p", { class: "passage" });
    return element("div", { class: "part" }, element("h3", {}, name), body);
  }

  function verdict({ status, score, label, explanation }) {
    const head = element("p", { class: "item-head" }, element("b", {}, score === null ? NOTHING : String(score)));
    if (label) head.append(words(label));
    if (status !== "ok") head.append(words(status, "span", { class: "bad" }));
    return element("li", {}, head, report.no_text ? null : words(explanation, "p", { class: "passage" }));
  }

  function judgement({ protocol, verdicts }) {
    const failed = verdicts.filter(({ score }) => score === null).length;
    const count = `${whole(verdicts.length)} judge runs, ${whole(failed)} without a score`;
    return element(
      "div",
      { class: "part" },
      element("h3", {}, "Verdicts, protocol ", words(protocol)),
      element("p", { class: "quiet" }, count),
      element("ol", { class: "items" }, ...verdicts.map(verdict)),
    );
  }

  function hit(answer, number, place) {
    const [id, date, text] = report.hits[number];
    const evidence = answer.evidence[place];
    const head = element("p", { class: "item-head" }, words(id, "b"));
    if (date) head.append(words(date));
    if (answer.hit_scores && answer.hit_scores[place] !== null) {
      head.append(element("span", {}, `score ${answer.hit_scores[place].toPrecision(4)}`));
    }
    if (evidence) head.append(element("mark", {}, "✓ evidence"));
    return element(
      "li",
      { class: evidence ? "evidence" : null },
      head,
      report.no_text ? null : words(text, "p", { class: "passage" }),
    );
  }

  function hits(answer) {
    const found = answer.evidence.filter((flag) => flag === true).length;
    const known = answer.evidence.some((flag) => flag !== null);
    const count = `${whole(answer.hits.length)} in all, ${known ? `${whole(found)} marked as evidence` : "evidence not known"}`;
    return element(
      "div",
      { class: "part" },
      element("h3", {}, "Hits"),
      element("p", { class: "quiet" }, answer.hits.length ? count : "none"),
      element("ol", { class: "items" }, ...answer.hits.map((number, place) => hit(answer, number, place))),
    );
  }

  function outcome(answer, name) {
    const heading = two ? [words(name, "h3", { class: "run" })] : [];
    if (!answer) return element("section", {}, ...heading, element("p", {}, "Not asked in this run."));
    const scores = report.metrics.map((metric, index) => [
      metric.name,
      fixed(answer.scores[index], metric.decimals),
    ]);
    return element(
      "section",
      {},
      ...heading,
      report.no_text ? null : passage("Prediction", answer.prediction),
      facts([
        ["State", answer.reason ? `${answer.state}: ${answer.reason}` : answer.state],
        ...scores,
        ["Search", duration(answer.search_ms)],
        ["Answer", duration(answer.answer_ms)],
        ["Total", duration(totalTime(answer))],
        ["Tokens in", whole(answer.input_tokens)],
        ["Tokens out", whole(answer.output_tokens)],
      ]),
      ...answer.judgements.map(judgement),
      hits(answer),
    );
  }

  function step(text, question) {
    const go = () => location.replace(linkTo(question));
    return button(text, go, { disabled: question ? null : "" });
  }

  function show(question) {
    const [previous, next] = list.neighbours(question);
    const heading = words(question.id, "h2", { id: "detail-heading", tabindex: "-1" });
    dialog.replaceChildren(
      element(
        "header",
        {},
        heading,
        step("Previous", previous),
        step("Next", next),
        button("Close", () => dialog.close(), { class: "close" }),
      ),
      element("p", { class: "quiet" }, words(`${question.conversation} · ${categoryName(report, question.category)}`)),
      ...(question.note ? [words(question.note, "p", { class: "problem" })] : []),
      ...(report.no_text
        ? [element("p", { class: "quiet" }, "This page leaves the texts of questions, answers and hits out.")]
        : [passage("Question", question.question), passage("Gold", question.gold)]),
      facts([["Evidence", words(question.evidence.join(", ") || "none named")]]),
      element(
        "div",
        { class: two ? "answers two" : "answers" },
        ...question.answers.map((answer, run) => outcome(answer, `${"AB"[run]}: ${report.runs[run]}`)),
      ),
    );
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    heading.focus();
  }

  return { dialog, show };
}
