// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// What a run says without a chart.

const MARKS = ['p50', 'p80', 'p90', 'p95', 'p99', 'p99_9', 'p99_99'];
const shareOf = (mark) => Number(mark.slice(1).replace('_', '.')) / 100;
const nameOf = (mark) => mark.replace('_', '.');
const operations = (run) => OPERATIONS.filter((op) => run.ios[op] && run.ios[op].count > 0);
const isWaiting = (stage) => stage.startsWith('queue_');

function tiles(run) {
  const made = [];
  for (const op of operations(run)) {
    const {iops, bytes_per_s: speed, lat_ps: lat, count} = run.ios[op];
    made.push(tile(`${op}: IOPS`, number(iops), `${grouped(count)} requests${speed ? `, ${rate(speed)}` : ''}`));
    made.push(tile(`${op}: mean latency`, time(lat.mean), `median ${time(lat.p50)}`));
    made.push(tile(`${op}: p99.9`, time(lat.p99_9), `p99 ${time(lat.p99)}, max ${time(lat.max)}`));
  }
  if (run.flash.waf !== null)
    made.push(tile(
        'write amplification', run.flash.waf.toFixed(2), `of it copies of GC ${run.flash.waf_parts.gc.toFixed(2)}`));
  const moved = operations(run).reduce((sum, op) => sum + run.ios[op].bytes, 0);
  if (moved)
    made.push(tile(
        'flash energy', energy(run.energy_pj.total),
        `${energy(run.energy_pj.total / moved)} for each byte of the host`));
  return el('div', {class: 'tiles'}, made);
}

function alarms(run) {
  const made = [];
  if (run.status !== 'completed')
    made.push(`The run has ${run.status === 'failed' ? 'failed' : 'been interrupted'}: ${
        run.status_reason || 'no reason given'}. All numbers count until then.`);
  for (const [op, kinds] of Object.entries(run.errors || {})) {
    for (const [kind, count] of Object.entries(kinds)) {
      if (count) made.push(`${grouped(count)} ${op} requests ended with an error: ${kind.replace('_', ' ')}.`);
    }
  }
  if (run.check && run.check.mismatches) made.push(`${grouped(run.check.mismatches)} blocks held wrong data.`);
  return made.map((text) => el('p', {class: 'alarm'}, text));
}

function percentileTable(run) {
  const ops = operations(run);
  const row = (name, key) =>
      [name, ...ops.map((op) => (key === 'count' ? grouped(run.ios[op].count) : time(run.ios[op].lat_ps[key])))];
  return plainTable([['', false], ...ops.map((op) => [op, true])], [
    row('requests', 'count'),
    row('min', 'min'),
    row('mean', 'mean'),
    row('standard deviation', 'stddev'),
    ...MARKS.map((mark) => row(nameOf(mark), mark)),
    row('max', 'max'),
  ]);
}
