import { describeThrown } from '../../protocol/error.ts'
import { withoutHidden } from '../../lib/invisible.ts'
import { withoutSigns } from '../as-sent.ts'
import { cleanText, quote, shorten } from '../clean-text.ts'
import { viewOf } from '../dom.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { PageError } from '../page-error.ts'
import { isStandIn } from './keep-on-site.ts'

/** How long a page may take to answer. Milliseconds. */
const ANSWER_MS = 30_000
/** Of what the page says about a refusal. */
const REFUSAL_LIMIT = 200

export interface SubmitWatch {
  readonly isSubmitted: boolean
  /** What the page answers with in place of going elsewhere. */
  readonly response: Promise<unknown> | null
  stop(): void
}

/**
 * Tells the page that a form is sent for an agent, as WebMCP does: its `submit` event has `agentInvoked` and
 * `respondWith`, also where the browser has none.
 */
export function watchSubmit(form: HTMLFormElement): SubmitWatch {
  const view = viewOf(form)
  const watching = new AbortController()
  let isSubmitted = false
  let response: Promise<unknown> | null = null
  view.addEventListener(
    'submit',
    (event) => {
      // One that a script makes up sends nothing.
      if (event.target !== form || !isStandIn(event)) return
      isSubmitted = true
      const respondWith = (answer: unknown): void => {
        if (!event.defaultPrevented || event.eventPhase === 0)
          throw new view.DOMException(
            'Call preventDefault() first, and respondWith() while the event is handled.',
            'InvalidStateError',
          )
        response = Promise.resolve(answer)
        // Who waits for it hears of it.
        response.catch(() => undefined)
      }
      Object.defineProperties(event, {
        agentInvoked: { value: true, configurable: true },
        respondWith: { value: respondWith, configurable: true },
      })
    },
    { capture: true, signal: watching.signal },
  )
  return {
    get isSubmitted() {
      return isSubmitted
    },
    get response() {
      return response
    },
    stop: () => watching.abort(),
  }
}

/** The answer as a text, without secrets. Rejects with `refused-value` for what the page rejects with. */
export async function untilAnswered(
  response: Promise<unknown>,
  { live, signal }: { readonly live: LivePage; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const time = AbortSignal.timeout(ANSWER_MS)
  const ended = signal ? AbortSignal.any([signal, time]) : time
  const end = new Promise<never>((_resolve, reject) => {
    const stop = (): void =>
      reject(
        signal?.aborted
          ? (signal.reason as Error)
          : new PageError('timeout', 'The form was sent, and the page did not answer in time.'),
      )
    if (ended.aborted) stop()
    ended.addEventListener('abort', stop, { once: true })
  })
  const refusal = (thrown: unknown): never => {
    // Of a secret that is cut, the beginning would stay.
    const said = shorten(scrub(cleanText(describeThrown(thrown)), live), REFUSAL_LIMIT)
    throw new PageError('refused-value', `The page refused what was sent: ${quote(said)}`)
  }
  const text = textOf(await Promise.race([response.catch(refusal), end]))
  return scrub(withoutSigns(withoutHidden(text)), live)
}

/** The form was sent, whatever the answer is: one that has no text fails no call. */
function textOf(answer: unknown): string {
  if (typeof answer === 'string') return answer
  try {
    return JSON.stringify(answer) ?? 'Nothing.'
  } catch {
    return 'Something that JSON cannot hold.'
  }
}
