// Counts what a page or a worker could leave behind. Classic: it is there before anything else runs.
;(() => {
  const timers = new Set()
  for (const [set, clear] of [
    ['setTimeout', 'clearTimeout'],
    ['setInterval', 'clearInterval'],
  ]) {
    const [begin, end] = [globalThis[set], globalThis[clear]]
    globalThis[set] = (run, ...more) => {
      const timer = begin(
        (...given) => {
          if (set === 'setTimeout') timers.delete(timer)
          run(...given)
        },
        ...more,
      )
      timers.add(timer)
      return timer
    }
    globalThis[clear] = (timer) => {
      timers.delete(timer)
      end(timer)
    }
  }
  let transactions = 0
  const begin = IDBDatabase.prototype.transaction
  IDBDatabase.prototype.transaction = function (...given) {
    const made = begin.apply(this, given)
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
