import type { RunEventBody } from '../protocol/event.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { UserMessage } from '../protocol/message.ts'
import { isLeftOpen, type RunOutcome } from '../protocol/run.ts'
import type { Run, SentOutcome } from './run.ts'

type Delivery = Extract<RunEventBody, { readonly type: 'message-delivered' }>

interface Open {
  readonly message: UserMessage
  readonly resolve: (outcome: SentOutcome) => void
  /** True once the message is known to be stored. */
  isQueued: boolean
}

/** Messages sent to a run, until their outcome is known. */
export class SentMessages {
  readonly #open = new Map<string, Open>()
  readonly #nextRun: (runId: string) => Run

  constructor(nextRun: (runId: string) => Run) {
    this.#nextRun = nextRun
  }

  add(messageId: string, message: UserMessage): Promise<SentOutcome> {
    return new Promise((resolve) =>
      this.#open.set(messageId, { message, resolve, isQueued: false }),
    )
  }

  isOpen(messageId: string): boolean {
    return this.#open.has(messageId)
  }

  take(body: RunEventBody): void {
    if (body.type === 'message-queued') this.queued(body.message.id)
    else if (body.type === 'message-delivered') this.#delivered(body)
    else if (body.type === 'run-snapshot')
      for (const { id = '' } of body.messages) this.#delivered({ messageId: id })
    else if (body.type === 'message-withdrawn')
      this.#decide(body.messageId, { status: 'withdrawn' })
    else if (body.type === 'message-returned' && body.message.id !== undefined)
      this.return(body.message.id)
  }

  queued(messageId: string | undefined): void {
    const open = messageId !== undefined && this.#open.get(messageId)
    if (open) open.isQueued = true
  }

  return(messageId: string, error?: ErrorData): void {
    const message = this.#open.get(messageId)?.message
    if (message) this.#decide(messageId, { status: 'returned', message, ...(error && { error }) })
  }

  /** The run continues, but this page has let go of it. */
  #leave(): void {
    for (const [id, { isQueued }] of this.#open)
      if (isQueued) this.#decide(id, { status: 'left' })
      else this.return(id)
  }

  /** The handle has ended. `isStored`: see `end`. */
  over(outcome: RunOutcome, isStored?: (messageId: string) => Promise<boolean>): void {
    if (isLeftOpen(outcome)) this.#leave()
    else void this.end(isStored)
  }

  /** The run has ended. `isStored`: whether a message is in the conversation. Default: none of these is. */
  async end(isStored?: (messageId: string) => Promise<boolean>): Promise<void> {
    for (const id of this.#open.keys()) {
      if (await isStored?.(id).catch(() => false)) this.#decide(id, { status: 'delivered' })
      else this.return(id)
    }
  }

  #delivered({ messageId, nextRunId }: Pick<Delivery, 'messageId' | 'nextRunId'>): void {
    const run = nextRunId === undefined ? undefined : this.#nextRun(nextRunId)
    this.#decide(messageId, { status: 'delivered', ...(run && { run }) })
  }

  #decide(messageId: string, outcome: SentOutcome): void {
    this.#open.get(messageId)?.resolve(outcome)
    this.#open.delete(messageId)
  }
}
