// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// The page of one run. Parts that a point of a study shows, too, take the run as argument.

const STAGES = {
  submit: 'doorbell over the link', fetch: 'the controller fetches and parses the command',
  queue_core: 'waits for a core', queue_buffer: 'waits for a buffer slot, a job id, or the pace of GC',
  queue_order: 'waits for another write of the same logical page', firmware: 'cores work for the command',
  engine: 'hardware engines work for the command', queue_flash: 'waits for the die or the bus',
  bus_command: 'command and address on the flash bus', array: 'the die senses the page',
  queue_bus: 'waits for the bus to carry the data', bus_data: 'data on the flash bus',
  queue_ecc: 'waits for the decoder', ecc: 'first decoding, and into DRAM',
  retry: 'further senses, transfers and decodings after the first failed', queue_resume: 'waits for a core again',
  firmware_done: 'cores finish the command', engine_done: 'engines finish the command',
  dma: 'data over the link', program: 'the die programs', complete: 'completion entry and interrupt',
};
const RESOURCES = {dram: 'DRAM', retry: 'retry controllers'};
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
    made.push(tile(`${op}: p99.9`, time(lat.p99_9), `p99 ${time(lat.p99)}, greatest ${time(lat.max)}`));
  }
  if (run.flash.waf !== null) made.push(tile('write amplification', run.flash.waf.toFixed(2), `of it copies of GC ${run.flash.waf_parts.gc.toFixed(2)}`));
  const moved = operations(run).reduce((sum, op) => sum + run.ios[op].bytes, 0);
  if (moved) made.push(tile('flash energy', energy(run.energy_pj.total), `${energy(run.energy_pj.total / moved)} for each byte of the host`));
  return el('div', {class: 'tiles'}, made);
}

function alarms(run) {
  const made = [];
  if (run.status !== 'completed') made.push(`The run has ${run.status === 'failed' ? 'failed' : 'been interrupted'}: ${run.status_reason || 'no reason given'}. All numbers count until then.`);
  for (const [op, kinds] of Object.entries(run.errors || {})) {
    for (const [kind, count] of Object.entries(kinds)) {
      if (count) made.push(`${grouped(count)} ${op} requests ended with an error: ${kind.replace('_', ' ')}.`);
    }
  }
  if (run.check && run.check.mismatches) made.push(`${grouped(run.check.mismatches)} blocks held wrong data.`);
  return made.map((text) => el('p', {class: 'alarm'}, text));
}

// 1, 2 and 5 of each decade between the least and the greatest; over three decades, only 1.
function logMarks(values) {
  const some = values.filter((value) => value > 0);
  const [first, last] = [Math.floor(Math.log10(Math.min(...some))), Math.ceil(Math.log10(Math.max(...some)))];
  const steps = last - first > 3 ? [1] : [1, 2, 5];
  return Array.from({length: last - first + 1}, (_, i) => steps.map((step) => step * 10 ** (first + i))).flat();
}

// Percentiles from the middle on, spread so that each further nine has the same room.
function latencyFigure(run, distribution) {
  const at = (share) => -Math.log10(1 - share);
  const ops = operations(run);
  const most = Math.max(...ops.map((op) => run.ios[op].count));
  const make = (width) => {
    const traces = ops.map((op) => {
      const {lat_ps: lat, count} = run.ios[op];
      const curve = distribution && distribution.curves[op];
      const end = Math.min(0.99999, 1 - 1 / (count + 1));
      const points = curve
        ? curve.share.map((share, i) => [Math.min(share, end), curve.ns[i] * 1e3])
        : [[0, lat.min], ...MARKS.map((mark) => [shareOf(mark), lat[mark]]).filter(([share]) => share <= end)];
      return {
        name: op, mode: curve ? 'lines' : 'lines+markers', line: {color: colourOf(op), width: 2, dash: ops.length > 1 && op === 'write' ? 'dash' : 'solid'},
        x: points.map(([share]) => at(share)), y: points.map(([, ps]) => ps),
        text: points.map(([share, ps]) => `${op}: ${+(100 * share).toFixed(3)} % of the requests take ${time(ps)} or less`), hoverinfo: 'text',
      };
    });
    const marks = logMarks(traces.flatMap((trace) => trace.y));
    const ticks = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999].filter((share) => share < 1 - 0.5 / most && (share || width > 460));
    return {data: traces, layout: {
      showlegend: ops.length > 1,
      xaxis: {title: {text: 'share of the requests that are not slower'}, tickvals: ticks.map(at), ticktext: ticks.map((share) => `${+(100 * share).toFixed(3)} %`), tickangle: 0},
      yaxis: {title: {text: 'latency'}, type: 'log', tickvals: marks, ticktext: marks.map(time)},
    }};
  };
  return figure({title: 'Latency that so many requests do not exceed', note: 'The further right, the rarer: the tail has as much room as the bulk.', make});
}

function percentileTable(run) {
  const ops = operations(run);
  const row = (name, key) => [name, ...ops.map((op) => (key === 'count' ? grouped(run.ios[op].count) : time(run.ios[op].lat_ps[key])))];
  return plainTable([['', false], ...ops.map((op) => [op, true])], [
    row('requests', 'count'), row('least', 'min'), row('mean', 'mean'), row('standard deviation', 'stddev'),
    ...MARKS.map((mark) => row(nameOf(mark), mark)), row('greatest', 'max'),
  ]);
}

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
        type: 'bar', orientation: 'h', name, y: mine.map((bar) => bar.stage), x: mine.map((bar) => bar.length / size), base: mine.map((bar) => bar.begin / size),
        marker: {color: colour, line: {color: colour, width: 1.5}, pattern: waits ? {shape: '/', size: 7, solidity: 0.25, fillmode: 'overlay', fgcolor: c.paper, fgopacity: 0.8} : {}},
        text: mine.map((bar) => `${time(bar.length)}`), textposition: 'outside', cliponaxis: false, textfont: {color: c.ink},
        hovertext: mine.map((bar) => `${bar.stage}: ${STAGES[bar.stage] || ''}<br>${time(bar.length)}, ${percent(bar.length / sum)} of the latency`), hoverinfo: 'text',
      };
    };
    return {data: [part(false, 'service', c.service), part(true, 'waiting', c.waiting)], layout: {
      barmode: 'overlay', showlegend: true,
      xaxis: {title: {text: `since submission, ${unit}`}, range: [0, roomFor(58, width) * sum / size]},
      yaxis: {categoryorder: 'array', categoryarray: bars.map((bar) => bar.stage).reverse(), gridcolor: 'rgba(0,0,0,0)', fixedrange: true},
    }};
  };
  return figure({title, note, height: 110 + 24 * bars.length, make});
}

function meanWaterfall(run, op) {
  const stages = run.stages[op].mean.map(({stage, waiting_ps: waiting, service_ps: service}) => [stage, waiting, service]);
  const waiting = stages.reduce((sum, [, part]) => sum + part, 0);
  const all = stages.reduce((sum, [, a, b]) => sum + a + b, 0);
  return waterfallFigure(`Where the time of a ${op} goes`, `Means of all ${op}s. Sum ${time(all)}: ${percent(waiting / all)} waiting, ${percent(1 - waiting / all)} service.`, stages);
}

function stageTable(run, op) {
  const {mean} = run.stages[op];
  const all = mean.reduce((sum, stage) => sum + stage.waiting_ps + stage.service_ps, 0);
  const rows = mean.filter((stage) => stage.waiting_ps + stage.service_ps > 0).map(({stage, waiting_ps: waiting, service_ps: service}) =>
    [code(stage), STAGES[stage] || '', waiting ? time(waiting) : '', service ? time(service) : '', `${(100 * (waiting + service) / all).toFixed(1)} %`]);
  return el('details', {class: 'numbers'}, el('summary', {}, `Stages of a ${op} in numbers`),
    plainTable([['stage', false], ['what happens', false], ['waiting', true], ['service', true], ['share', true]], rows));
}

// Groups with the least, mean and greatest share of their members.
function resources(run) {
  const rows = [];
  const group = (name, value) => {
    if (Array.isArray(value) ? !value.length : value === null || value === undefined) return;
    if (Array.isArray(value)) {
      const mean = value.reduce((a, b) => a + b, 0) / value.length;
      rows.push({name, least: Math.min(...value), mean, most: Math.max(...value), members: value.length});
    } else if (typeof value === 'object') rows.push({name, ...value});
    else rows.push({name, least: value, mean: value, most: value, members: 1});
  };
  const {cores} = run.utilisation;
  for (const [name, value] of Object.entries(run.utilisation)) {
    if (name === 'cores' && Array.isArray(cores) && cores.length <= 8) {
      cores.forEach((share, i) => rows.push({name: `core ${i}`, group: 'cores', least: share, mean: share, most: share, members: 1}));
    } else group(name, value);
  }
  for (const [name, engine] of Object.entries(run.engines || {})) group(`engine ${name}`, engine.busy);
  return rows.sort((a, b) => b.most - a.most);
}

function utilisationFigure(run) {
  const rows = resources(run);
  const label = (row) => `${row.members > 1 ? `${row.members} ` : ''}${RESOURCES[row.name] || row.name}`;
  const busiest = (name) => rows.find((row) => row.name === name || row.group === name);  // they are in this order
  const {next} = run.bottleneck;
  const resource = run.bottleneck.resource === 'gc' ? 'dies' : run.bottleneck.resource;  // what GC keeps busy
  const make = (width) => {
    const c = colours();
    const brief = width < 460;
    return {data: [{
      type: 'bar', orientation: 'h', y: rows.map(label), x: rows.map((row) => 100 * row.mean),
      marker: {color: rows.map((row) => (row === busiest(resource) ? c.limit : row === busiest(next) ? c.waiting : c.service))},
      error_x: {type: 'data', symmetric: false, array: rows.map((row) => 100 * (row.most - row.mean)), arrayminus: rows.map((row) => 100 * (row.mean - row.least)), color: c.ink, thickness: 1.5, width: 0},
      hoverinfo: 'text',
      hovertext: rows.map((row) => `${plain(label(row))}: mean ${percent(row.mean)}, least ${percent(row.least)}, greatest ${percent(row.most)}`),
    }, {
      mode: 'text', y: rows.map(label), x: rows.map((row) => 100 * row.most + 1), textposition: 'middle right', cliponaxis: false, textfont: {color: c.ink}, hoverinfo: 'skip',
      text: rows.map((row) => (!brief && row.members > 1 && row.most - row.least >= 0.005 ? `${percent(row.mean)} (${percent(row.least)} to ${percent(row.most)})` : percent(row.mean))),
    }], layout: {
      showlegend: false, xaxis: {title: {text: 'busy share of the measurement, %'}, range: [0, 100 * roomFor(brief ? 40 : 130, width)], tickvals: [0, 20, 40, 60, 80, 100]},
      yaxis: {categoryorder: 'array', categoryarray: rows.map(label).reverse(), gridcolor: 'rgba(0,0,0,0)', fixedrange: true},
    }};
  };
  const note = `Bars are means; the thin line goes from the least to the greatest member.${busiest(resource) ? ' Dark orange: what limits.' : ''}${busiest(next) ? ' Light orange: what would be next.' : ''}`;
  return figure({title: 'How busy each resource is', note, height: 90 + 27 * rows.length, make});
}

const BUFFERS = {
  read_waiting: 'first read waits for a read buffer slot', write_waiting: 'first write waits for a write buffer slot',
  gc_waiting: 'GC waits for its buffer', space_waiting: 'host data wait for an erased superblock or the pace of GC',
  job_waiting: 'first request waits for a flash job id',
};

function bufferText(run) {
  const short = Object.entries(run.buffer).filter(([, share]) => share >= 0.0005);
  if (!short.length) return el('p', {class: 'soft'}, 'No buffer, job id or free space was ever short.');
  return plainTable([['what was short', false], ['share of the measurement', true]], short.map(([name, share]) => [BUFFERS[name] || name, percent(share)]));
}

// Shares of all dies in the order of the hardware: channels to the right, dies of a channel downwards.
function dieFigure(run, channels, shares, title, note) {
  const perChannel = shares.length / channels;
  const z = Array.from({length: perChannel}, (_, die) => Array.from({length: channels}, (_, channel) => 100 * shares[die * channels + channel]));
  const make = () => ({data: [{
    type: 'heatmap', z, x: Array.from({length: channels}, (_, i) => `${i}`), y: Array.from({length: perChannel}, (_, i) => `${i}`),
    colorscale: 'Cividis', zmin: 0, zmax: 100, xgap: 2, ygap: 2, colorbar: {title: {text: 'busy, %', side: 'right'}, thickness: 12, outlinewidth: 0},
    texttemplate: shares.length <= 64 ? '%{z:.0f}' : '', hovertemplate: 'channel %{x}, die %{y} of it: %{z:.1f} %<extra></extra>',
  }], layout: {xaxis: {title: {text: 'channel'}, type: 'category', gridcolor: 'rgba(0,0,0,0)'}, yaxis: {title: {text: 'die of the channel'}, type: 'category', autorange: 'reversed', gridcolor: 'rgba(0,0,0,0)'}}});
  return figure({title, note, height: Math.min(560, 130 + 30 * perChannel), make});
}

function seriesFigure(run) {
  const {width_ps: width, completed} = run.series;
  const ops = operations(run).filter((op) => (completed[op] || []).length);
  // The last window ends after the measurement does, so its rate would be too low.
  const whole = (op) => completed[op].slice(0, Math.max(1, Math.floor(run.window.length_ps / width)));
  const make = () => {
    const [size, unit] = axisUnit([run.window.length_ps]);
    return {data: ops.map((op) => ({
      name: op, mode: 'lines', line: {shape: 'hv', color: colourOf(op), width: 2, dash: ops.length > 1 && op === 'write' ? 'dot' : 'solid'},
      x: whole(op).map((_, i) => i * width / size), y: whole(op).map((count) => count / (width / 1e12)),
      hovertemplate: `${op}: %{y:,.0f} IOPS from %{x:.4g} ${unit} on<extra></extra>`,
    })), layout: {showlegend: ops.length > 1, hovermode: 'x', xaxis: {title: {text: `since the begin of the measurement, ${unit}`}, rangemode: 'tozero'}, yaxis: {title: {text: 'completed, IOPS'}, rangemode: 'tozero', tickformat: ',~s'}}};
  };
  return figure({title: 'Completed requests over time', note: `Windows of ${time(width)}.`, make});
}

function coresFigure(profile) {
  const names = Object.keys(profile.cores);
  const make = () => {
    const [size, unit] = axisUnit([Math.max(...profile.time_us) * 1e6]);
    return {data: names.map((name, i) => ({
      name: name.replace('core', 'core '), mode: 'lines', line: {shape: 'hv', color: colours().series[i % 7], width: 1.6},
      x: profile.time_us.map((us) => us * 1e6 / size), y: profile.cores[name].map((share) => 100 * share), hovertemplate: `${plain(name)}: %{y:.0f} % at %{x:.4g} ${unit}<extra></extra>`,
    })), layout: {showlegend: true, xaxis: {title: {text: `simulated time since power-on, ${unit}`}}, yaxis: {title: {text: 'busy, %'}, range: [0, 102]}}};
  };
  return figure({title: 'How busy the cores are over time', make});
}

const PARTS = {host: 'data of the host', merge: 'completed partial pages', gc: 'copies of GC', padding: 'padding', failed: 'failed programs'};

// Parts of a whole, by size; `format` shows a value.
function partsFigure(title, note, parts, format, axisTitle, scale = 1) {
  const shown = parts.filter(([, value]) => value > 0);
  const sum = shown.reduce((total, [, value]) => total + value, 0);
  const make = (width) => ({data: [{
    type: 'bar', orientation: 'h', y: shown.map(([name]) => name), x: shown.map(([, value]) => value / scale), marker: {color: colours().service},
    text: shown.map(([, value]) => ` ${format(value)}, ${percent(value / sum)}`), textposition: 'outside', cliponaxis: false, textfont: {color: colours().ink}, hoverinfo: 'y+text',
  }], layout: {showlegend: false, xaxis: {title: {text: axisTitle}, range: [0, roomFor(100, width) * Math.max(...shown.map(([, value]) => value)) / scale]},
    yaxis: {categoryorder: 'array', categoryarray: shown.map(([name]) => name).reverse(), gridcolor: 'rgba(0,0,0,0)', fixedrange: true}}});
  return figure({title, note, height: 90 + 30 * shown.length, make, half: true});
}

function wafFigure(run) {
  const parts = Object.entries(run.flash.waf_parts).map(([name, value]) => [PARTS[name] || name, value]);
  return partsFigure(`Write amplification ${run.flash.waf.toFixed(3)}, by what was programmed`, 'Bytes programmed for each byte that the host wrote.', parts, (value) => value.toFixed(3), 'bytes per byte of the host');
}

function energyFigure(run) {
  const {nand_array_by_operation: array, nand_bus: bus, nand_standby: standby, total} = run.energy_pj;
  const parts = [...Object.entries(array || {}).map(([name, value]) => [`array, ${name}`, value]), ['flash bus', bus], ['standby', standby]];
  const [size, unit] = axisUnit(parts.map(([, value]) => value), ENERGIES);
  return partsFigure(`Energy of the flash: ${energy(total)}`, 'Controller, DRAM and link are not in it.', parts, energy, `energy, ${unit}`, size);
}

function waitingSection(run) {
  const made = [];
  for (const op of operations(run)) made.push(el('div', {}, meanWaterfall(run, op), stageTable(run, op)));
  return el('div', {class: 'pair'}, made);
}

function wearPart(run) {
  const {blocks, gc} = run;
  const facts = plainTable([['blocks and GC', false], ['', true]], [
    ['erases of the superblock erased least', number(blocks.erases_min)], ['erases in the mean', number(blocks.erases_mean)],
    ['erases of the superblock erased most', number(blocks.erases_max)], ['superblocks taken up by GC', number(gc.superblocks)],
    ['logical pages copied by GC', number(gc.sectors_copied)], ['copied per superblock', number(gc.copied_per_superblock)],
    ['erased superblocks at the end', number(gc.free_superblocks)], ['bad blocks: from the factory, grown', `${number(blocks.marked_bad)}, ${number(blocks.grown_bad)}`],
    ['spare blocks in use', number(blocks.spares_used)],
  ]);
  const erases = blocks.erases_by_superblock;
  if (!Array.isArray(erases)) return [facts, absent('No wear map: this version of result.json has the least, mean and greatest number of erases, not those of each superblock.')];
  if (!blocks.superblock_erases) return [facts, absent('No wear map: no superblock has been erased. ', code('precondition.fill = steady'), ' begins with a drive that was overwritten.')];
  return [facts, wearFigure(erases)];
}

function wearFigure(erases) {
  const width = Math.min(32, erases.length);
  const rows = Math.ceil(erases.length / width);
  const z = Array.from({length: rows}, (_, row) => Array.from({length: width}, (_, i) => erases[row * width + i] ?? null));
  const make = () => ({data: [{
    type: 'heatmap', z, x: Array.from({length: width}, (_, i) => i), y: z.map((_, row) => `${row * width}`), colorscale: 'Cividis', zmin: 0, xgap: 1, ygap: 1,
    colorbar: {title: {text: 'erases', side: 'right'}, thickness: 12, outlinewidth: 0}, hoverongaps: false,
    customdata: z.map((line, row) => line.map((_, i) => row * width + i)), hovertemplate: 'superblock %{customdata}: %{z} erases<extra></extra>',
  }], layout: {xaxis: {title: {text: 'superblock, counted from the row\'s first'}, gridcolor: 'rgba(0,0,0,0)'}, yaxis: {title: {text: 'first superblock of the row'}, type: 'category', autorange: 'reversed', gridcolor: 'rgba(0,0,0,0)'}}});
  return figure({title: 'Wear: erases of each superblock', note: 'Those that made the state before the run are counted, too.', height: Math.min(520, 140 + 22 * rows), make});
}

function retryPart(run) {
  const {flash, ecc} = run;
  const facts = plainTable([['decoding', false], ['', true]], [
    ['codewords by tier 1 (bit flipping)', number(ecc.tier1)], ['codewords by tier 2 (min-sum)', number(ecc.tier2)], ['decodings in which both failed', number(ecc.failed)],
    ['raw bit errors corrected', number(ecc.bit_errors_corrected)], ['reads repeated at another retry step', number(flash.retries)], ['reads for soft decoding', number(flash.soft_reads)],
    ['logical pages that nothing decoded', number(flash.uncorrectable)],
  ]);
  const by = flash.retries_by_layer;
  if (!flash.retries && !flash.soft_reads) return [facts, absent('No read was repeated. ', code('nand.aging.pe_cycles'), ' and ', code('nand.aging.retention_days'), ' wear and age the flash until reads need retries.')];
  if (!Array.isArray(by)) return [facts, absent('result.json sums retries over all layers. ', code('observe.waves = true'), ' records every retry with its address.')];
  const make = () => ({data: [{type: 'bar', x: by.map((_, i) => i), y: by, marker: {color: colours().service}, hovertemplate: 'layer %{x}: %{y} retries<extra></extra>'}],
    layout: {showlegend: false, xaxis: {title: {text: 'h-layer of the word line'}}, yaxis: {title: {text: 'repeated reads'}, rangemode: 'tozero'}}});
  return [facts, figure({title: 'Repeated reads by layer', make})];
}

function slowestTable(run, waves) {
  const columns = ['', 'request', 'latency', 'submitted at', 'LBA', 'length', 'job', 'die', 'most of it'];
  const body = el('tbody');
  run.slowest.forEach((request, at) => {
    const [stage, longest] = Object.entries(request.stage_ps).reduce((most, entry) => (entry[1] > most[1] ? entry : most));
    const cells = [`${at + 1}`, request.op, time(request.latency_ps), `${(request.submitted_ps / 1e9).toLocaleString('en-US', {minimumFractionDigits: 3, maximumFractionDigits: 3})} ms`, grouped(request.lba), bytes(request.bytes), `${request.job}`, request.die < 0 ? 'none' : `${request.die}`, `${stage} ${percent(longest / request.latency_ps)}`];
    const row = el('tr', {'aria-expanded': 'false', 'data-slowest': at}, cells.map((cell, i) => el('td', {class: [2, 3, 4, 5, 6, 7].includes(i) ? 'number' : null}, cell)));
    let inside = null;
    opens(row, () => {
      if (inside) {
        forget(inside);
        inside.remove();
        inside = null;
      } else {
        const stages = Object.entries(request.stage_ps).map(([name, ps]) => (isWaiting(name) ? [name, ps, 0] : [name, 0, ps]));
        const made = waterfallFigure(`Request ${at + 1} of the slowest: ${request.op} at LBA ${grouped(request.lba)}`, `${time(request.latency_ps)} from its submission on.`, stages);
        const hint = waves ? el('p', {}, 'In the waveform: ', code(`./scripts/wordline view DIR --slowest ${at + 1}`)) : null;
        inside = el('tr', {class: 'inside'}, el('td', {colspan: columns.length}, made, hint));
        row.after(inside);
        show(made);
      }
      row.setAttribute('aria-expanded', String(Boolean(inside)));
    });
    body.append(row);
  });
  return el('div', {class: 'wide'}, el('table', {id: 'slowest-table', class: 'lines'}, el('thead', {}, el('tr', {}, columns.map((name, i) => el('th', {scope: 'col', class: [2, 3, 4, 5, 6, 7].includes(i) ? 'number' : null}, name)))), body));
}

function firmwareFigure(run) {
  const entries = Object.entries(run.firmware_cycles || {}).sort((a, b) => b[1] - a[1]);
  const sum = entries.reduce((total, [, cycles]) => total + cycles, 0);
  const shown = entries.slice(0, 12);
  const rest = sum - shown.reduce((total, [, cycles]) => total + cycles, 0);
  const rows = rest > 0 ? [...shown, [`${entries.length - shown.length} others`, rest]] : shown;
  const make = (width) => ({data: [{type: 'bar', orientation: 'h', y: rows.map(([name]) => plain(name)), x: rows.map(([, cycles]) => 100 * cycles / sum), marker: {color: colours().service},
    text: rows.map(([, cycles]) => ` ${(100 * cycles / sum).toFixed(1)} %`), textposition: 'outside', cliponaxis: false, textfont: {color: colours().ink}, hovertext: rows.map(([name, cycles]) => `${plain(name)}: ${grouped(cycles)} cycles`), hoverinfo: 'text'}],
    layout: {showlegend: false, xaxis: {title: {text: 'share of the busy cycles of all cores, %'}, range: [0, 100 * roomFor(50, width) * Math.max(...rows.map(([, cycles]) => cycles)) / sum]}, yaxis: {categoryorder: 'array', categoryarray: rows.map(([name]) => plain(name)).reverse(), gridcolor: 'rgba(0,0,0,0)', fixedrange: true}}});
  return figure({title: 'What the cores work on', note: `${grouped(sum)} busy cycles, boot included. The names are the cost tags of the firmware.`, height: 90 + 24 * rows.length, make, half: true});
}

function driveText(config) {
  const {channels, cpu, nand, host} = config;
  if (!channels || !cpu) return null;
  const dies = channels.count * channels.packages * channels.dies_per_package;
  const many = (count, one, several = `${one}s`) => `${count} ${count === 1 ? one : several}`;
  return `${many(channels.count, 'channel')}, ${many(dies, 'die')}${nand && nand.cell ? ` of ${String(nand.cell).toUpperCase()}` : ''}, ${many(cpu.cores, 'core')} at ${cpu.clock} (${cpu.model})${host ? `, host model ${host.model}` : ''}.`;
}

function runPage() {
  const {run, distribution, config} = data;
  const ops = operations(run);
  const summary = section('summary', 'Summary', alarms(run), el('p', {}, run.wordline.workload, config ? el('br') : null, config ? driveText(config) : null), tiles(run));
  const {mismatches, reads_checked: checked} = run.check;
  summary.append(el('p', {class: 'soft'}, `Measured: ${time(run.window.length_ps)} of simulated time. ${grouped(checked)} reads were checked block by block, ${grouped(mismatches)} blocks differed.`));
  if (!ops.length) {
    content.append(absent('No request completed in the measurement, so there is nothing to draw. ', code('run.ramp_time'), ' may be longer than the workload.'));
    return;
  }
  section('latency', 'Latency', el('div', {class: 'pair'}, el('div', {}, latencyFigure(run, distribution)), percentileTable(run)),
    distribution ? el('p', {class: 'soft'}, 'From the buckets of all latencies in ', code(distribution.file), '.')
      : absent('Between the marks of result.json the line is drawn straight. The whole distribution appears with ', code('--fio-json-plus DIR/fio.json'), ' of ', code('wordline run --out DIR'), '.'));
  section('stages', 'Stages', el('p', {class: 'soft'}, 'Each stage begins where the one before it ends. Hatched: waiting for a resource.'), waitingSection(run));
  const channels = config && config.channels ? config.channels.count : run.utilisation.channels.length;
  section('resources', 'Resources', el('div', {class: 'pair'}, utilisationFigure(run),
    run.utilisation.dies.length > 1 ? dieFigure(run, channels, run.utilisation.dies, 'How busy each die is', 'Unequal dies mean that requests gather on some of them.') : null), bufferText(run));
  section('time', 'Over time', seriesFigure(run), data.cores_over_time ? coresFigure(data.cores_over_time)
    : absent('How busy the cores are over time: ', code('wordline run --profile'), ' with ', code('cpu.model = iss'), ' records it. The other resources are summed over the measurement.'));
  section('flash', 'Writes and wear', el('div', {class: 'pair'}, run.flash.waf === null ? absent('No write amplification: nothing was written by this workload.') : wafFigure(run), el('div', {}, wearPart(run))));
  section('energy', 'Energy', run.energy_pj.total ? energyFigure(run) : absent('The flash took no energy in this run: ', code('nand.energy'), ' has its currents.'));
  section('retries', 'Retries', el('div', {class: 'pair'}, retryPart(run)));
  section('slowest', 'Slowest requests', el('p', {class: 'soft'}, 'A click or Enter on a row shows where its time went. ', data.waves ? null : ['With ', code('observe.waves = true'), ' the waveform of each can be opened, too.']), slowestTable(run, data.waves));
  if (Object.keys(run.firmware_cycles || {}).length) section('firmware', 'Firmware', firmwareFigure(run));
  section('origin', 'Configuration and origin', originTable(run), configPart());
}

function originTable(run) {
  const {provenance = {}, wordline} = run;
  return plainTable([['', false], ['', false]], [
    ['version, revision', `${wordline.version}, ${provenance.revision || 'unknown'}`], ['seed', `${wordline.seed}`], ['SHA-256 of the configuration', code(wordline.config_sha256 || NONE)],
    ['command', code((provenance.command || []).join(' ') || NONE)],
  ]);
}

function configPart() {
  if (!data.config_text) return absent('config.toml, with every effective value, is not in the folder.');
  return el('details', {}, el('summary', {}, 'Every effective value of the configuration (config.toml)'), el('pre', {tabindex: '0'}, data.config_text));
}

// Inside the page of a study.
function pointParts(run) {
  return [alarms(run), el('p', {}, run.bottleneck.sentence), tiles(run), el('div', {class: 'pair'}, utilisationFigure(run), percentileTable(run)), waitingSection(run),
    el('div', {class: 'pair'}, run.flash.waf === null ? null : wafFigure(run), run.energy_pj.total ? energyFigure(run) : null)];
}
