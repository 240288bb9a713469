/* Coverage of the taxonomy by a list of works, and a set cover of the rest. */

// Returns for each value how many entries of the list and of the pool have it.
export function coverage(axes, entries, mine) {
  return axes.map((axis, n) => ({
    ...axis,
    cells: axis.cells.map(([cell, label]) => {
      const having = entries.filter((entry) => entry.cells[n].includes(cell));
      return { cell, label, axis, having, own: having.filter((entry) => mine.has(entry)).length };
    }),
  }));
}

// Returns entries that together have every missed value (a greedy set cover): repeatedly adds the entry
// with the most new values, then removes redundant ones.
export function cover(missed, entries) {
  const lacking = new Map(entries.map((entry) => [entry, []]));
  for (const value of missed) for (const entry of value.having) lacking.get(entry).push(value);
  const chosen = [];
  const left = new Set(missed);
  while (left.size) {
    let best;
    let most = 0;
    for (const [entry, values] of lacking) {
      const adds = values.filter((value) => left.has(value)).length;
      if (adds > most) [best, most] = [entry, adds];
    }
    chosen.push(best);
    for (const value of lacking.get(best)) left.delete(value);
  }
  for (const entry of [...chosen].reverse()) {
    const others = new Set(chosen.filter((other) => other !== entry).flatMap((other) => lacking.get(other)));
    if (lacking.get(entry).every((value) => others.has(value))) chosen.splice(chosen.indexOf(entry), 1);
  }
  const seen = new Set();
  return chosen.sort((a, b) => a.place - b.place).map((entry) => {
    const adds = lacking.get(entry).filter((value) => !seen.has(value));
    for (const value of adds) seen.add(value);
    return { entry, adds };
  });
}

// Counts the entries of the pool and of the list in each cell of two axes, as the tables do.
export function crossed(axes, entries, mine, rows, columns) {
  const numbers = new Map();
  const standing = (entry, n) => axes[n].ranked ? entry.cells[n].slice(0, 1) : entry.cells[n];
  for (const entry of entries) {
    for (const row of standing(entry, rows)) {
      for (const column of standing(entry, columns)) {
        const name = cellName(row, column);
        const number = numbers.get(name) || { all: 0, own: 0 };
        number.all += 1;
        if (mine.has(entry)) number.own += 1;
        numbers.set(name, number);
      }
    }
  }
  return numbers;
}

// The anchor of a cell on the page of its pair of axes.
export const cellName = (row, column) => `${row}--${column}`.replaceAll(": ", "-");
