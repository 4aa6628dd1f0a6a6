import type { RunRef } from '../protocol/scope.ts'
import type { RunEvent, RunEventBody } from '../protocol/event.ts'
import type { RunOutcome, RunResult } from '../protocol/run.ts'
import { createEventLog } from './event-log.ts'
import { stopReason } from './failures.ts'
import type { RunInput } from './options.ts'
import type { Run, SendOptions, SentMessage } from './run.ts'
import { RunChildren } from './run-children.ts'
import { SentMessages } from './sent-messages.ts'

/** How long a worker may take to confirm an abort before the handle ends by itself. Milliseconds. */
const ABORT_GRACE_MS = 60

const NOTHING_YET = {
  text: '',
  toolCalls: [],
  steps: 0,
  usage: { modelCalls: 0 },
  finishReason: 'other',
} as const

export interface RunHandle {
  readonly run: Run
  readonly events: readonly RunEvent[]
  readonly children: RunChildren
  /** Handle of the run that began as this one ended. */
  readonly next: RunHandle | null
  /** Set once an abort was requested. */
  readonly abortReason: string | undefined
  push(bodies: readonly RunEventBody[]): void
  /** Ends the handle with what it has seen. Does nothing once it has ended. */
  end(outcome: RunOutcome): void
}

export interface RunObserver {
  /** Returns the result so far. Undefined as long as no worker was asked for anything. */
  resultOf(outcome: RunOutcome): RunResult | undefined
  onAbort(reason: string): void
  /** Makes a message of the input, and queues it. */
  onSend(input: RunInput, options: SendOptions, sent: SentMessages): SentMessage
  /** Returns the handle of the run that began as this one ended. */
  onNext(runId: string): RunHandle
  /** Returns the handles of child runs that have ended. */
  endedChildren(): Promise<readonly Run[]>
  /** Whether the stored conversation has this message. */
  isStored(messageId: string): Promise<boolean>
  onEnd(): void
  /** Called when the run ended here without a notice from the worker. */
  onLeft(outcome: RunOutcome): void
}

export function createRunHandle(ref: RunRef, observer: RunObserver): RunHandle {
  const log = createEventLog(ref)
  const sent = new SentMessages((runId) => observer.onNext(runId).run)
  let next: RunHandle | null = null
  let ended = false
  let isOwn = false
  let abortReason: string | undefined
  let resolveResult: (result: RunResult) => void
  const result = new Promise<RunResult>((resolve) => (resolveResult = resolve))
  const children = new RunChildren(result, () => observer.endedChildren())

  const push = (bodies: readonly RunEventBody[]): void => {
    if (ended) return
    const { taken, end } = untilEnd(bodies)
    log.append(taken)
    for (const body of taken) sent.take(body)
    if (end === null) return
    ended = true
    next = isOwn ? null : nextOf(end, observer)
    sent.over(end, isOwn ? observer.isStored : undefined)
    log.close()
    resolveResult(end)
    observer.onEnd()
  }
  const end = (outcome: RunOutcome): void => {
    if (ended) return
    const result = observer.resultOf(outcome) ?? { ...NOTHING_YET, ...ref, ...outcome }
    // The page doesn't know what the worker has stored meanwhile.
    isOwn = true
    push([{ type: 'run-end', result }])
    observer.onLeft(outcome)
  }

  return {
    run: {
      ...ref,
      result,
      send: (input, options = {}) => {
        const message = observer.onSend(input, options, sent)
        if (ended) void sent.end()
        return message
      },
      abort(why?: unknown) {
        if (ended || abortReason !== undefined) return
        abortReason = stopReason(why)
        observer.onAbort(abortReason)
        setTimeout(end, ABORT_GRACE_MS, { outcome: 'aborted', reason: abortReason })
      },
      children: { [Symbol.asyncIterator]: children.iterate },
      [Symbol.asyncIterator]: log.iterate,
    },
    children,
    events: log.entries,
    get abortReason() {
      return abortReason
    },
    get next() {
      return next
    },
    push,
    end,
  }
}

interface Taken {
  readonly taken: readonly RunEventBody[]
  readonly end: RunResult | null
}

/** Drops everything after the run's end. */
function untilEnd(bodies: readonly RunEventBody[]): Taken {
  for (const [at, body] of bodies.entries())
    if (body.type === 'run-end') return { taken: bodies.slice(0, at + 1), end: body.result }
  return { taken: bodies, end: null }
}

function nextOf({ nextRunId }: RunResult, { onNext }: RunObserver): RunHandle | null {
  return nextRunId === undefined ? null : onNext(nextRunId)
}
