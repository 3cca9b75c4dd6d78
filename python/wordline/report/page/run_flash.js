// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// What was programmed and why, wear, energy, retries.

const PARTS = {
  host: 'data of the host',
  merge: 'completed partial pages',
  gc: 'copies of GC',
  padding: 'padding',
  failed: 'failed programs'
};

// Parts of a whole, by size; `format` shows a value.
function partsFigure(title, note, parts, format, axisTitle, scale = 1) {
  const shown = parts.filter(([, value]) => value > 0);
  const sum = shown.reduce((total, [, value]) => total + value, 0);
  const make = (width) => ({
    data: [{
      type: 'bar',
      orientation: 'h',
      y: shown.map(([name]) => name),
      x: shown.map(([, value]) => value / scale),
      marker: {color: colours().service},
      text: shown.map(([, value]) => ` ${format(value)}, ${percent(value / sum)}`),
      textposition: 'outside',
      cliponaxis: false,
      textfont: {color: colours().ink},
      hoverinfo: 'y+text',
    }],
    layout: {
      showlegend: false,
      xaxis: {
        title: {text: axisTitle},
        range: [0, roomFor(100, width) * Math.max(...shown.map(([, value]) => value)) / scale]
      },
      yaxis: {
        categoryorder: 'array',
        categoryarray: shown.map(([name]) => name).reverse(),
        gridcolor: 'rgba(0,0,0,0)',
        fixedrange: true
      }
    }
  });
  return figure({title, note, height: 90 + 30 * shown.length, make, half: true});
}

function wafFigure(run) {
  const parts = Object.entries(run.flash.waf_parts).map(([name, value]) => [PARTS[name] || name, value]);
  return partsFigure(
      `Write amplification ${run.flash.waf.toFixed(3)}, by what was programmed`,
      'Bytes programmed for each byte that the host wrote.', parts, (value) => value.toFixed(3),
      'bytes per byte of the host');
}

function energyFigure(run) {
  const {nand_array_by_operation: array, nand_bus: bus, nand_standby: standby, total} = run.energy_pj;
  const parts = [
    ...Object.entries(array || {}).map(([name, value]) => [`array, ${name}`, value]), ['flash bus', bus],
    ['standby', standby]
  ];
  const [size, unit] = axisUnit(parts.map(([, value]) => value), ENERGIES);
  return partsFigure(
      `Energy of the flash: ${energy(total)}`, 'Controller, DRAM and link are not in it.', parts, energy,
      `energy, ${unit}`, size);
}

function blockTable(run) {
  const {blocks, gc} = run;
  return plainTable([['blocks and GC', false], ['', true]], [
    ['erases of the superblock erased least', number(blocks.erases_min)],
    ['erases in the mean', number(blocks.erases_mean)],
    ['erases of the superblock erased most', number(blocks.erases_max)],
    ['superblocks taken up by GC', number(gc.superblocks)],
    ['logical pages copied by GC', number(gc.sectors_copied)],
    ['copied per superblock', number(gc.copied_per_superblock)],
    ['erased superblocks at the end', number(gc.free_superblocks)],
    ['bad blocks: from the factory, grown', `${number(blocks.marked_bad)}, ${number(blocks.grown_bad)}`],
    ['spare blocks in use', number(blocks.spares_used)],
  ]);
}

function wearPart(run) {
  const erases = run.blocks.erases_by_block;
  if (!Array.isArray(erases)) {
    return absent('No wear map: this result.json is of a version without ', code('blocks.erases_by_block'), '.');
  }
  if (!erases.some((count) => count > 0)) {
    return absent(
        'No wear map: no block has been erased. ', code('precondition.fill = steady'),
        ' begins with a drive that was overwritten.');
  }
  return wearFigure(erases);
}

function wearFigure(erases) {
  const width = Math.min(32, erases.length);
  const rows = Math.ceil(erases.length / width);
  const z =
      Array.from({length: rows}, (_, row) => Array.from({length: width}, (_, i) => erases[row * width + i] ?? null));
  const make = () => ({
    data: [{
      type: 'heatmap',
      z,
      x: Array.from({length: width}, (_, i) => i),
      y: z.map((_, row) => `${row * width}`),
      colorscale: 'Cividis',
      zmin: 0,
      zmax: Math.max(...erases),
      xgap: 1,
      ygap: 1,
      colorbar: {title: {text: 'erases', side: 'right'}, thickness: 12, outlinewidth: 0},
      hoverongaps: false,
      customdata: z.map((line, row) => line.map((_, i) => row * width + i)),
      hovertemplate: 'block %{customdata}: %{z} erases<extra></extra>',
    }],
    layout: {
      xaxis: {title: {text: 'block number, counted from the first of the row'}, gridcolor: 'rgba(0,0,0,0)'},
      yaxis: {title: {text: 'first block'}, type: 'category', autorange: 'reversed', gridcolor: 'rgba(0,0,0,0)'}
    }
  });
  return figure({
    title: 'Wear: erases by block number',
    note: `From ${Math.min(...erases)} to ${Math.max(...erases)}, with those before the run; of all dies, the most.`,
    height: Math.min(520, 150 + 26 * rows),
    make
  });
}

function retryPart(run) {
  const {flash, ecc} = run;
  const facts = plainTable([['decoding', false], ['', true]], [
    ['codewords by tier 1 (bit flipping)', number(ecc.tier1)],
    ['codewords by tier 2 (min-sum)', number(ecc.tier2)],
    ['decodings in which both failed', number(ecc.failed)],
    ['raw bit errors corrected', number(ecc.bit_errors_corrected)],
    ['reads repeated at another retry step', number(flash.retries)],
    ['reads for soft decoding', number(flash.soft_reads)],
    ['logical pages that nothing decoded', number(flash.uncorrectable)],
  ]);
  const by = flash.retries_by_layer;
  if (!flash.retries && !flash.soft_reads)
    return [
      facts,
      absent(
          'No read was repeated. ', code('nand.aging.pe_cycles'), ' and ', code('nand.aging.retention_days'),
          ' wear and age the flash until reads need retries.')
    ];
  if (!Array.isArray(by))
    return [
      facts,
      absent('No retries by layer: this result.json is of a version without ', code('flash.retries_by_layer'), '.')
    ];
  const make = () => ({
    data: [{
      type: 'bar',
      x: by.map((_, i) => i),
      y: by,
      marker: {color: colours().service},
      hovertemplate: 'layer %{x}: %{y} retries<extra></extra>'
    }],
    layout: {
      showlegend: false,
      xaxis: {title: {text: 'h-layer of the word line'}},
      yaxis: {title: {text: 'repeated reads'}, rangemode: 'tozero'}
    }
  });
  return [facts, figure({title: 'Repeated reads by layer', make})];
}
