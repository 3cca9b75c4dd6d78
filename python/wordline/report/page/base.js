// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// Elements, and numbers as people read them. Text of a run becomes text nodes only, never markup.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const content = document.getElementById('content');

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on'))
      made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

const NONE = '–';

function grouped(value, most = 0) {
  return value.toLocaleString('en-US', {maximumFractionDigits: most});
}

// Three significant digits, but whole numbers from 1,000 on.
function number(value) {
  if (value === null || value === undefined) return NONE;
  if (Math.abs(value) >= 1000 || Number.isInteger(value)) return grouped(value);
  return value.toLocaleString('en-US', {maximumSignificantDigits: 3});
}

function scaled(value, units) {
  if (value === null || value === undefined) return NONE;
  const [size, unit] = units.find(([least]) => Math.abs(value) >= least) || units[units.length - 1];
  const shown = value / size;
  return `${shown.toLocaleString('en-US', shown >= 1000 ? {maximumFractionDigits: 0} : {
    maximumSignificantDigits: 4
  })} ${unit}`;
}

const TIMES = [[1e12, 's'], [1e9, 'ms'], [1e6, 'µs'], [1e3, 'ns'], [1, 'ps']];
const ENERGIES = [[1e12, 'J'], [1e9, 'mJ'], [1e6, 'µJ'], [1e3, 'nJ'], [1, 'pJ']];
const BYTES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];
const time = (ps) => scaled(ps, TIMES);
const energy = (pj) => scaled(pj, ENERGIES);
const bytes = (count) => scaled(count, BYTES);
const rate = (bytesPerSecond) => `${number(bytesPerSecond / 1e6)} MB/s`;
// With a decimal where the whole number would say too little: 0.4 %, 99.6 %.
function percent(share) {
  if (share === null || share === undefined) return NONE;
  if (share > 0 && share < 0.0005) return '< 0.1 %';
  const decimals = (share > 0 && share < 0.0995) || (share > 0.99 && share < 1) ? 1 : 0;
  return `${(100 * share).toFixed(decimals)} %`;
}

// The unit in which all of these times are read on one axis.
function axisUnit(values, units = TIMES) {
  const most = Math.max(0, ...values);
  return units.find(([least]) => most >= least) || units[units.length - 1];
}

function section(id, title, ...children) {
  const made = el('section', {id, 'aria-labelledby': `${id}-title`}, el('h2', {id: `${id}-title`}, title), children);
  document.getElementById('contents').append(el('a', {href: `#${id}`}, title));
  content.append(made);
  return made;
}

const absent = (...text) => el('p', {class: 'absent'}, ...text);
const code = (text) => el('code', {}, text);
const tile = (title, value, note = '') =>
    el('div', {class: 'tile'}, el('span', {}, title), el('b', {}, value), el('span', {}, note));

// A table without sorting: `columns` are [title, is a number].
function plainTable(columns, rows) {
  const cell = (tag, value, isNumber) =>
      el(tag, {class: isNumber ? 'number' : null, scope: tag === 'th' ? 'col' : null}, value);
  return el(
      'div', {class: 'wide'},
      el('table', {}, el('thead', {}, el('tr', {}, columns.map(([title, isNumber]) => cell('th', title, isNumber)))),
         el('tbody', {}, rows.map((row) => el('tr', {}, row.map((value, at) => cell('td', value, columns[at][1])))))));
}

// Enter and space do what a click does.
function opens(row, action) {
  row.classList.add('opens');
  row.tabIndex = 0;
  row.addEventListener('click', (event) => {
    if (!event.target.closest('a, input, select')) action();
  });
  row.addEventListener('keydown', (event) => {
    if (event.target !== row || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    action();
  });
}
