// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// Latencies, and the run over time.

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
      const points = curve ?
          curve.share.map((share, i) => [Math.min(share, end), curve.ns[i] * 1e3]) :
          [[0, lat.min], ...MARKS.map((mark) => [shareOf(mark), lat[mark]]).filter(([share]) => share <= end)];
      return {
        name: op,
        mode: curve ? 'lines' : 'lines+markers',
        line: {color: colourOf(op), width: 2, dash: ops.length > 1 && op === 'write' ? 'dash' : 'solid'},
        x: points.map(([share]) => at(share)),
        y: points.map(([, ps]) => ps),
        text: points.map(
            ([share, ps]) => `${op}: ${+ (100 * share).toFixed(3)} % of the requests take ${time(ps)} or less`),
        hoverinfo: 'text',
      };
    });
    const marks = logMarks(traces.flatMap((trace) => trace.y));
    const ticks =
        [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999].filter((share) => share < 1 - 0.5 / most && (share || width > 460));
    return {
      data: traces,
      layout: {
        showlegend: ops.length > 1,
        xaxis: {
          title: {text: 'share of the requests that are not slower'},
          tickvals: ticks.map(at),
          ticktext: ticks.map((share) => `${+ (100 * share).toFixed(3)} %`),
          tickangle: 0
        },
        yaxis: {title: {text: 'latency'}, type: 'log', tickvals: marks, ticktext: marks.map(time)},
      }
    };
  };
  return figure({
    title: 'Latency that so many requests do not exceed',
    note: 'The further right, the rarer: the tail has as much room as the bulk.',
    make
  });
}

function seriesFigure(run) {
  const {width_ps: width, completed} = run.series;
  const ops = operations(run).filter((op) => (completed[op] || []).length);
  // The last window ends after the measurement does, so its rate would be too low.
  const whole = (op) => completed[op].slice(0, Math.max(1, Math.floor(run.window.length_ps / width)));
  const make = () => {
    const [size, unit] = axisUnit([run.window.length_ps]);
    return {
      data: ops.map(
          (op) => ({
            name: op,
            mode: 'lines',
            line:
                {shape: 'hv', color: colourOf(op), width: 2, dash: ops.length > 1 && op === 'write' ? 'dot' : 'solid'},
            x: whole(op).map((_, i) => i * width / size),
            y: whole(op).map((count) => count / (width / 1e12)),
            hovertemplate: `${op}: %{y:,.0f} IOPS from %{x:.4g} ${unit} on<extra></extra>`,
          })),
      layout: {
        showlegend: ops.length > 1,
        hovermode: 'x',
        xaxis: {title: {text: `since the begin of the measurement, ${unit}`}, rangemode: 'tozero'},
        yaxis: {title: {text: 'completed, IOPS'}, rangemode: 'tozero', tickformat: ',~s'}
      }
    };
  };
  return figure({title: 'Completed requests over time', note: `Windows of ${time(width)}.`, make});
}

function coresFigure(profile) {
  const names = Object.keys(profile.cores);
  const make = () => {
    const [size, unit] = axisUnit([Math.max(...profile.time_us) * 1e6]);
    return {
      data: names.map((name, i) => ({
                        name: name.replace('core', 'core '),
                        mode: 'lines',
                        line: {shape: 'hv', color: colours().series[i % 7], width: 1.6},
                        x: profile.time_us.map((us) => us * 1e6 / size),
                        y: profile.cores[name].map((share) => 100 * share),
                        hovertemplate: `${plain(name)}: %{y:.0f} % at %{x:.4g} ${unit}<extra></extra>`,
                      })),
      layout: {
        showlegend: true,
        xaxis: {title: {text: `simulated time since power-on, ${unit}`}},
        yaxis: {title: {text: 'busy, %'}, range: [0, 102]}
      }
    };
  };
  return figure({title: 'How busy the cores are over time', make});
}
