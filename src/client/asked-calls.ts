import type { Row } from '../protocol/fact.ts'
import { pageActs } from '../protocol/page-acts.ts'
import type { CallRef } from './call-answers.ts'
import { nowMs } from './presses.ts'
import { whereShown } from './where-shown.ts'

/** When this page learned that a call waits for an answer. */
export interface Asked {
  /** Turns of page tools when it first learned so. */
  readonly turns: number
  /** Time of the newest request, on the clock of `nowMs`. */
  readonly at: number
  /** Seq of the row that requests approval. */
  readonly seq?: number
}

type CallName = Exclude<CallRef, string>

/** Entry for a call that this page doesn't know: waiting since the page's load. */
const UNKNOWN: Asked = { turns: 0, at: 0 }

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
    const { toolCallId, conversationId } = refOf(call)
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

/** Copies the reference to a call. A caller may pass an event, a pending call, or nothing at all. */
export function refOf(call: CallRef): CallName {
  // An invalid reference has no id, and is refused where the id is read.
  const given = typeof call === 'string' ? { toolCallId: call } : (call ?? ({} as CallName))
  const { conversationId = whereShown(given), toolCallId, input } = given
  return { toolCallId, input, conversationId }
}
