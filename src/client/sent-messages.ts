import type { RunEventBody } from '../protocol/event.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { UserMessage } from '../protocol/message.ts'

/** What became of a message that was sent to an open run. */
export type SentOutcome =
  /** It is a message of the conversation, and the model is asked with it next. */
  | { readonly status: 'delivered' }
  /** It was taken back. */
  | { readonly status: 'withdrawn' }
  /** The run ended without it, or it could not be stored (`error`): it is no part of the conversation. */
  | { readonly status: 'returned'; readonly message: UserMessage; readonly error?: ErrorData }
  /** The run goes on without this page, or later, and the message with it. */
  | { readonly status: 'left' }

export interface SentMessage {
  readonly messageId: string
  /** Never rejects. */
  readonly outcome: Promise<SentOutcome>
  /** Takes it back. False when it was delivered, or returned, before. */
  cancel(): Promise<boolean>
}

/** The messages that were sent to a run, until it is known what became of them. */
export class SentMessages {
  readonly #open = new Map<
    string,
    { readonly message: UserMessage; readonly resolve: (outcome: SentOutcome) => void }
  >()

  add(messageId: string, message: UserMessage): Promise<SentOutcome> {
    return new Promise((resolve) => this.#open.set(messageId, { message, resolve }))
  }

  take(body: RunEventBody): void {
    if (body.type === 'message-delivered') this.#decide(body.messageId, { status: 'delivered' })
    else if (body.type === 'message-withdrawn')
      this.#decide(body.messageId, { status: 'withdrawn' })
    else if (body.type === 'message-returned' && body.message.id !== undefined)
      this.return(body.message.id)
  }

  return(messageId: string, error?: ErrorData): void {
    const message = this.#open.get(messageId)?.message
    if (message) this.#decide(messageId, { status: 'returned', message, ...(error && { error }) })
  }

  /** The handle has ended. `isLeft`: the run has not. */
  end(isLeft: boolean): void {
    for (const id of this.#open.keys())
      if (isLeft) this.#decide(id, { status: 'left' })
      else this.return(id)
  }

  #decide(messageId: string, outcome: SentOutcome): void {
    this.#open.get(messageId)?.resolve(outcome)
    this.#open.delete(messageId)
  }
}
