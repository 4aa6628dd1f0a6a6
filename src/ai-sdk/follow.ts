import type { Conversation, ConversationSnapshot, Run, RunOutcome } from '../index.ts'
import { PartStream } from './part-stream.ts'
import { dataParts, partsOf } from './parts-of.ts'
import { metadataOf } from './to-ui-messages.ts'
import type { UIChunk, UIMessageLike, UIMetadata } from './ui-message.ts'

type FinishReason = Extract<UIChunk, { type: 'finish' }>['finishReason']

/**
 * Id of the message before the answer. Null: the answer begins the conversation. Undefined: there is no such message.
 */
export type After = string | null | undefined

export interface Followed {
  readonly conversation: Conversation
  /** Id of the user message that is answered, once known. */
  readonly after: After | Promise<After>
  /** The run, if this page started it. */
  readonly run?: Run
  /** The part of the answer that the chat already shows. */
  readonly shown?: UIMessageLike
  /** Calls answered just now, which snapshots may still show as pending. */
  readonly answered?: ReadonlySet<string>
  /** Receives a function that ends the stream as stopped. */
  readonly onStop?: (stop: () => void) => void
}

/**
 * Streams an answer in the AI SDK's form, until its run ends or waits for a person. Cancelling the stream doesn't stop
 * the run.
 */
export function follow(followed: Followed): ReadableStream<UIChunk> {
  let leave = (): void => undefined
  return new ReadableStream<UIChunk>({
    start(controller) {
      leave = new Follower(followed, controller).leave
    },
    cancel: () => leave(),
  })
}

class Follower {
  readonly #followed: Followed
  readonly #controller: ReadableStreamDefaultController<UIChunk>
  readonly #parts: PartStream
  readonly #unsubscribe: () => void
  /** The run, if this page started it. Otherwise its end is read from the snapshot. */
  #run: Run | undefined
  #runId: string | undefined
  #ended: RunOutcome | undefined
  #isOver = false
  /** Set once the id is known. */
  #after: { readonly id: After } | undefined

  constructor(followed: Followed, controller: ReadableStreamDefaultController<UIChunk>) {
    this.#followed = followed
    this.#controller = controller
    this.#parts = new PartStream(followed.shown)
    this.#run = followed.run
    this.#runId = followed.run?.runId
    this.#unsubscribe = followed.conversation.subscribe(this.#changed)
    followed.onStop?.(() => this.#end({ outcome: 'aborted', reason: 'stopped' }))
    void this.#begin()
  }

  async #begin(): Promise<void> {
    const { after, run } = this.#followed
    this.#after = { id: await after }
    this.#changed()
    const result = await run?.result
    if (!result) return
    // Another tab resumes the run.
    if (result.outcome === 'aborted' && result.reason === 'taken-over') this.#run = undefined
    else this.#ended = result
    this.#changed()
  }

  readonly leave = (): void => {
    this.#isOver = true
    this.#unsubscribe()
  }

  readonly #changed = (): void => {
    if (this.#isOver || !this.#after) return
    const snapshot = this.#followed.conversation.getSnapshot()
    if (snapshot.status === 'loading' || this.#seemsToWait(snapshot)) return
    this.#runId ??= snapshot.runId
    const answer = this.#answerIn(snapshot)
    // Messages sent to the run before its first answer are shown with that answer.
    const first = answer?.find(({ role }) => role === 'assistant')
    if (answer && first) {
      this.#send(this.#parts.update(first.id, partsOf(answer, snapshot.run?.messageId)))
      this.#send(this.#parts.updateData(dataParts(snapshot)))
    }
    const isOpen = this.#run
      ? !this.#ended
      : snapshot.runId !== undefined && snapshot.runId === this.#runId
    if (!isOpen) this.#end(this.#ended ?? snapshot.ended ?? { outcome: 'completed' })
    else if (answer && isResting(snapshot)) this.#rest()
  }

  /** Whether the snapshot still shows an answered call as pending. */
  #seemsToWait({ pending }: ConversationSnapshot): boolean {
    const { answered } = this.#followed
    return !this.#ended && pending.some(({ toolCallId }) => answered?.has(toolCallId))
  }

  /** Messages of the answer; undefined until the snapshot has the question. */
  #answerIn({ messages }: ConversationSnapshot): ConversationSnapshot['messages'] | undefined {
    const id = this.#after?.id
    if (id === null) return messages
    const at = messages.findIndex((message) => message.id === id)
    return at < 0 ? undefined : messages.slice(at + 1)
  }

  #send(chunks: readonly UIChunk[]): void {
    for (const chunk of chunks) this.#controller.enqueue(chunk)
  }

  /** Ends the stream of a waiting run: the chat must be free for the person's answer. */
  #rest(): void {
    const messageMetadata = metadataOf(this.#followed.conversation.getSnapshot())
    this.#finish([{ type: 'finish', finishReason: 'tool-calls', messageMetadata }])
  }

  #end(outcome: RunOutcome): void {
    if (this.#isOver) return
    const { usage } = metadataOf(this.#followed.conversation.getSnapshot())
    this.#finish(endChunks(outcome, { ...(usage && { usage }), outcome: outcome.outcome }))
  }

  #finish(chunks: readonly UIChunk[]): void {
    this.leave()
    this.#send([...this.#parts.close(), ...chunks])
    this.#controller.close()
  }
}

function finishReasonOf(
  result: Exclude<RunOutcome, { outcome: 'failed' | 'aborted' }>,
): FinishReason {
  switch (result.outcome) {
    case 'completed':
      return COMPLETED[result.finishReason ?? 'stop'] ?? 'stop'
    case 'limit':
      return 'length'
    case 'max-steps':
    case 'waiting':
      return 'tool-calls'
    default:
      return result satisfies never
  }
}

/** The AI SDK's finish reason for each reason why an answer is incomplete. */
const COMPLETED: { readonly [reason: string]: FinishReason } = {
  length: 'length',
  'content-filter': 'content-filter',
  pause: 'other',
  empty: 'other',
}

function endChunks(result: RunOutcome, messageMetadata: UIMetadata): UIChunk[] {
  if (result.outcome === 'aborted') return [{ type: 'abort', reason: result.reason }]
  if (result.outcome !== 'failed')
    return [{ type: 'finish', finishReason: finishReasonOf(result), messageMetadata }]
  const { error } = result
  return [
    { type: 'data-error', data: error, transient: true },
    { type: 'error', errorText: error.message },
  ]
}

/** Whether nothing happens until a person answers in this chat. */
function isResting({ status, parked, pending, messages }: ConversationSnapshot): boolean {
  if (status !== 'waiting') return false
  if (parked) return true
  const isBusy = messages.some(({ calls }) =>
    calls?.some((call) => call.status === 'executing' || call.status === 'approved'),
  )
  return !isBusy && pending.some(({ kind }) => kind !== 'settlement')
}
