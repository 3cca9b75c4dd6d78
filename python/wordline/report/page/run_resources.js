// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// How busy links, cores, channels, dies and engines are, and what was short.

const RESOURCES = {
  dram: 'DRAM',
  retry: 'retry controllers'
};

// Groups with the least, mean and greatest share of their members.
function resources(run) {
  const rows = [];
  const group = (name, value) => {
    if (Array.isArray(value) ? !value.length : value === null || value === undefined) return;
    if (Array.isArray(value)) {
      const mean = value.reduce((a, b) => a + b, 0) / value.length;
      rows.push({name, least: Math.min(...value), mean, most: Math.max(...value), members: value.length});
    } else if (typeof value === 'object')
      rows.push({name, ...value});
    else
      rows.push({name, least: value, mean: value, most: value, members: 1});
  };
  const {cores} = run.utilisation;
  for (const [name, value] of Object.entries(run.utilisation)) {
    if (name === 'cores' && Array.isArray(cores) && cores.length <= 8) {
      cores.forEach(
          (share, i) =>
              rows.push({name: `core ${i}`, group: 'cores', least: share, mean: share, most: share, members: 1}));
    } else
      group(name, value);
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
    return {
      data: [
        {
          type: 'bar',
          orientation: 'h',
          y: rows.map(label),
          x: rows.map((row) => 100 * row.mean),
          marker: {
            color: rows.map(
                (row) =>
                    (row === busiest(resource) ? c.limit :
                         row === busiest(next) ? c.waiting :
                                                 c.service))
          },
          error_x: {
            type: 'data',
            symmetric: false,
            array: rows.map((row) => 100 * (row.most - row.mean)),
            arrayminus: rows.map((row) => 100 * (row.mean - row.least)),
            color: c.ink,
            thickness: 1.5,
            width: 0
          },
          hoverinfo: 'text',
          hovertext: rows.map(
              (row) => `${plain(label(row))}: mean ${percent(row.mean)}, min ${percent(row.least)}, max ${
                  percent(row.most)}`),
        },
        {
          mode: 'text',
          y: rows.map(label),
          x: rows.map((row) => 100 * row.most + 1),
          textposition: 'middle right',
          cliponaxis: false,
          textfont: {color: c.ink},
          hoverinfo: 'skip',
          text: rows.map(
              (row) =>
                  (!brief && row.members > 1 && row.most - row.least >= 0.005 ?
                       `${percent(row.mean)} (${percent(row.least)} to ${percent(row.most)})` :
                       percent(row.mean))),
        }
      ],
      layout: {
        showlegend: false,
        xaxis: {
          title: {text: 'busy share, %'},
          range: [0, 100 * roomFor(brief ? 40 : 130, width)],
          tickvals: [0, 20, 40, 60, 80, 100]
        },
        yaxis: {
          categoryorder: 'array',
          categoryarray: rows.map(label).reverse(),
          gridcolor: 'rgba(0,0,0,0)',
          fixedrange: true
        },
      }
    };
  };
  const note = `Bars are means; the thin line goes from the min to the max of their members.${
      busiest(resource) ? ' Dark orange: what limits.' :
                          ''}${busiest(next) ? ' Light orange: what gains next, by experiment.' : ''}`;
  return figure({title: 'How busy each resource is', note, height: 90 + 27 * rows.length, make});
}

const BUFFERS = {
  read_waiting: 'first read waits for a read buffer slot',
  write_waiting: 'first write waits for a write buffer slot',
  gc_waiting: 'GC waits for its buffer',
  space_waiting: 'host data wait for an erased superblock or the pace of GC',
  job_waiting: 'first request waits for a flash job id',
};

function bufferText(run) {
  const short = Object.entries(run.buffer).filter(([, share]) => share >= 0.0005);
  if (!short.length) return el('p', {class: 'soft'}, 'No buffer, job id or free space was ever short.');
  return plainTable(
      [['what was short', false], ['share of the measurement', true]],
      short.map(([name, share]) => [BUFFERS[name] || name, percent(share)]));
}

// What each resource would gain, by runs of --what-if.
function whatIfTable(run) {
  const rows = run.what_if || [];
  if (!rows.length) {
    return absent(
        'What more of a resource would gain is known by experiment only: ', code('./scripts/wordline run --what-if'),
        ' repeats the run with each of them improved.');
  }
  const change = (share) => `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)} %`;
  const within = (half) => (half < 0 ? NONE : `+-${(100 * half).toFixed(1)}`);
  return plainTable(
      [
        ['what if', false], ['IOPS', true], ['95 %', true], ['mean latency', true], ['95 %', true], ['read p99', true],
        ['95 %', true], ['by', false]
      ],
      rows.map(
          (row) =>
              [row.change, change(row.iops_gain), within(row.half_width), change(row.latency_change),
               within(row.latency_half_width), change(row.read_p99_change), within(row.read_p99_half_width),
               [code(row.settings), row.note ? ` ${row.note}` : '']]));
}

// Shares of all dies in the order of the hardware: channels to the right, dies of a channel downwards.
function dieFigure(run, channels, shares, title, note) {
  const perChannel = shares.length / channels;
  const z = Array.from(
      {length: perChannel},
      (_, die) => Array.from({length: channels}, (_, channel) => 100 * shares[die * channels + channel]));
  const make = () => ({
    data: [{
      type: 'heatmap',
      z,
      x: Array.from({length: channels}, (_, i) => `${i}`),
      y: Array.from({length: perChannel}, (_, i) => `${i}`),
      colorscale: 'Cividis',
      zmin: 0,
      zmax: 100,
      xgap: 2,
      ygap: 2,
      colorbar: {title: {text: 'busy, %', side: 'right'}, thickness: 12, outlinewidth: 0},
      texttemplate: shares.length <= 64 ? '%{z:.0f}' : '',
      hovertemplate: 'channel %{x}, die %{y} of it: %{z:.1f} %<extra></extra>',
    }],
    layout: {
      xaxis: {title: {text: 'channel'}, type: 'category', gridcolor: 'rgba(0,0,0,0)'},
      yaxis: {title: {text: 'die of the channel'}, type: 'category', autorange: 'reversed', gridcolor: 'rgba(0,0,0,0)'}
    }
  });
  return figure({title, note, height: Math.min(560, 130 + 30 * perChannel), make});
}

function firmwareFigure(run) {
  const entries = Object.entries(run.firmware_cycles || {}).sort((a, b) => b[1] - a[1]);
  const sum = entries.reduce((total, [, cycles]) => total + cycles, 0);
  const shown = entries.slice(0, 12);
  const rest = sum - shown.reduce((total, [, cycles]) => total + cycles, 0);
  const rows = rest > 0 ? [...shown, [`${entries.length - shown.length} others`, rest]] : shown;
  const make = (width) => ({
    data: [{
      type: 'bar',
      orientation: 'h',
      y: rows.map(([name]) => plain(name)),
      x: rows.map(([, cycles]) => 100 * cycles / sum),
      marker: {color: colours().service},
      text: rows.map(([, cycles]) => ` ${(100 * cycles / sum).toFixed(1)} %`),
      textposition: 'outside',
      cliponaxis: false,
      textfont: {color: colours().ink},
      hovertext: rows.map(([name, cycles]) => `${plain(name)}: ${grouped(cycles)} cycles`),
      hoverinfo: 'text'
    }],
    layout: {
      showlegend: false,
      xaxis: {
        title: {text: 'share of the busy cycles of all cores, %'},
        range: [0, 100 * roomFor(50, width) * Math.max(...rows.map(([, cycles]) => cycles)) / sum]
      },
      yaxis: {
        categoryorder: 'array',
        categoryarray: rows.map(([name]) => plain(name)).reverse(),
        gridcolor: 'rgba(0,0,0,0)',
        fixedrange: true
      }
    }
  });
  return figure({
    title: 'What the cores work on',
    note: `${grouped(sum)} busy cycles, boot included. The names are the cost tags of the firmware.`,
    height: 90 + 24 * rows.length,
    make,
    half: true
  });
}
