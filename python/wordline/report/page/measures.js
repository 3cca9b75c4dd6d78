// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// What a point of a study is judged by, and how sure it is.

const iopsOf = (row) => row.iops;
const micro = (ps) => (ps === null || ps === undefined ? null : ps / 1e6);
const dies = (row) => (row.cost ? row.cost[0] : null);
const energyPerByte = (row) => {
  if (!row.run) return null;
  const moved = Object.values(row.run.ios).reduce((sum, op) => sum + op.bytes, 0);
  return moved ? row.run.energy_pj.total / moved / 1e3 : null;
};

const latency = (op, tail, name) => ({
  key: `${op}_${tail}`,
  title: `${op} ${name}, µs`,
  of: (row) => micro(row[`${op}_${tail}_ps`]),
  field: `${op}_${tail}_ps`
});
const tails = (op) => [['p50', 'p50'], ['p99', 'p99'], ['p99_9', 'p99.9'], ['p99_99', 'p99.99']].map(
    ([tail, name]) => latency(op, tail, name));
const both = (row) => isThere(row.read_iops) && isThere(row.write_iops);

// What a point is judged by. `more`: more of it is better. `field`: of the table, where there may be an interval.
const MEASURES = [
  {key: 'iops', title: 'IOPS', of: iopsOf, more: true, field: 'iops'},
  {
    key: 'read_iops',
    title: 'read IOPS',
    of: (row) => (both(row) ? row.read_iops : null),
    more: true,
    field: 'read_iops'
  },
  {
    key: 'write_iops',
    title: 'write IOPS',
    of: (row) => (both(row) ? row.write_iops : null),
    more: true,
    field: 'write_iops'
  },
  ...tails('read'),
  ...tails('write'),
  {key: 'waf', title: 'WAF', of: (row) => row.waf, field: 'waf'},
  {key: 'energy', title: 'flash energy, nJ/byte', of: energyPerByte},
  {key: 'dies', title: 'dies', of: dies},
  {key: 'channels', title: 'channels', of: (row) => (row.cost ? row.cost[1] : null)},
  {key: 'cores', title: 'cores', of: (row) => (row.cost ? row.cost[2] : null)},
  {key: 'busy', title: 'busy, %', of: (row) => (row.limit_busy === null ? null : 100 * row.limit_busy)},
];

const isThere = (value) => value !== null && value !== undefined;
const differs = (rows, of) => new Set(rows.map(of).filter(isThere)).size > 1;
// Of numbers: by more than what a run of some thousand requests says.
function differsMuch(rows, of) {
  const values = rows.map(of).filter(isThere);
  return values.length > 1 && Math.max(...values) > 1.01 * Math.min(...values);
}
// The 95 % interval of a measure at a point, in its unit; null: not known.
function ends(measure, row) {
  const found = measure.field && row.bounds ? row.bounds[measure.field] : null;
  if (!found || !isThere(found[0]) || !isThere(found[1])) return null;
  return measure.field.endsWith('_ps') ? found.map(micro) : found;
}
// A number with how sure it is; ~ before a percentile with fewer than ten samples beyond it.
function sure(measure, row) {
  const value = measure.of(row);
  if (!isThere(value)) return number(value);
  const found = ends(measure, row);
  const few = (row.few || []).includes(measure.field) ? '~' : '';
  return `${few}${number(value)}${found && value ? ` ±${(50 * (found[1] - found[0]) / value).toFixed(1)} %` : ''}`;
}
const CLASSES = {
  before_gc: 'before GC',
  not_steady: 'not steady',
  too_short: 'too short',
  overload: 'overload'
};
