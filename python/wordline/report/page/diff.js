// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// The page of two runs: what differs between them.

function diffPage() {
  const [a, b] = data.names;
  section('runs', 'The two runs', plainTable([['', false], ['folder', false], ['verdict', false]], [
            ['A', code(a), data.sentences[0]], ['B', code(b), data.sentences[1]]
          ]));
  section(
      'keys', 'Configuration',
      data.config.length ? plainTable(
                               [['key', false], ['A', true], ['B', true]],
                               data.config.map(({name, shown}) => [code(name), shown[0], shown[1]])) :
                           absent('Every key has the same value.'));
  if (data.words.length)
    section(
        'words', 'In words',
        plainTable(
            [['', false], ['A', false], ['B', false]],
            data.words.map(({name, shown}) => [code(name), shown[0], shown[1]])));
  const widest = Math.max(Math.log(2), ...data.numbers.map(({ratio}) => (ratio ? Math.abs(Math.log(ratio)) : 0)));
  const bar = ({ratio, shown}) =>
      el('span', {}, shown[2],
         ratio ? el('span', {
           class: 'ratio',
           style: `width:${(60 * Math.abs(Math.log(ratio)) / widest).toFixed(1)}px`,
           'aria-hidden': 'true'
         }) :
                 null);
  const columns = [
    {key: 'order', title: 'weight', of: (row) => row.order + 1, kind: 'number', shown: (row) => `${row.order + 1}`},
    {key: 'name', title: 'number', of: (row) => row.name, shown: (row) => code(row.name), kind: 'text'},
    {key: 'a', title: 'A', of: (row) => row.a, shown: (row) => row.shown[0], kind: 'number'},
    {key: 'b', title: 'B', of: (row) => row.b, shown: (row) => row.shown[1], kind: 'number'},
    {key: 'ratio', title: 'B / A', of: (row) => row.ratio, shown: bar, kind: 'number'},
  ];
  section(
      'numbers', 'Numbers',
      data.numbers.length ? new Table({id: 'numbers-table', columns, rows: data.numbers}).element :
                            absent('No number differs by so much.'));
}
