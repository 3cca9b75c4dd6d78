// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// A table that sorts by a click on a head and filters by the fields below it. What passes is reported, so that charts
// of the same rows follow.

const FIRST_ROWS = 100;
const COMPARISON = /^\s*(<=|>=|<|>|=)?\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*(?:(?:\.\.|to)\s*(-?[\d.]+(?:e[+-]?\d+)?))?\s*$/i;

// What a person writes for numbers: >100, <= 5, 10..20, 7. Null: not understood.
function condition(text) {
  const found = COMPARISON.exec(text.replace(/,/g, ''));
  if (!found) return null;
  const [, sign, first, last] = found;
  const low = Number(first);
  if (last !== undefined) return (value) => value >= low && value <= Number(last);
  return {'<': (v) => v < low, '<=': (v) => v <= low, '>': (v) => v > low, '>=': (v) => v >= low}[sign] ||
      ((v) => v === low);
}

// `columns`: {key, title, of(row) -> value, shown(row) -> text or element, kind: 'number' | 'choice' | 'text' |
// 'none'}. Numbers are filtered as they are shown, so `of` is in the unit of the head.
class Table {
  constructor({columns, rows, open = null, changed = () => {}, id, order = null}) {
    Object.assign(this, {columns, rows, open, changed, order, filters: new Map(), all: false});
    this.body = el('tbody');
    this.count = el('p', {class: 'soft', role: 'status'});
    this.more = el('button', {
      type: 'button',
      class: 'more',
      onclick: () => {
        this.all = true;
        this.fill();
      }
    });
    this.heads = columns.map((column) => this.head(column));
    this.element =
        el('div', {}, this.count,
           el('div', {class: 'wide'},
              el('table', {id},
                 el('thead', {}, el('tr', {}, this.heads),
                    el('tr', {class: 'filters'}, columns.map((column) => el('th', {}, this.field(column)))))),
              this.body),
           this.more);
    this.element.querySelector('table').append(this.body);
    this.apply();
  }

  head(column) {
    const sort = () => {
      this.order = {
        key: column.key,
        down: this.order && this.order.key === column.key ? !this.order.down : column.kind === 'number'
      };
      this.fill();
    };
    return el(
        'th', {scope: 'col', class: column.kind === 'number' ? 'number' : null, 'data-key': column.key},
        column.kind === 'none' ? column.title : el('button', {type: 'button', onclick: sort}, column.title));
  }

  field(column) {
    if (column.kind === 'none') return null;
    const label = `filter ${column.title}`;
    if (column.kind === 'choice') {
      const values = [...new Set(this.rows.map((row) => String(column.of(row))))];
      if (values.length < 2) return null;
      const choice =
          el('select', {
            'aria-label': label,
            'data-filter': column.key,
            onchange: () =>
                this.filter(column.key, choice.value === '' ? null : (row) => String(column.of(row)) === choice.value)
          },
             el('option', {value: ''}, 'all'), values.map((value) => el('option', {value}, value)));
      return choice;
    }
    const asNumber = column.kind === 'number';
    const field = el('input', {
      type: 'text',
      'aria-label': label,
      'data-filter': column.key,
      placeholder: asNumber ? '>0, 1..9' : 'words',
      oninput: () => {
        const passes = asNumber ? condition(field.value) :
                                  (value) => String(value).toLowerCase().includes(field.value.toLowerCase());
        field.setAttribute('aria-invalid', String(Boolean(field.value) && !passes));
        this.filter(
            column.key, field.value && passes ? (row) => column.of(row) !== null && passes(column.of(row)) : null);
      }
    });
    return field;
  }

  // `passes`: null takes the filter of that name away.
  filter(key, passes) {
    if (passes)
      this.filters.set(key, passes);
    else
      this.filters.delete(key);
    this.apply();
  }

  replace(rows) {
    this.rows = rows;
    this.apply();
  }

  apply() {
    const conditions = [...this.filters.values()];
    this.passing = this.rows.filter((row) => conditions.every((passes) => passes(row)));
    this.fill();
    this.changed(this.passing);
  }

  sorted() {
    const column = this.order && this.columns.find(({key}) => key === this.order.key);
    if (!column) return this.passing;
    const sign = this.order.down ? -1 : 1;
    const compare = (a, b) => {
      const [left, right] = [column.of(a), column.of(b)];
      if (left === null || right === null) return (left === null) - (right === null);  // what is missing comes last
      return sign *
          (typeof left === 'number' && typeof right === 'number' ?
               left - right :
               String(left).localeCompare(String(right), 'en', {numeric: true}));
    };
    return [...this.passing].sort(compare);
  }

  fill() {
    const rows = this.sorted();
    const listed = this.all ? rows : rows.slice(0, FIRST_ROWS);
    this.body.replaceChildren(...listed.map((row) => {
      const line =
          el('tr', {'data-row': this.rows.indexOf(row)},
             this.columns.map(
                 (column) =>
                     el('td',
                        {class: column.kind === 'number' ? 'number' :
                             column.long                 ? 'long' :
                                                           null},
                        column.shown ? column.shown(row) : String(column.of(row) ?? NONE))));
      if (this.open) opens(line, () => this.open(row));
      return line;
    }));
    this.count.textContent = rows.length === this.rows.length ?
        `${grouped(rows.length)} rows.` :
        `${grouped(rows.length)} of ${grouped(this.rows.length)} rows pass the filters.`;
    this.more.textContent = `Show all ${grouped(rows.length)} rows`;
    this.more.hidden = listed.length === rows.length;
    this.columns.forEach((column, i) => {
      const mine = this.order && this.order.key === column.key;
      this.heads[i].setAttribute('aria-sort', mine ? (this.order.down ? 'descending' : 'ascending') : 'none');
      const button = this.heads[i].querySelector('button');
      if (button) button.textContent = column.title + (mine ? (this.order.down ? ' ▼' : ' ▲') : '');
    });
  }
}
