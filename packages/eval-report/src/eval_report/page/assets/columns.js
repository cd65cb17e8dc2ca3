"use strict";

// What the list shows of a question: for each column what it sorts by and prints.

function scoreOf(question, run, metric) {
  return question.answers[run]?.scores[metric] ?? null;
}

// A minus B; null unless both runs have the score
function differenceOf(question, metric) {
  const [a, b] = [scoreOf(question, 0, metric), scoreOf(question, 1, metric)];
  return a === null || b === null ? null : a - b;
}

function statesOf(question) {
  return question.answers.map((answer) => (answer ? answer.state : "not in this run"));
}

function makeColumns(report, metric) {
  const known = report.metrics[metric];
  const score = (run) => (question) => scoreOf(question, run, metric);
  const difference = (question) => differenceOf(question, metric);
  const time = (question) => totalTime(question.answers[0]);

  const plain = (key, label, value, print, number = false) => ({ key, label, value, print, number });
  const text = (key, label, value) => ({ key, label, value, print: null });
  const scores = (key, label, run) =>
    plain(key, label, score(run), (question) => fixed(score(run)(question), known.decimals), true);

  const id = text("id", "Question id", (question) => question.index);
  const category = plain(
    "category",
    "Category",
    (question) => question.category,
    (question) => categoryName(report, question.category),
  );
  const asked = text("question", "Question", (question) => question.question);

  if (report.runs.length === 1) {
    return [
      id,
      category,
      ...(report.no_text
        ? []
        : [
            asked,
            text("gold", "Gold", (question) => question.gold),
            text("prediction", "Prediction", (question) => question.answers[0].prediction),
          ]),
      plain("state", "State", (question) => statesOf(question)[0], (question) => statesOf(question)[0]),
      ...(known ? [scores("score", known.name, 0)] : []),
      plain("time", "Time", time, (question) => duration(time(question)), true),
    ];
  }
  return [
    id,
    category,
    ...(report.no_text
      ? []
      : [
          asked,
          text("prediction-a", "Prediction A", (question) => question.answers[0]?.prediction),
          text("prediction-b", "Prediction B", (question) => question.answers[1]?.prediction),
        ]),
    ...(known
      ? [
          scores("score-a", "A", 0),
          scores("score-b", "B", 1),
          plain("difference", "A − B", difference, (q) => signed(difference(q), known.decimals), true),
        ]
      : []),
  ];
}
