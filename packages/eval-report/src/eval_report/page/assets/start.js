"use strict";

// Decode the data, then let the address decide which question is open.

async function decode(encoded) {
  const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

// undefined without a question in the address
function questionInAddress() {
  if (!location.hash.startsWith("#q=")) return undefined;
  try {
    return decodeURIComponent(location.hash.slice(3));
  } catch {
    return "";
  }
}

function follow(report, list, detail) {
  const known = new Map(report.questions.map((question) => [question.id, question]));
  const address = () => known.get(questionInAddress());
  let last = null;
  let cameFromList = false;
  let closing = false;

  function sync() {
    const question = address();
    if (question) {
      detail.show(question);
      last = question;
    } else if (detail.dialog.open) {
      detail.dialog.close();
    }
    if (!question && questionInAddress() !== undefined) {
      document.getElementById("status").textContent =
        `This page has no question ${questionInAddress()}`;
    }
  }

  window.addEventListener("hashchange", () => {
    const returned = closing && questionInAddress() === undefined;
    closing = false;
    if (returned) {
      // going back has moved the focus
      list.focus(last);
      return;
    }
    if (!detail.dialog.open) cameFromList = true;
    sync();
  });
  detail.dialog.addEventListener("close", () => {
    if (questionInAddress() !== undefined) {
      // undo the entry that opening made; an address typed or shared made none
      closing = cameFromList;
      if (cameFromList) history.back();
      else history.replaceState(null, "", "#questions");
    }
    cameFromList = false;
    list.focus(last);
  });
  sync();
}

async function start() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser cannot unpack them (it lacks DecompressionStream)");
  }
  const report = await decode(document.getElementById("data").textContent);
  const list = makeList(report);
  makeFilters(report, list);
  list.clear();
  follow(report, list, makeDetail(report, list));
}

start().catch((error) => {
  const status = document.getElementById("status");
  status.className = "problem";
  status.textContent =
    `The list of questions cannot be shown: ${error.message}. ` +
    "Open this file in a current browser; everything above is complete.";
});
