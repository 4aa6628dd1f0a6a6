import { OffstageError } from '../protocol/error.ts'
import type { CallRef } from './call-answers.ts'
import { isPersonActing, pageActs } from '../protocol/page-acts.ts'

/**
 * Keeps a model from giving a person's word: with page tools it can press the page's own buttons. An
 * answer is refused while they act and, once they have acted since the call was asked about, until a
 * person acts.
 */
export class Consent {
  /** `turns` of the page tools when a call was asked about. One that isn't here: since the page's load. */
  readonly asked: Map<string, number> = new Map()

  /** Throws `consent-refused`. To be called before anything is awaited. */
  check(call: CallRef): void {
    const toolCallId = typeof call === 'string' ? call : call?.toolCallId
    const acts = pageActs()
    const acted = acts.open > 0 || acts.turns > (this.asked.get(toolCallId) ?? 0)
    if (acted && !isPersonActing(acts))
      throw new OffstageError(
        'consent-refused',
        'Only a person may answer this, and page tools were acting on the page. Press again.',
        { retryable: true },
      )
  }
}
