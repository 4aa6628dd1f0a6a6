import type { Row } from '../protocol/fact.ts'
import { pageActs } from '../protocol/page-acts.ts'
import type { CallRef } from './call-answers.ts'
import { nowMs } from './presses.ts'
import { whereShown } from './where-shown.ts'

/** When this page got to know that a call waits for somebody. */
export interface Asked {
  /** `turns` of the page tools, at the first time. */
  readonly turns: number
  /** Of the newest time, as `nowMs`. */
  readonly at: number
  /** Of the row that asks for an approval. */
  readonly seq?: number
}

type CallName = Exclude<CallRef, string>

/** Of a call that isn't here: since the page's load. */
const UNKNOWN: Asked = { turns: 0, at: 0 }

/** The calls that wait for a person or the page, as far as this page has been notified of it. */
export class AskedCalls {
  /** By call and conversation: ids can be equal in two. */
  readonly #calls = new Map<string, Map<string, Asked>>()

  /** True for a row that has somebody asked. */
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

  /** Of several that may be meant: the strictest. */
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

/** Which call is meant, as it is said now: what a caller passed may be an event, a pending call, or nothing at all. */
export function refOf(call: CallRef): CallName {
  // One that is none is refused where it is read: it has no id.
  const given = typeof call === 'string' ? { toolCallId: call } : (call ?? ({} as CallName))
  const { conversationId = whereShown(given), toolCallId, input } = given
  return { toolCallId, input, conversationId }
}
