import { viewOf } from '../dom.ts'
import { PageError } from '../page-error.ts'

/** How long a page may take to answer. Milliseconds. */
const ANSWER_MS = 30_000

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
      if (event.target !== form) return
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

/** The answer as a text. Rejects with `refused-value` for what the page rejects with. */
export async function untilAnswered(
  response: Promise<unknown>,
  signal: AbortSignal | undefined,
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
  try {
    return textOf(await Promise.race([response, end]))
  } catch (error) {
    if (PageError.is(error) || signal?.aborted) throw error
    throw new PageError('refused-value', `The page refused what was sent: ${String(error)}`)
  }
}

function textOf(answer: unknown): string {
  if (typeof answer === 'string') return answer
  return JSON.stringify(answer) ?? 'Nothing.'
}
