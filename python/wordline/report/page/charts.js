// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// Plotly in the colours of the page. A chart is drawn anew when the theme changes and, in light colours, for print.

// After Okabe and Ito: told apart with any colour vision. Dark paper takes the lighter ones.
const COLOURS = {
  light: {
    ink: '#1b222b',
    soft: '#55606e',
    line: '#d4d9e0',
    paper: '#ffffff',
    service: '#0072b2',
    waiting: '#e69f00',
    limit: '#d55e00',
    other: '#009e73',
    faint: '#b9c2cc',
    series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8a6d00', '#56b4e9', '#000000']
  },
  dark: {
    ink: '#e6eaf0',
    soft: '#a5b0bd',
    line: '#38414d',
    paper: '#14181e',
    service: '#56b4e9',
    waiting: '#f0b429',
    limit: '#ff8a4c',
    other: '#3cc79b',
    faint: '#4d5866',
    series: ['#56b4e9', '#ff8a4c', '#3cc79b', '#e3a3c6', '#f0e442', '#8fb8ff', '#ffffff']
  },
};
const OPERATIONS = ['read', 'write', 'trim', 'flush'];
const drawn = new Set();
let theme = 'light';

const colours = () => COLOURS[theme];
const colourOf = (op) => colours().series[Math.max(0, OPERATIONS.indexOf(op))];
// Plotly reads a few tags in labels: text of a run has none.
const plain = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function merged(base, more) {
  const out = {...base};
  for (const [name, value] of Object.entries(more)) {
    const both = value && typeof value === 'object' && !Array.isArray(value) && typeof out[name] === 'object';
    out[name] = both ? merged(out[name], value) : value;
  }
  return out;
}

function layoutOf(own) {
  const c = colours();
  const axis = {
    gridcolor: c.line,
    linecolor: c.soft,
    zerolinecolor: c.line,
    automargin: true,
    title: {standoff: 8},
    fixedrange: false
  };
  const base = {
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    hovermode: 'closest',
    bargap: 0.25,
    font: {family: 'system-ui, "Liberation Sans", "DejaVu Sans", sans-serif', size: 12, color: c.ink},
    margin: {l: 12, r: 16, t: 12, b: 40},
    legend: {orientation: 'h', y: 1.02, yanchor: 'bottom', x: 0},
    hoverlabel: {bgcolor: c.paper, bordercolor: c.soft, font: {color: c.ink}},
    dragmode: 'zoom',
    xaxis: axis,
    yaxis: axis,
  };
  return merged(base, own);
}

const CONFIG = {
  displayModeBar: false,
  responsive: true
};

// How far an axis goes beyond its greatest value for a text of so many pixels to stand there.
const roomFor = (pixels, width) => 1 + pixels / Math.max(80, width - 120 - pixels);

// For paper the size is given: Plotly itself finds the box's new one a moment after the page is printed.
function draw(chart) {
  const {clientWidth: width, clientHeight: height} = chart.box;
  const {data: traces, layout} = chart.make(width);
  const size = 'printing' in document.documentElement.dataset ? {width, height} : {};
  Plotly.react(chart.box, traces, layoutOf({...layout, ...size}), CONFIG);
}

// `make` gets the width in pixels and returns {data, layout}; `click` gets the point that was clicked on. Once the
// figure is in the page, `watch` draws it when it comes near the window, `show` at once.
function figure({title, note = '', height = 320, label = title, make, click = null, half = false}) {
  const box = el('div', {class: 'plot', role: 'img', 'aria-label': label, style: `height:${height}px`});
  const made =
      el('figure', {class: half ? 'half' : null},
         el('figcaption', {}, el('strong', {}, title), note ? el('span', {}, note) : null), box);
  made.chart = {box, make, click};
  return made;
}

const wanted = new Set();  // until Plotly is there

function show(made) {
  if (!made.chart || drawn.has(made.chart)) return;
  if (!window.Plotly) {
    wanted.add(made);
    return;
  }
  const {chart} = made;
  drawn.add(chart);
  draw(chart);
  if (chart.click) chart.box.on('plotly_click', (event) => chart.click(event.points[0]));
}

const near = new IntersectionObserver(
    (seen) => seen.forEach(({isIntersecting, target}) => {
      if (!isIntersecting) return;
      near.unobserve(target);
      show(target);
    }),
    {rootMargin: '300px'});

const figuresIn = (root) => [...root.querySelectorAll('figure')].filter((made) => made.chart);
const watch = (root) => figuresIn(root).forEach((made) => near.observe(made));
const showAll = (root) => figuresIn(root).forEach(show);

// Of what is taken out of the page.
function forget(root) {
  figuresIn(root).forEach((made) => {
    near.unobserve(made);
    wanted.delete(made);
    if (drawn.delete(made.chart)) Plotly.purge(made.chart.box);
  });
}

// Plotly is large: text and tables are on the screen before it is unpacked.
async function loadPlotly() {
  if (!window.DecompressionStream) throw new Error('charts need a browser of 2023 or later');
  const letters = atob(document.getElementById('plotly').textContent);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  document.head.append(el('script', {}, await new Response(stream).text()));
  wanted.forEach(show);
  wanted.clear();
}

const redraws = [];

function setTheme(name) {
  theme = name;
  document.documentElement.dataset.theme = name;
  document.getElementById('theme').textContent = name === 'dark' ? 'Light colours' : 'Dark colours';
  drawn.forEach(draw);
  redraws.forEach((redraw) => redraw());
}

function chosenTheme() {
  const asked = location.hash.slice(1);
  if (asked === 'dark' || asked === 'light') return asked;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
