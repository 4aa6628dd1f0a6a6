import type { ChatContext, LocalState } from './context.ts'
import type { ShownMessage } from '../index.ts'

/** Measures how long a model thinks about an answer, where that is seen as it is written. */
export class ReasoningTimes {
  #messageId: string | null = null
  #since = 0

  /** After each drawing. */
  look({ snapshot, local }: Pick<ChatContext, 'snapshot' | 'local'>): void {
    const last = snapshot.messages.at(-1)
    const thinks =
      last?.at === undefined && last?.parts.at(-1)?.type === 'reasoning' ? last.id : null
    if (thinks === this.#messageId) return
    const now = performance.now()
    const ended = this.#messageId
    if (ended !== null && snapshot.messages.some(({ id }) => id === ended)) {
      const before = thoughtFor(local, { id: ended }) ?? 0
      local.set(thoughtKey({ id: ended }), before + now - this.#since)
    }
    this.#messageId = thinks
    this.#since = now
  }
}

/** Milliseconds; undefined: nobody has seen it. */
export function thoughtFor(
  local: LocalState,
  message: Pick<ShownMessage, 'id'>,
): number | undefined {
  return local.get(thoughtKey(message))
}

function thoughtKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `thought:${id}`
}
