import type { Conversation, ConversationSnapshot, Run, RunOutcome } from '../../index.ts'
import {
  dataParts,
  metadataOf,
  partsOf,
  type UIChunk,
  type UIDataPart,
  type UIMessageLike,
  type UIMetadata,
  type UIOrderedPart,
  type UITextPart,
  type UIToolPart,
} from './to-ui-messages.ts'

type FinishReason = Extract<UIChunk, { type: 'finish' }>['finishReason']

/**
 * Id of the message before the answer. Null: the answer begins the conversation. Undefined: the conversation has no
 * such message.
 */
export type PreviousMessageId = string | null | undefined

export interface Followed {
  readonly conversation: Conversation
  /** Id of the message before the answer, or a promise of the id. */
  readonly after: PreviousMessageId | Promise<PreviousMessageId>
  /** The run, if this page started it. */
  readonly run?: Run
  /** The part of the answer that the chat already shows. */
  readonly shown?: UIMessageLike
  /** Calls that were just answered. Snapshots may still show them as pending. */
  readonly answered?: ReadonlySet<string>
  /** Receives a function that ends the stream as stopped. */
  readonly onStop?: (stop: () => void) => void
}

/**
 * Streams an answer in the AI SDK's form, until its run ends or waits for a person. Cancelling the stream doesn't stop
 * the run.
 */
export function streamAnswer(followed: Followed): ReadableStream<UIChunk> {
  let stop = (): void => undefined
  return new ReadableStream<UIChunk>({
    start(controller) {
      stop = new Follower(followed, controller).stop
    },
    cancel: () => stop(),
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
  #outcome: RunOutcome | undefined
  #isOver = false
  /** The resolved `after` option. Undefined until its promise is resolved. */
  #after: { readonly id: PreviousMessageId } | undefined

  constructor(followed: Followed, controller: ReadableStreamDefaultController<UIChunk>) {
    this.#followed = followed
    this.#controller = controller
    this.#parts = new PartStream(followed.shown)
    this.#run = followed.run
    this.#runId = followed.run?.runId
    this.#unsubscribe = followed.conversation.subscribe(this.#onChange)
    followed.onStop?.(() => this.#endRun({ outcome: 'aborted', reason: 'stopped' }))
    void this.#followRun()
  }

  async #followRun(): Promise<void> {
    const { after, run } = this.#followed
    this.#after = { id: await after }
    this.#onChange()
    const result = await run?.result
    if (!result) return
    // Another tab resumes the run, so its end is read from snapshots.
    if (result.outcome === 'aborted' && result.reason === 'taken-over') this.#run = undefined
    else this.#outcome = result
    this.#onChange()
  }

  readonly stop = (): void => {
    this.#isOver = true
    this.#unsubscribe()
  }

  readonly #onChange = (): void => {
    if (this.#isOver || !this.#after) return
    const snapshot = this.#followed.conversation.getSnapshot()
    if (snapshot.status === 'loading' || this.#isOutdated(snapshot)) return
    this.#runId ??= snapshot.runId
    const answer = this.#answerIn(snapshot)
    // Messages sent to the run before its first answer belong to that answer.
    const first = answer?.find(({ role }) => role === 'assistant')
    if (answer && first) {
      this.#send(this.#parts.update(first.id, partsOf(answer, snapshot.run?.messageId)))
      this.#send(this.#parts.updateData(dataParts(snapshot)))
    }
    const isOpen = this.#run
      ? !this.#outcome
      : snapshot.runId !== undefined && snapshot.runId === this.#runId
    if (!isOpen) this.#endRun(this.#outcome ?? snapshot.ended ?? { outcome: 'completed' })
    else if (answer && isWaitingForPerson(snapshot)) this.#finishWaiting()
  }

  /** Whether the snapshot still shows an answered call as pending. */
  #isOutdated({ pending }: ConversationSnapshot): boolean {
    const { answered } = this.#followed
    return !this.#outcome && pending.some(({ toolCallId }) => answered?.has(toolCallId))
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

  /** Ends the stream of a waiting run, so that the chat accepts the person's answer. */
  #finishWaiting(): void {
    const messageMetadata = metadataOf(this.#followed.conversation.getSnapshot())
    this.#finish([{ type: 'finish', finishReason: 'tool-calls', messageMetadata }])
  }

  #endRun(outcome: RunOutcome): void {
    if (this.#isOver) return
    const metadata = metadataOf(this.#followed.conversation.getSnapshot())
    this.#finish(endChunks(outcome, { ...metadata, outcome: outcome.outcome }))
  }

  #finish(chunks: readonly UIChunk[]): void {
    this.stop()
    this.#send([...this.#parts.close(), ...chunks])
    this.#controller.close()
  }
}

function finishReasonOf(
  result: Exclude<RunOutcome, { outcome: 'failed' | 'aborted' }>,
): FinishReason {
  if (result.outcome === 'completed') return COMPLETED[result.finishReason ?? 'stop'] ?? 'stop'
  if (result.outcome === 'limit') return 'length'
  return (result.outcome satisfies 'max-steps' | 'waiting', 'tool-calls')
}

/** The AI SDK's finish reason for each of Offstage's reasons for an incomplete answer. */
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

/** Whether the run only continues once a person answers in this chat. */
function isWaitingForPerson({ status, paused, pending, messages }: ConversationSnapshot): boolean {
  if (status !== 'waiting') return false
  if (paused) return true
  const isBusy = messages.some(({ calls }) =>
    calls?.some((call) => call.status === 'executing' || call.status === 'approved'),
  )
  return !isBusy && pending.some(({ kind }) => kind !== 'settlement')
}

/**
 * Computes the chunks that bring a chat's message up to date with a snapshot. Tracks the parts shown so far, including
 * those of a continued message.
 */
class PartStream {
  #shown: UIOrderedPart[]
  readonly #data = new Map<string, unknown>()
  #messageId: string | undefined
  /** Text part to which the chat still appends. */
  #openText: { readonly at: number; readonly id: string } | null = null
  #textCount = 0

  constructor(shown?: UIMessageLike) {
    const parts = shown?.parts ?? []
    this.#shown = parts.filter(isOrdered)
    for (const part of parts) if ('data' in part) this.#data.set(part.type, part.data)
  }

  /** Chunks that change the chat's message to these parts. */
  update(messageId: string, parts: readonly UIOrderedPart[]): UIChunk[] {
    const chunks: UIChunk[] = []
    if (this.#messageId !== messageId) {
      // Sent only once: a retried request changes the message's id.
      if (this.#messageId === undefined) chunks.push({ type: 'start', messageId })
      this.#messageId = messageId
    }
    this.#rewind(parts, chunks)
    for (const [at, part] of parts.entries()) this.#show(at, part, chunks)
    return chunks
  }

  /** Chunks that change the chat's data parts to these. A removed part is sent with an empty list. */
  updateData(parts: readonly UIDataPart[]): UIChunk[] {
    if (this.#messageId === undefined) return []
    const removedTypes = [...this.#data.keys()].filter(
      (type) => !parts.some((part) => part.type === type),
    )
    const empty = removedTypes.map((type) => ({ type, id: type.slice('data-'.length), data: [] }))
    return [...parts, ...(empty as unknown as UIDataPart[])].filter(({ type, data }) => {
      const before = this.#data.get(type)
      this.#data.set(type, data)
      return before !== data && !(Array.isArray(before) && before.length + data.length === 0)
    })
  }

  /** Chunks for the end of the answer. */
  close(): UIChunk[] {
    const chunks: UIChunk[] = []
    this.#closeText(chunks)
    if (this.#messageId !== undefined && this.#shown.length > 0)
      chunks.push({ type: 'finish-step' })
    return chunks
  }

  /** Resets the chat's last step if the new parts don't just extend it. */
  #rewind(parts: readonly UIOrderedPart[], chunks: UIChunk[]): void {
    const step = this.#shown.findLastIndex(({ type }) => type === 'step-start')
    const fits = this.#shown.every((shown, at) => at <= step || isBeginning(shown, parts[at]))
    if (fits) return
    this.#openText = null
    this.#shown.length = step + 1
    chunks.push({ type: 'reset-step' })
  }

  #show(at: number, part: UIOrderedPart, chunks: UIChunk[]): void {
    const shown = this.#shown[at]
    if (!shown) this.#closeText(chunks)
    this.#shown[at] = part
    switch (part.type) {
      case 'step-start':
        if (shown) return
        if (at > 0) chunks.push({ type: 'finish-step' })
        chunks.push({ type: 'start-step' })
        return
      case 'text':
      case 'reasoning':
        this.#showText(at, { shown, part }, chunks)
        return
      case 'file':
      case 'steering-message':
        if (!shown) chunks.push(part)
        return
      default: {
        const before = shown && 'toolCallId' in shown ? shown : undefined
        const { next, chunks: more } = toolChunks(before, part)
        this.#shown[at] = next
        chunks.push(...more)
      }
    }
  }

  #showText(
    at: number,
    { shown, part }: { readonly shown: UIOrderedPart | undefined; readonly part: UITextPart },
    chunks: UIChunk[],
  ): void {
    const { type, text, state } = part
    if (!shown) {
      this.#openText = { at, id: `${type}-${(this.#textCount += 1)}` }
      chunks.push({ type: `${type}-start`, id: this.#openText.id })
    }
    const before = shown && 'text' in shown ? shown.text.length : 0
    if (this.#openText?.at !== at) return
    if (text.length > before)
      chunks.push({ type: `${type}-delta`, id: this.#openText.id, delta: text.slice(before) })
    if (state === 'done') this.#closeText(chunks)
  }

  #closeText(chunks: UIChunk[]): void {
    const open = this.#openText
    if (!open) return
    const part = this.#shown[open.at]
    if (part?.type === 'text' || part?.type === 'reasoning')
      chunks.push({ type: `${part.type}-end`, id: open.id })
    this.#openText = null
  }
}

function isOrdered(part: { readonly type: string }): part is UIOrderedPart {
  return !part.type.startsWith('data-')
}

/** Whether `shown` can become `part` by appending to it. */
function isBeginning(shown: UIOrderedPart, part: UIOrderedPart | undefined): boolean {
  if (!part || shown.type !== part.type) return false
  if ('text' in shown && 'text' in part) return part.text.startsWith(shown.text)
  if ('toolCallId' in shown && 'toolCallId' in part) return shown.toolCallId === part.toolCallId
  return true
}

interface ToolUpdate {
  /** The part as the chat shows it after these chunks. */
  readonly next: UIToolPart
  readonly chunks: readonly UIChunk[]
}

type Approval = Extract<UIToolPart, { state: 'approval-responded' }>['approval']

/** Returns chunks that update a call from the state shown in the chat, if any, to its current state. */
function toolChunks(shown: UIToolPart | undefined, part: UIToolPart): ToolUpdate {
  if (part.state === 'input-streaming') return { next: part, chunks: inputChunks(shown, part) }
  // Compares the inputs, because `beforeToolCall` or defaults may change an input, and an approval covers only the
  // shown one.
  const isSame =
    part.state !== 'approval-requested' ||
    JSON.stringify(shown?.input) === JSON.stringify(part.input)
  const before = isSame ? shown : undefined
  const answer = answerOf(before, part)
  const chunks = [...openingChunks(before, part), ...approvalChunks(before, part, answer)]
  // Shows the call as answered until its output exists.
  if (answer && part.state === 'input-available')
    return { next: { ...part, state: 'approval-responded', approval: answer }, chunks }
  return { next: part, chunks: [...chunks, ...outputChunks(before, part)] }
}

function outputChunks(before: UIToolPart | undefined, part: UIToolPart): UIChunk[] {
  const { toolCallId, state } = part
  if (state === 'output-available') {
    const { output, preliminary } = part
    const isShown =
      before?.state === state && before.output === output && before.preliminary === preliminary
    const type = 'tool-output-available'
    return isShown ? [] : [{ type, toolCallId, output, ...(preliminary && { preliminary }) }]
  }
  if (before?.state === state) return []
  if (state === 'output-denied') return [{ type: 'tool-output-denied', toolCallId }]
  return state === 'output-error' && part.input !== undefined
    ? [{ type: 'tool-output-error', toolCallId, errorText: part.errorText }]
    : []
}

function inputChunks(
  before: UIToolPart | undefined,
  part: Extract<UIToolPart, { state: 'input-streaming' }>,
): UIChunk[] {
  const { toolCallId, rawInput } = part
  const shownLength = before && 'rawInput' in before ? before.rawInput.length : 0
  const inputTextDelta = rawInput.slice(shownLength)
  return [
    ...(before ? [] : [{ type: 'tool-input-start' as const, ...namesOf(part) }]),
    ...(inputTextDelta === ''
      ? []
      : [{ type: 'tool-input-delta' as const, toolCallId, inputTextDelta }]),
  ]
}

/** Chunks for the complete input, or for the reason why there is no input. */
function openingChunks(
  before: UIToolPart | undefined,
  part: Exclude<UIToolPart, { state: 'input-streaming' }>,
): UIChunk[] {
  const { input } = part
  if (before && before.state !== 'input-streaming') return []
  if (input !== undefined) return [{ type: 'tool-input-available', ...namesOf(part), input }]
  const errorText = part.state === 'output-error' ? part.errorText : ''
  return [{ type: 'tool-input-error', ...namesOf(part), input, errorText }]
}

function namesOf({ type, toolCallId, title }: UIToolPart): {
  toolCallId: string
  toolName: string
  title?: string
} {
  return {
    toolCallId,
    toolName: type.slice('tool-'.length),
    ...(title !== undefined && { title }),
  }
}

/**
 * The person's answer to the approval request, if known. A call that continues after the request counts as approved.
 */
function answerOf(before: UIToolPart | undefined, part: UIToolPart): Approval | undefined {
  if (part.state === 'output-denied') return part.approval
  if (part.state === 'approval-requested') return undefined
  if (before?.state === 'approval-responded') return before.approval
  return before?.state === 'approval-requested' ? { ...before.approval, approved: true } : undefined
}

function approvalChunks(
  before: UIToolPart | undefined,
  part: UIToolPart,
  answer: Approval | undefined,
): UIChunk[] {
  const approval = answer ?? ('approval' in part ? part.approval : undefined)
  const isAnswered =
    before?.state === 'approval-responded' && before.approval.approved === answer?.approved
  if (!approval || isAnswered || before?.state === 'output-denied') return []
  const { id: approvalId, requestReason, descriptor } = approval
  const request: UIChunk = {
    type: 'tool-approval-request',
    approvalId,
    toolCallId: part.toolCallId,
    ...(requestReason !== undefined && { reason: requestReason }),
    ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
  }
  return [
    ...(before?.state === 'approval-requested' ? [] : [request]),
    ...(answer
      ? [
          {
            type: 'tool-approval-response' as const,
            approvalId,
            approved: answer.approved,
            ...(answer.reason !== undefined && { reason: answer.reason }),
          },
        ]
      : []),
  ]
}
