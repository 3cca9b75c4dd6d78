// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// The page of reproduced papers: every figure with the paper's value and ours.

const SIGNS = {
  green: '✓',
  red: '✗',
  undecided: '?',
  input: '=',
  found: '•',
  'not measurable': '–'
};
// Text with `code` in it, as the pages have it.
const withCode = (text) => text.split('`').map((part, i) => (i % 2 ? code(part) : part));
const valueText = (value) =>
    (value === null || value === undefined ? NONE :
         typeof value === 'number'         ? number(value) :
         Array.isArray(value)              ? value.map(valueText).join(', ') :
         typeof value === 'boolean'        ? (value ? 'yes' : 'no') :
                                             String(value));
const verdictMark = (verdict) =>
    el('span',
       {class: verdict === 'green' ? 'green' :
            verdict === 'red'      ? 'red' :
                                     'soft'},
       `${SIGNS[verdict] || ''} ${verdict}`);

function figureColumns() {
  const unit = (row) => (row.unit ? ` ${row.unit}` : '');
  return [
    {
      key: 'verdict',
      title: 'verdict',
      of: (row) => row.verdict,
      shown: (row) => verdictMark(row.verdict),
      kind: 'choice'
    },
    {
      key: 'what',
      title: 'what the paper says',
      of: (row) => `${row.what} ${row.id}`,
      kind: 'text',
      long: true,
      shown: (row) =>
          el('div', {}, row.what, el('div', {class: 'soft'}, [row.where, row.condition].filter(Boolean).join('; ')),
             code(row.id))
    },
    {key: 'paper', title: 'paper', of: (row) => row.paper, shown: (row) => `${row.paper}${unit(row)}`, kind: 'text'},
    {key: 'native', title: 'ours, firmware free', of: (row) => valueText(row.native), kind: 'text'},
    {key: 'iss', title: 'ours, firmware on cores', of: (row) => valueText(row.iss), kind: 'text'},
    {key: 'difference', title: 'difference', of: (row) => row.difference || '', kind: 'none'},
    {key: 'kind', title: 'weight', of: (row) => row.kind || '', kind: 'choice'},
    {
      key: 'cause',
      title: 'cause, remark',
      of: (row) => `${row.cause} ${row.note || ''}`.trim(),
      kind: 'text',
      long: true
    },
  ];
}

// Of figures that are one number above zero on both sides: ours over the paper's.
function ratioFigure(figures) {
  const ours = (row) => (typeof row.native === 'number' ? row.native : row.iss);
  const rows = figures.filter(
      (row) => /^-?\d+(\.\d+)?$/.test(String(row.paper)) && Number(row.paper) > 0 && typeof ours(row) === 'number' &&
          ours(row) > 0);
  if (rows.length < 2) return absent('No chart of ratios: fewer than two figures are one number on both sides.');
  const make = (width) => {
    const c = colours();
    const marks = width < 500 ? [0.01, 0.1, 1, 10, 100] : [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
    const ratios = rows.map((row) => ours(row) / Number(row.paper));
    return {
      data: [{
        mode: 'markers',
        y: rows.map((row) => plain(row.id)),
        x: ratios,
        marker: {
          size: 10,
          color: rows.map((row) => (row.verdict === 'red' ? c.limit : c.other)),
          symbol: rows.map((row) => (row.verdict === 'red' ? 'x' : 'circle'))
        },
        hovertext: rows.map(
            (row, i) => `${plain(row.what)}<br>paper ${plain(row.paper)} ${plain(row.unit || '')}, ours ${
                number(ours(row))}: ${number(ratios[i])} times<br>${row.verdict}`),
        hoverinfo: 'text',
      }],
      layout: {
        showlegend: false,
        shapes: [{type: 'line', x0: 1, x1: 1, yref: 'paper', y0: 0, y1: 1, line: {color: c.soft, dash: 'dash'}}],
        xaxis: {title: {text: 'our value / the paper\'s'}, type: 'log', tickvals: marks, ticktext: marks.map(String)},
        yaxis: {categoryorder: 'array', categoryarray: rows.map((row) => plain(row.id)).reverse(), fixedrange: true}
      }
    };
  };
  return figure({
    title: 'Our values over those of the paper',
    note:
        'Figures that are one positive number on both sides. Dots: green, crosses: red. On the dashed line both agree.',
    height: 100 + 24 * rows.length,
    make
  });
}

function listed(title, values) {
  const entries = Object.entries(values || {});
  if (!entries.length) return null;
  return el(
      'details', {}, el('summary', {}, title),
      plainTable([['what', false], ['here', false]], entries.map(([key, text]) => [code(key), text])));
}

function reproducePage() {
  for (const study of data.studies) {
    const counts = Object.keys(SIGNS)
                       .map((verdict) => [verdict, study.figures.filter((row) => row.verdict === verdict).length])
                       .filter(([, count]) => count);
    const root = section(
        study.study, study.title, el('p', {}, study.paper),
        study.quick ? el('p', {class: 'soft'}, 'Made with --quick: shorter runs and coarser sweeps.') : null,
        el('div', {class: 'tiles'},
           counts.map(([verdict, count]) => tile(verdict, `${SIGNS[verdict]} ${count}`, 'figures'))));
    root.append(
        new Table({id: `figures-${study.study}`, columns: figureColumns(), rows: study.figures}).element,
        ratioFigure(study.figures));
    for (const {name, png} of study.pictures)
      root.append(el(
          'figure', {}, el('figcaption', {}, el('strong', {}, name.replace(/\.png$/, ''))),
          el('img',
             {class: 'picture', src: `data:image/png;base64,${png}`, alt: `Curves of the paper and ours: ${name}`})));
    for (const table of study.tables || []) {
      root.append(
          el('details', {}, el('summary', {}, withCode(table.title)), el('p', {}, withCode(table.text)),
             plainTable(
                 table.head.map((title, i) => [title, typeof (table.rows[0] || [])[i] === 'number']),
                 table.rows.map((row) => row.map(valueText)))));
    }
    for (const part
             of [listed('How each value of the platform is set', study.platform),
                 listed('Mechanisms that the drive does not model', study.mechanism)])
      if (part) root.append(part);
  }
}
