import type { EngineProgress } from '../protocol/engine.ts'

/** Limits how many of a loader's frequent progress reports are sent. */
export function throttleProgress(
  report: (progress: EngineProgress) => void,
  intervalMs = 100,
): (progress: EngineProgress) => void {
  let last = Number.NEGATIVE_INFINITY
  return (progress) => {
    const isLast = progress.total !== undefined && progress.loaded === progress.total
    if (!isLast && performance.now() - last < intervalMs) return
    last = performance.now()
    report(progress)
  }
}
