/**
 * Milliseconds on a clock that is unaffected by changes of the wall clock. Bound while the module loads, so that
 * a page that replaces `performance.now` later (with fake timers, for example) has no effect.
 */
export const monotonicMs: () => number = performance.now.bind(performance)
