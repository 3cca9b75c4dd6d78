// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// The run over time: latencies, requests in flight, write amplification, GC, retries and busy shares by window. Results
// of older versions have none of these.

// Lines over windows. `lines` gets the colours of the page and returns {name, values, colour, dash} of each; `ends`:
// where each window ends, in ps.
function windowsFigure({title, note, ends, lines, yaxis, text}) {
  const make = () => {
    const [size, unit] = axisUnit(ends);
    // A step at each window's begin, and one more at the end of the last.
    const begins = [0, ...ends].map((ps) => ps / size);
    const shown = lines(colours());
    return {
      data: shown.map(({name, values, colour, dash}) => ({
                        name,
                        mode: 'lines',
                        line: {shape: 'hv', color: colour, width: 2, dash: dash || 'solid'},
                        x: begins,
                        y: [...values, values[values.length - 1]],
                        text: [...values, values[values.length - 1]].map((value) => `${plain(name)}: ${text(value)}`),
                        hovertemplate: '%{text}<extra></extra>',
                      })),
      layout: {
        showlegend: shown.length > 1,
        hovermode: 'x',
        xaxis: {title: {text: `since the begin of the measurement, ${unit}`}, range: [0, begins[begins.length - 1]]},
        yaxis
      }
    };
  };
  return figure({title, note, make, height: 280});
}

// Where the windows of `series` end: the last one with the measurement.
function seriesEnds(run) {
  const {width_ps: width, in_flight: windows} = run.series;
  return windows.map((_, i) => Math.min((i + 1) * width, Math.max(run.window.length_ps, i * width + 1)));
}

function latencyOverTimeFigure(run, op) {
  const lat = run.series.lat_ps[op];
  const marks = logMarks([...lat.p50, ...lat.max]);
  return windowsFigure({
    title: `Latency of ${op}s over time`,
    note: 'Median, p99 and maximum of the requests completed in each window.',
    ends: seriesEnds(run),
    lines: (c) =>
        [{name: 'maximum', values: lat.max.map((ps) => ps || null), colour: c.limit, dash: 'dot'},
         {name: 'p99', values: lat.p99.map((ps) => ps || null), colour: c.waiting, dash: 'dash'},
         {name: 'median', values: lat.p50.map((ps) => ps || null), colour: c.service},
  ],
    yaxis: {title: {text: 'latency'}, type: 'log', tickvals: marks, ticktext: marks.map(time)},
    text: time,
  });
}

function inFlightFigure(run) {
  return windowsFigure({
    title: 'Requests in flight over time',
    note: 'The mean of each window, from submission to completion.',
    ends: seriesEnds(run),
    lines: (c) => [{name: 'in flight', values: run.series.in_flight, colour: c.service}],
    yaxis: {title: {text: 'requests'}, rangemode: 'tozero'},
    text: (value) => number(value),
  });
}

function retriesOverTimeFigure(run) {
  return windowsFigure({
    title: 'Steps of read retry over time',
    note: 'Of the requests completed in each window.',
    ends: seriesEnds(run),
    lines: (c) => [{name: 'retries', values: run.series.retries, colour: c.limit}],
    yaxis: {title: {text: 'steps'}, rangemode: 'tozero'},
    text: (value) => grouped(value),
  });
}

function wafOverTimeFigure(run) {
  const {end_ps: ends, waf} = run.over_time;
  return windowsFigure({
    title: 'Write amplification over time',
    note: 'Bytes programmed over bytes that the host wrote, by window. Data come to flash later than to the drive.',
    ends,
    lines: (c) => [{name: 'write amplification', values: waf.map((value) => value || null), colour: c.service}],
    yaxis: {title: {text: 'write amplification'}, rangemode: 'tozero'},
    text: (value) => number(value),
  });
}

// A count of the drive, a second.
function countOverTimeFigure(run, title, note, counts, name) {
  const {end_ps: ends} = run.over_time;
  return windowsFigure({
    title,
    note,
    ends,
    lines: (c) =>
        [{name, values: counts.map((count, i) => count / ((ends[i] - (ends[i - 1] || 0)) / 1e12)), colour: c.other}],
    yaxis: {title: {text: `${name} a second`}, rangemode: 'tozero', tickformat: ',~s'},
    text: (value) => `${number(value)} a second`,
  });
}

const BUSY = ['dies', 'channels', 'cores', 'dram', 'link'];

function busyOverTimeFigure(run) {
  const {end_ps: ends, busy} = run.over_time;
  return windowsFigure({
    title: 'Busy over time',
    note: 'The mean of all dies, channels and cores; DRAM port and link.',
    ends,
    lines: (c) => BUSY.filter((name) => busy[name]).map((name, i) => ({
                                                          name,
                                                          values: busy[name].map((share) => 100 * share),
                                                          colour: c.series[i % c.series.length],
                                                          dash: ['solid', 'dash', 'dot', 'dashdot', 'longdash'][i % 5]
                                                        })),
    yaxis: {title: {text: 'busy, %'}, range: [0, 102]},
    text: (value) => `${number(value)} %`,
  });
}

// All that changes over time, in pairs.
function overTimeFigures(run) {
  const {series, over_time: drive} = run;
  const made = [];
  if (series.lat_ps) {
    for (const op of operations(run)) {
      if ((series.lat_ps[op].p50 || []).length) made.push(latencyOverTimeFigure(run, op));
    }
    made.push(inFlightFigure(run));
    if (series.retries.some((count) => count)) made.push(retriesOverTimeFigure(run));
  }
  if (drive && drive.end_ps.length) {
    if (drive.waf.some((value) => value)) made.push(wafOverTimeFigure(run));
    if (drive.gc_copied.some((count) => count))
      made.push(countOverTimeFigure(
          run, 'GC over time', 'Logical pages that GC copied, by window.', drive.gc_copied, 'logical pages'));
    if (drive.erases.some((count) => count))
      made.push(
          countOverTimeFigure(run, 'Erases over time', 'Block erases that ended, by window.', drive.erases, 'erases'));
    made.push(busyOverTimeFigure(run));
  }
  return made.length ? el('div', {class: 'pair'}, made) : null;
}
