/** Progress that a tool reported, as far as it can be shown. */
export interface Progress {
  /** Between 0 and 1. */
  readonly ratio?: number
  readonly text?: string
}

/**
 * Reads what a tool passed to `progress`: a text, a number between 0 and 1, or an object with `progress`, `total` and
 * `message` as MCP has them.
 */
export function progressOf(progress: unknown): Progress {
  if (typeof progress === 'string') return { text: progress }
  if (typeof progress === 'number') return ratioOf(progress, 1)
  if (typeof progress !== 'object' || progress === null) return {}
  const { progress: done, total, message } = progress as Record<string, unknown>
  return {
    ...(typeof done === 'number' && ratioOf(done, typeof total === 'number' ? total : 1)),
    ...(typeof message === 'string' && { text: message }),
  }
}

function ratioOf(done: number, total: number): Progress {
  const ratio = done / total
  return ratio >= 0 && ratio <= 1 ? { ratio } : {}
}
