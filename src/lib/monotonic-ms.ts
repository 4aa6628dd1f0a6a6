/**
 * Milliseconds on a clock that no jump of the wall clock moves. Bound while the module loads: what a
 * page puts in the place of `performance.now` later (fake timers, for example) changes nothing here.
 */
export const monotonicMs: () => number = performance.now.bind(performance)
