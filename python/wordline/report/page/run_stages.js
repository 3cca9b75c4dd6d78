// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// Waterfalls: the stages of a request, waiting apart from service, in the mean and of the slowest requests.

const STAGES = {
  submit: 'doorbell over the link',
  fetch: 'the controller fetches and parses the command',
  queue_core: 'waits for a core',
  queue_buffer: 'waits for a buffer slot, a job id, or the pace of GC',
  queue_order: 'waits for another write of the same logical page',
  queue_map: 'waits for a map page from flash',
  firmware: 'cores work for the command',
  engine: 'hardware engines work for the command',
  queue_flash: 'waits for the die or the bus',
  bus_command: 'command and address on the flash bus',
  array: 'the die senses the page',
  queue_bus: 'waits for the bus to carry the data',
  bus_data: 'data on the flash bus',
  queue_ecc: 'waits for the decoder',
  ecc: 'first decoding, and into DRAM',
  retry: 'further senses, transfers and decodings after the first failed',
  queue_store: 'waits for the DRAM port, into the read buffer',
  queue_resume: 'waits for a core again',
  firmware_done: 'cores finish the command',
  engine_done: 'engines finish the command',
  queue_dma: 'waits for the DMA engine, the DRAM port or the link',
  dma_setup: 'what link.dma_setup adds',
  dma: 'data over the link',
  settle: 'what nvme.write_latency adds',
  program: 'the die programs',
  complete: 'completion entry and interrupt',
};

// `stages`: [name, waiting ps, service ps] in the order in which a request passes them.
function waterfallFigure(title, note, stages) {
  const passed = stages.filter(([, waiting, service]) => waiting + service > 0);
  const sum = passed.reduce((total, [, waiting, service]) => total + waiting + service, 0);
  let begin = 0;
  const bars = passed.map(([stage, waiting, service]) => {
    const bar = {stage, begin, length: waiting + service, waits: waiting > 0};
    begin += bar.length;
    return bar;
  });
  const make = (width) => {
    const c = colours();
    const [size, unit] = axisUnit([sum]);
    const part = (waits, name, colour) => {
      const mine = bars.filter((bar) => bar.waits === waits);
      return {
        type: 'bar',
        orientation: 'h',
        name,
        y: mine.map((bar) => bar.stage),
        x: mine.map((bar) => bar.length / size),
        base: mine.map((bar) => bar.begin / size),
        marker: {
          color: colour,
          line: {color: colour, width: 1.5},
          pattern:
              waits ? {shape: '/', size: 7, solidity: 0.25, fillmode: 'overlay', fgcolor: c.paper, fgopacity: 0.8} : {}
        },
        text: mine.map((bar) => `${time(bar.length)}`),
        textposition: 'outside',
        cliponaxis: false,
        textfont: {color: c.ink},
        hovertext: mine.map(
            (bar) => `${bar.stage}: ${STAGES[bar.stage] || ''}<br>${time(bar.length)}, ${
                percent(bar.length / sum)} of the latency`),
        hoverinfo: 'text',
      };
    };
    return {
      data: [part(false, 'service', c.service), part(true, 'waiting', c.waiting)],
      layout: {
        barmode: 'overlay',
        showlegend: true,
        xaxis: {title: {text: `since submission, ${unit}`}, range: [0, roomFor(58, width) * sum / size]},
        yaxis: {
          categoryorder: 'array',
          categoryarray: bars.map((bar) => bar.stage).reverse(),
          gridcolor: 'rgba(0,0,0,0)',
          fixedrange: true
        },
      }
    };
  };
  return figure({title, note, height: 110 + 24 * bars.length, make});
}

function meanWaterfall(run, op) {
  const stages =
      run.stages[op].mean.map(({stage, waiting_ps: waiting, service_ps: service}) => [stage, waiting, service]);
  const waiting = stages.reduce((sum, [, part]) => sum + part, 0);
  const all = stages.reduce((sum, [, a, b]) => sum + a + b, 0);
  return waterfallFigure(
      `Where the time of a ${op} goes`,
      `Means of all ${op}s. Sum ${time(all)}: ${percent(waiting / all)} waiting, ${
          percent(1 - waiting / all)} service.`,
      stages);
}

function stageTable(run, op) {
  const {mean} = run.stages[op];
  const all = mean.reduce((sum, stage) => sum + stage.waiting_ps + stage.service_ps, 0);
  const rows = mean.filter((stage) => stage.waiting_ps + stage.service_ps > 0)
                   .map(
                       ({stage, waiting_ps: waiting, service_ps: service}) =>
                           [code(stage), STAGES[stage] || '', waiting ? time(waiting) : '',
                            service ? time(service) : '', `${(100 * (waiting + service) / all).toFixed(1)} %`]);
  return el(
      'details', {class: 'numbers'}, el('summary', {}, `Stages of a ${op} in numbers`),
      plainTable(
          [['stage', false], ['what happens', false], ['waiting', true], ['service', true], ['share', true]], rows));
}

function waitingSection(run) {
  const made = [];
  for (const op of operations(run)) made.push(el('div', {}, meanWaterfall(run, op), stageTable(run, op)));
  return el('div', {class: 'pair'}, made);
}

// What requests wait behind: CAUSE of `waits`.
const CAUSES = {
  reads: 'reads of the host on its die',
  gc_reads: 'reads of GC on its die',
  program: 'a program of host data on its die',
  gc_program: 'a program of GC on its die',
  erase: 'an erase of its die',
  channel: 'the bus of its channel',
  read_buffer: 'the read buffer',
  write_buffer: 'the write buffer',
  free_space: 'free space',
  flash_jobs: 'flash job ids',
  order: 'writes of the same logical pages',
  core: 'a core',
  decoder: 'the decoder',
  dram: 'the DRAM port',
  transfer: 'the transfer to or from the host',
};

// Causes of a wait, the longest first: [cause, ps].
const causesOf = (behind) => Object.entries(behind || {}).filter(([, ps]) => ps > 0).sort((a, b) => b[1] - a[1]);

// Behind what the mean request of each operation waits.
function waitsTable(run) {
  if (!run.waits) return null;
  const ops = operations(run);
  const totals = Object.keys(CAUSES).map((cause) => ops.map((op) => run.waits[op].total_ps[cause] / run.ios[op].count));
  const rows = Object.keys(CAUSES)
                   .map((cause, i) => [cause, totals[i]])
                   .filter(([, means]) => means.some((ps) => ps > 0))
                   .sort((a, b) => Math.max(...b[1]) - Math.max(...a[1]))
                   .map(([cause, means]) => [CAUSES[cause], ...means.map((ps) => (ps ? time(ps) : NONE))]);
  if (!rows.length) return null;
  return el(
      'div', {id: 'waits'}, el('h3', {}, 'What requests wait behind'),
      el('p', {class: 'soft'}, 'In the mean over all requests of the operation; a column sums to its waiting stages.'),
      plainTable([['behind', false], ...ops.map((op) => [op, true])], rows));
}

function slowestPart(run, waves) {
  const ops = operations(run);
  if (!run.slowest_of || ops.length < 2) return slowestTable(run.slowest, {id: 'slowest-table', waves, op: ''});
  return [
    slowestTable(run.slowest, {id: 'slowest-table', waves, op: ''}),
    ...ops.map(
        (op) =>
            el('details', {class: 'numbers'}, el('summary', {}, `The slowest ${op}s`),
               slowestTable(
                   run.slowest_of[op].requests.map((request) => ({op, ...request})), {id: `slowest-${op}`, waves, op})))
  ];
}

// `op`: the rows are of this operation, empty: of all.
function slowestTable(requests, {id, waves, op}) {
  const columns =
      ['', 'request', 'latency', 'submitted at', 'LBA', 'length', 'job', 'die', 'most of it', 'waited behind'];
  const body = el('tbody');
  requests.forEach((request, at) => {
    const [stage, longest] =
        Object.entries(request.stage_ps).reduce((most, entry) => (entry[1] > most[1] ? entry : most));
    const cells = [
      `${at + 1}`, request.op, time(request.latency_ps), `${(request.submitted_ps / 1e9).toLocaleString('en-US', {
        minimumFractionDigits: 3,
        maximumFractionDigits: 3
      })} ms`,
      grouped(request.lba), bytes(request.bytes), `${request.job}`, request.die < 0 ? 'none' : `${request.die}`,
      `${stage} ${percent(longest / request.latency_ps)}`,
      causesOf(request.behind_ps)
              .slice(0, 1)
              .map(([cause, ps]) => `${CAUSES[cause] || cause} ${percent(ps / request.latency_ps)}`)
              .join('') ||
          NONE
    ];
    const row =
        el('tr', {'aria-expanded': 'false', 'data-slowest': at},
           cells.map((cell, i) => el('td', {class: [2, 3, 4, 5, 6, 7].includes(i) ? 'number' : null}, cell)));
    let inside = null;
    opens(row, () => {
      if (inside) {
        forget(inside);
        inside.remove();
        inside = null;
      } else {
        const stages =
            Object.entries(request.stage_ps).map(([name, ps]) => (isWaiting(name) ? [name, ps, 0] : [name, 0, ps]));
        const made = waterfallFigure(
            `Request ${at + 1} of the slowest: ${request.op} at LBA ${grouped(request.lba)}`,
            `${time(request.latency_ps)} from its submission on.${
                causesOf(request.behind_ps).length ? ' It waited behind ' : ''}${
                causesOf(request.behind_ps).map(([cause, ps]) => `${CAUSES[cause] || cause}: ${time(ps)}`).join('; ')}${
                causesOf(request.behind_ps).length ? '.' : ''}`,
            stages);
        const command = `./scripts/wordline view DIR --slowest ${at + 1}${op ? ` --op ${op}` : ''}`;
        const hint = waves ? el('p', {}, 'In the waveform: ', code(command)) : null;
        inside = el('tr', {class: 'inside'}, el('td', {colspan: columns.length}, made, hint));
        row.after(inside);
        show(made);
      }
      row.setAttribute('aria-expanded', String(Boolean(inside)));
    });
    body.append(row);
  });
  return el(
      'div', {class: 'wide'},
      el('table', {id, class: 'lines'},
         el('thead', {},
            el('tr', {},
               columns.map(
                   (name, i) =>
                       el('th', {scope: 'col', class: [2, 3, 4, 5, 6, 7].includes(i) ? 'number' : null}, name)))),
         body));
}
