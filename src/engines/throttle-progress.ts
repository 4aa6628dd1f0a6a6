import type { EngineProgress } from '../protocol/engine.ts'

/** Keeps a loader's many reports from becoming as many messages. */
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
