// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// Builds the page of its kind. Of the root element, `data-text` is when text and tables were there, in ms since the
// page was opened, and `data-ready` when the charts in the window were; an error is shown, not swallowed.

function failed(reason) {
  const place = document.getElementById('failure');
  place.hidden = false;
  place.textContent = `This page could not be drawn in full: ${reason}`;
  document.documentElement.dataset.failed = 'yes';
}
window.addEventListener('error', (event) => failed(event.message));
window.addEventListener('unhandledrejection', (event) => failed(event.reason));

document.getElementById('theme').addEventListener('click', () => setTheme(theme === 'dark' ? 'light' : 'dark'));
setTheme(chosenTheme());
({run: runPage, explore: explorePage, reproduce: reproducePage, diff: diffPage})[data.kind]();
const root = document.documentElement;
root.dataset.text = Math.round(performance.now());
watch(content);
requestAnimationFrame(
    () => setTimeout(async () => {
      try {
        await loadPlotly();
        figuresIn(content).filter((made) => made.getBoundingClientRect().top < innerHeight).forEach(show);
      } catch (error) {
        failed(error.message);
      }
      root.dataset.charts = document.querySelectorAll('.js-plotly-plot .main-svg').length > 0 ? drawn.size : 0;
      root.dataset.ready = Math.round(performance.now());
    }));

let onScreen = null;
window.addEventListener('beforeprint', () => {
  onScreen = theme;
  document.querySelectorAll('details.numbers').forEach((part) => {
    part.open = true;
  });
  root.dataset.printing = 'yes';  // the width of paper, so that charts are drawn for it
  setTheme('light');
  showAll(content);
});
window.addEventListener('afterprint', () => {
  delete root.dataset.printing;
  setTheme(onScreen);
});
