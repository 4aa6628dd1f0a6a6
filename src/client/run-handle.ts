import type { RunRef } from '../protocol/scope.ts'
import type { RunEvent, RunEventBody } from '../protocol/event.ts'
import { isLeftOpen, type RunOutcome, type RunResult } from '../protocol/run.ts'
import { createEventLog } from './event-log.ts'
import { stopReason } from './failures.ts'
import type { RunInput } from './options.ts'
import { SentMessages, type SentMessage } from './sent-messages.ts'

/** How long a worker may take to confirm an abort before the handle ends by itself. Milliseconds. */
const ABORT_GRACE_MS = 60

const NOTHING_YET = {
  text: '',
  toolCalls: [],
  steps: 0,
  usage: { modelCalls: 0 },
  finishReason: 'other',
} as const

/**
 * A run as the page holds it. Every iterator starts at the first event and never throws; leaving the
 * loop detaches and aborts nothing.
 */
export interface Run extends AsyncIterable<RunEvent> {
  readonly runId: string
  readonly conversationId: string
  /** Resolves for everything that can happen in a run; never rejects. */
  readonly result: Promise<RunResult>
  /**
   * Says something to the open run. `next-step` (default): the model reads it when it is asked next, after the
   * results of the step's calls. `now`: the step is cut short for it; what the model has said of it is kept, calls
   * that run are stopped, and those that wait for a person are denied. It is never taken as the answer to a
   * question or approval. What is not delivered when the run ends is returned, as the `outcome` and as an event.
   * Throws `invalid-input` when there is nothing in it.
   */
  send(input: RunInput, options?: { readonly when?: 'next-step' | 'now' }): SentMessage
  /** Ends the run. `result` resolves within 100 ms, whatever the worker does. */
  abort(reason?: string): void
  // Not by a second argument of `AsyncIterable`, which TypeScript before 5.6 doesn't know.
  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined>
}

export interface RunHandle {
  readonly run: Run
  readonly events: readonly RunEvent[]
  /** Set once an abort was asked for. */
  readonly abortReason: string | undefined
  push(bodies: readonly RunEventBody[]): void
  /** Ends the handle with what it has seen. Does nothing once it has ended. */
  end(outcome: RunOutcome): void
}

export interface RunObserver {
  /** What the run has come to. Undefined as long as nothing can have come: nothing has asked a worker. */
  resultOf(outcome: RunOutcome): RunResult | undefined
  onAbort(reason: string): void
  /** Makes a message of the input, and has it queued. */
  onSend(input: RunInput, when: 'next-step' | 'now', sent: SentMessages): SentMessage
  /** Whether a message is one of the stored conversation. */
  isStored(messageId: string): Promise<boolean>
  onEnd(): void
  /** It ended here, without a word of the worker. */
  onLeft(outcome: RunOutcome): void
}

export function createRunHandle(ref: RunRef, observer: RunObserver): RunHandle {
  const log = createEventLog(ref)
  const sent = new SentMessages()
  let ended = false
  let isOwn = false
  let abortReason: string | undefined
  let resolveResult: (result: RunResult) => void
  const result = new Promise<RunResult>((resolve) => (resolveResult = resolve))

  const push = (bodies: readonly RunEventBody[]): void => {
    if (ended) return
    const last = bodies.findIndex((body) => body.type === 'run-end')
    const taken = last < 0 ? bodies : bodies.slice(0, last + 1)
    log.append(taken)
    for (const body of taken) sent.take(body)
    const end = bodies[last]
    if (end?.type !== 'run-end') return
    ended = true
    if (isLeftOpen(end.result)) sent.leave()
    else void sent.end(isOwn ? observer.isStored : undefined)
    log.close()
    resolveResult(end.result)
    observer.onEnd()
  }
  const end = (outcome: RunOutcome): void => {
    if (ended) return
    const result = observer.resultOf(outcome) ?? { ...NOTHING_YET, ...ref, ...outcome }
    // What the worker has stored meanwhile isn't known here.
    isOwn = true
    push([{ type: 'run-end', result }])
    observer.onLeft(outcome)
  }

  return {
    run: {
      ...ref,
      result,
      send: (input, { when = 'next-step' } = {}) => {
        const message = observer.onSend(input, when, sent)
        if (ended) void sent.end()
        return message
      },
      abort(why?: unknown) {
        if (ended || abortReason !== undefined) return
        const reason = stopReason(why)
        abortReason = reason
        observer.onAbort(reason)
        setTimeout(end, ABORT_GRACE_MS, { outcome: 'aborted', reason })
      },
      [Symbol.asyncIterator]: log.iterate,
    },
    events: log.entries,
    get abortReason() {
      return abortReason
    },
    push,
    end,
  }
}
