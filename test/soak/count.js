// Counts what a page or a worker could leave behind, and lets its time pass faster. Classic: it is there before anything
// else runs.
;(() => {
  const real = {
    now: performance.now.bind(performance),
    date: Date.now,
    set: setTimeout.bind(globalThis),
    clear: clearTimeout.bind(globalThis),
  }
  /** Milliseconds that have been skipped. A worker begins with those of its page. */
  let skipped = Number(new URLSearchParams(location.search).get('skipped') ?? 0)
  const now = () => real.now() + skipped
  performance.now = now
  globalThis.Date = new Proxy(Date, {
    construct: (Original, given, target) =>
      Reflect.construct(Original, given.length > 0 ? given : [real.date() + skipped], target),
    get: (Original, key) => (key === 'now' ? () => real.date() + skipped : Original[key]),
  })

  /** By the ids that `setTimeout` and `setInterval` return. */
  const timers = new Map()
  let ids = 0

  function arm(id) {
    const timer = timers.get(id)
    real.clear(timer.armed)
    timer.armed = real.set(() => fire(id), Math.max(0, timer.due - now()))
  }

  function fire(id) {
    const timer = timers.get(id)
    if (!timer) return
    real.clear(timer.armed)
    if (timer.every === undefined) timers.delete(id)
    else {
      timer.due += Math.max(1, timer.every)
      arm(id)
    }
    timer.run()
  }

  function begin(run, ms = 0, given, every) {
    ids += 1
    timers.set(ids, { run: () => run(...given), due: now() + Number(ms), every })
    arm(ids)
    return ids
  }

  function end(id) {
    real.clear(timers.get(id)?.armed)
    timers.delete(id)
  }

  globalThis.setTimeout = (run, ms, ...given) => begin(run, ms, given)
  globalThis.setInterval = (run, ms = 0, ...given) => begin(run, ms, given, Number(ms))
  globalThis.clearTimeout = end
  globalThis.clearInterval = end

  globalThis.clock = {
    skipped: () => skipped,
    /** How long until the next timer. Milliseconds; null without one. */
    next: () =>
      timers.size === 0
        ? null
        : Math.max(0, Math.min(...[...timers.values()].map(({ due }) => due)) - now()),
    /** Nothing runs meanwhile, as on a machine that sleeps: what is overdue comes at once, afterwards. */
    skip(ms) {
      skipped += ms
      for (const id of timers.keys()) arm(id)
    },
  }

  let transactions = 0
  const open = IDBDatabase.prototype.transaction
  IDBDatabase.prototype.transaction = function (...given) {
    const made = open.apply(this, given)
    const stop = new AbortController()
    const { signal } = stop
    const over = () => {
      transactions -= 1
      stop.abort()
    }
    transactions += 1
    made.addEventListener('complete', over, { signal })
    made.addEventListener('abort', over, { signal })
    return made
  }
  globalThis.counted = () => ({ timers: timers.size, transactions })
})()
