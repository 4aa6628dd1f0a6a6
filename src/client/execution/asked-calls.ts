import type { Row } from '../../protocol/fact.ts'
import { pageActs } from '../../protocol/page-acts.ts'
import { type Asked, type CallRef, nowMs, toCallRef, UNKNOWN } from './person-check.ts'

/** Calls that wait for a person or the page, as far as this page was notified. */
export class AskedCalls {
  /** Entries by call, then conversation: two conversations may have a call with the same id. */
  readonly #calls = new Map<string, Map<string, Asked>>()

  /** Records a row. True if the row requests an answer. */
  note(row: Row): boolean {
    switch (row.type) {
      case 'approval-requested':
      case 'call-interrupted':
      case 'call-suspended':
      case 'output-requested':
      case 'question-asked':
        this.#ask(row.path.at(-1) ?? '', row)
        return true
      case 'approval-answered':
      case 'call-started':
      case 'call-settled': {
        const toolCallId = row.path.at(-1) ?? ''
        const places = this.#calls.get(toolCallId)
        places?.delete(row.conversationId)
        if (places?.size === 0) this.#calls.delete(toolCallId)
        return false
      }
      default:
        return false
    }
  }

  #ask(toolCallId: string, { type, conversationId, seq }: Row): void {
    const places = this.#calls.get(toolCallId) ?? new Map<string, Asked>()
    this.#calls.set(toolCallId, places)
    const turns = places.get(conversationId)?.turns ?? pageActs().turns
    const isApproval = type === 'approval-requested'
    places.set(conversationId, { turns, at: nowMs(), ...(isApproval && { seq }) })
  }

  /** Returns the entry of a call. If several match, returns the strictest combination. */
  find(call: CallRef): Asked {
    const { toolCallId, conversationId } = toCallRef(call)
    const places = this.#calls.get(toolCallId)
    if (!places) return UNKNOWN
    if (conversationId !== undefined) return places.get(conversationId) ?? UNKNOWN
    const all = [...places.values()]
    const [only = UNKNOWN] = all
    if (all.length === 1) return only
    return {
      turns: Math.min(...all.map(({ turns }) => turns)),
      at: Math.max(...all.map(({ at }) => at)),
    }
  }
}
