// What is seen of a drawn chart, and another part of it; finer data where it is seen closer.
const airpathZoom = (() => {
  "use strict";
  const BUCKETS = 700;
  const MOST = 4_000;

  // Scales are known inside the groups that a view draws, not from outside.
  function group(view, panel) {
    const name = `concat_0_concat_${panel}_group`;
    const find = (item) => {
      for (const mark of item.items || []) {
        if (mark.marktype !== "group") continue;
        if (mark.name === name) return mark.items[0];
        for (const inner of mark.items) {
          const found = find(inner);
          if (found) return found;
        }
      }
      return undefined;
    };
    // The root is a mark; what it holds are its items.
    for (const item of view.scenegraph().root.items) {
      const found = find(item);
      if (found) return found;
    }
    throw new Error(`there is no panel ${panel}`);
  }

  function scale(view, panel, axis) {
    const { scales } = group(view, panel).context;
    const names = [`concat_0_concat_${panel}_${axis}`, `concat_0_${axis}`, axis];
    return scales[names.find((name) => scales[name])].value;
  }

  const forth = (log, value) => (log ? Math.log10(value) : value);
  const back = (log, value) => (log ? 10 ** value : value);

  // The same ends, closer together (a factor below 1), or moved by a share of what is seen.
  function changed([low, high], log, factor, move) {
    const [a, b] = [forth(log, low), forth(log, high)];
    const [middle, half] = [(a + b) / 2 + move * (b - a), ((b - a) / 2) * factor];
    return [back(log, middle - half), back(log, middle + half)];
  }

  // Indices that are enough: of each bucket the first and the last point, the least and the greatest.
  function enough(y, from, until) {
    if (until - from <= MOST) return Array.from({ length: until - from }, (_, n) => from + n);
    const kept = [];
    const size = Math.ceil((until - from) / BUCKETS);
    for (let start = from; start < until; start += size) {
      const end = Math.min(start + size, until);
      let [least, most, gap] = [-1, -1, -1];
      for (let n = start; n < end; n += 1) {
        if (y[n] === null) gap = n;
        else {
          if (least < 0 || y[n] < y[least]) least = n;
          if (most < 0 || y[n] > y[most]) most = n;
        }
      }
      const all = new Set([start, least, most, gap, end - 1].filter((n) => n >= 0));
      kept.push(...[...all].sort((a, b) => a - b));
    }
    return kept;
  }

  // First index whose value is not below; of a column in order.
  function first(column, value) {
    let [low, high] = [0, column.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Rows of a long mark for what is seen, with a point beyond each end.
  function rows({ mark, series, x, y }, [low, high]) {
    const row = (n) => (series === null ? { mark, x: x[n], y: y[n] } : { mark, series, x: x[n], y: y[n] });
    const inOrder = x.every((value, n) => n === 0 || x[n - 1] <= value);
    if (!inOrder) {
      const own = x.map((_, n) => n).filter((n) => x[n] >= low && x[n] <= high);
      return enough(own.map((n) => y[n]), 0, own.length).map((n) => row(own[n]));
    }
    const [from, until] = [Math.max(0, first(x, low) - 1), Math.min(x.length, first(x, high) + 2)];
    return enough(y, from, until).map(row);
  }

  return { scale, changed, rows };
})();
