/**
 * Milliseconds on a clock that is unaffected by changes of the wall clock. Bound when the module loads, so that a later
 * replacement of `performance.now` (such as fake timers) has no effect.
 */
export const monotonicMs: () => number = performance.now.bind(performance)
