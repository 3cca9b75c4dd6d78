// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A field before each long table: rows without its words are hidden.
const LONG = 12;
for (const table of document.querySelectorAll('.md-typeset table:not([class])')) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < LONG) continue;
  const field = document.createElement('input');
  field.type = 'search';
  field.className = 'filter';
  field.placeholder = `${rows.length} rows: show those with ...`;
  field.setAttribute('aria-label', 'Show rows with these words');
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  table.before(field);
}
