import type {
  Agent,
  Conversation,
  FilePart,
  JsonValue,
  PendingCall,
  Run,
  RunInput,
  TextPart,
} from '../../index.ts'
import { OffstageError } from '../../protocol/error.ts'
import { streamAnswer, type Followed } from './follow.ts'
import { waitUntilLoaded, type UICommonChunk, type UIMessageLike } from './to-ui-messages.ts'

/** Options of `createChatTransport`: the conversation behind the chat. */
export interface ChatTransportOptions {
  /** Id of the conversation. Default: the chat's own `id`. */
  readonly conversationId?: string
}

/** Options that `useChat` passes with each request. */
export interface SendOptions {
  /** Kind of request. `submit-message` also covers edits and answers to calls. */
  readonly trigger: 'submit-message' | 'regenerate-message'
  /** The chat's own `id`. Also the conversation's id, unless `conversationId` is set. */
  readonly chatId: string
  /**
   * Id of the message to edit, answer again or continue. Undefined for a new message, and for answering the last one
   * again.
   */
  readonly messageId: string | undefined
  /**
   * The chat's messages, oldest first. Only the newest message and answers to calls are read, because the store has the
   * rest.
   */
  readonly messages: readonly UIMessageLike[]
  /** Aborted when the person stops the answer. The run is aborted, too. */
  readonly abortSignal: AbortSignal | undefined
}

/** Options that `useChat` passes when it resumes an answer (`resume: true`). */
export interface ReconnectOptions {
  /** The chat's own `id`, as in `SendOptions`. */
  readonly chatId: string
  /** Aborts the run, unless the same chat resumes again at once: mounting a chat twice must not stop its run. */
  readonly abortSignal?: AbortSignal | undefined
}

/** A `ChatTransport` of the AI SDK. */
export interface OffstageChatTransport {
  /** A resumed answer is streamed from its beginning. */
  readonly resumeStreamIsReplay: true
  sendMessages(options: SendOptions): Promise<ReadableStream<UICommonChunk>>
  reconnectToStream(options: ReconnectOptions): Promise<ReadableStream<UICommonChunk> | null>
}

interface Chats {
  /** Offstage's ids of user messages, by the ids that chats generated. */
  readonly ids: Map<string, string>
  /**
   * How often each chat has resumed its conversation. When a chat is mounted twice, it aborts the first stream, which
   * must not stop the run.
   */
  readonly resumes: Map<string, number>
}

/** State by agent, because a component may make a new transport on each render. */
const chats = new WeakMap<Agent, Chats>()

function chatsOf(agent: Agent): Chats {
  const state = chats.get(agent) ?? { ids: new Map(), resumes: new Map() }
  chats.set(agent, state)
  return state
}

/** Makes a transport that runs a chat of the AI SDK (`useChat`) on an agent's conversations. */
export function createChatTransport(
  agent: Agent,
  { conversationId }: ChatTransportOptions = {},
): OffstageChatTransport {
  const { ids, resumes } = chatsOf(agent)
  const conversationOf = (chatId: string): Conversation =>
    agent.conversation(conversationId ?? chatId)

  /**
   * Streams an answer. Aborting the request stops the run, unless the same chat resumes it in the same turn of the
   * event loop.
   */
  function openStream(
    followed: Omit<Followed, 'onStop'>,
    { chatId, abortSignal }: ReconnectOptions,
    resumeCount: number | undefined,
  ): ReadableStream<UICommonChunk> {
    let stop = (): void => undefined
    const onAbort = (): void => {
      setTimeout(() => {
        stop()
        if (resumes.get(chatId) === resumeCount) stopRun(followed)
      })
    }
    const stream = streamAnswer({ ...followed, onStop: (end) => (stop = end) })
    if (abortSignal?.aborted) onAbort()
    else abortSignal?.addEventListener('abort', onAbort, { once: true })
    return stream as ReadableStream<UICommonChunk>
  }

  return {
    resumeStreamIsReplay: true,
    async sendMessages(options) {
      const resumeCount = resumes.get(options.chatId)
      const conversation = conversationOf(options.chatId)
      await waitUntilLoaded(conversation)
      return openStream(await beginRun(conversation, options, ids), options, resumeCount)
    },
    async reconnectToStream(options) {
      const { chatId } = options
      const resumeCount = (resumes.get(chatId) ?? 0) + 1
      resumes.set(chatId, resumeCount)
      const conversation = conversationOf(chatId)
      await waitUntilLoaded(conversation)
      await conversation.resume()
      const { runId } = conversation.getSnapshot()
      if (runId === undefined) return null
      return openStream({ conversation, after: questionOf(conversation) }, options, resumeCount)
    },
  }
}

/** Carries out a chat's request and returns the run to follow. */
async function beginRun(
  conversation: Conversation,
  { trigger, messageId, messages }: SendOptions,
  ids: Map<string, string>,
): Promise<Followed> {
  const last = messages.at(-1)
  if (trigger === 'regenerate-message') {
    const targetId =
      findMessageId(messageId, conversation, ids) ?? findMessageId(last?.id, conversation, ids)
    const question = questionOf(conversation, targetId)
    await stopOpen(conversation)
    const run = conversation.regenerate(targetId)
    return { conversation, run, after: waitForStart(run).then((start) => start && question) }
  }
  if (!last || last.role !== 'user') return await continueTurn(conversation, messages, messageId)
  const input = readInput(last)
  const followRun = (run: Run): Followed => ({
    conversation,
    run,
    after: waitForStart(run).then((start) => {
      if (start?.id !== undefined) ids.set(last.id, start.id)
      return start?.id
    }),
  })
  if (messageId !== undefined) {
    const editedId = ids.get(messageId) ?? messageId
    await stopOpen(conversation)
    return followRun(conversation.edit(editedId, input))
  }
  // A waiting run resumes with this message.
  const isWaiting = conversation.getSnapshot().status === 'waiting'
  const id = isWaiting ? await conversation.steer(input, { when: 'now' }) : null
  if (id === null) return followRun(conversation.send(input, { ifBusy: 'queue' }))
  ids.set(last.id, id)
  return { conversation, after: id }
}

/** Resumes a run after answers to its calls, or continues an answer that ended early. */
async function continueTurn(
  conversation: Conversation,
  messages: readonly UIMessageLike[],
  messageId: string | undefined,
): Promise<Followed> {
  if (conversation.getSnapshot().ownership === 'none') await conversation.resume()
  const answered = await giveAnswers(conversation, messages)
  const shown = messages.find(({ id }) => id === messageId) ?? messages.at(-1)
  const after = questionOf(conversation, shown?.id)
  const followed = { conversation, after, answered, ...(shown && { shown }) }
  // A call that was answered elsewhere shows its outcome.
  const isLate = shown?.parts.some(({ state }: AnsweredPart) => state === 'approval-responded')
  if (answered.size > 0 || isLate || isOpen(conversation)) return followed
  const run = await conversation.continue()
  if (run) return { ...followed, run }
  throw new OffstageError('invalid-input', 'There is nothing to resume.')
}

/**
 * Waits until the run has begun. Resolves to the id of the user message that began the run, if there is one. Undefined:
 * the run ended without beginning.
 */
async function waitForStart(run: Run): Promise<{ readonly id: string | undefined } | undefined> {
  for await (const event of run) {
    if (event.type === 'run-start') return { id: event.message?.id }
    if (event.type === 'run-end') break
  }
  return undefined
}

function stopRun({ conversation, run }: Omit<Followed, 'onStop'>): void {
  if (run) run.abort('stopped')
  else conversation.abort('stopped').catch(() => undefined)
}

async function stopOpen(conversation: Conversation): Promise<void> {
  if (isOpen(conversation)) await conversation.abort('replaced')
}

function isOpen(conversation: Conversation): boolean {
  return conversation.getSnapshot().runId !== undefined
}

/** Returns Offstage's id for a chat's message, if the conversation has the message. */
function findMessageId(
  id: string | undefined,
  conversation: Conversation,
  ids: ReadonlyMap<string, string>,
): string | undefined {
  const ourId = id === undefined ? undefined : (ids.get(id) ?? id)
  return conversation.getSnapshot().messages.find((message) => message.id === ourId)?.id
}

/**
 * Id of the user message that the answer with this id belongs to, otherwise of the newest user message. Null if there
 * is none.
 */
function questionOf(conversation: Conversation, id?: string): string | null {
  const { messages } = conversation.getSnapshot()
  const at = messages.findIndex((message) => message.id === id)
  const before = at < 0 ? messages : messages.slice(0, at + 1)
  return before.findLast(({ role }) => role === 'user')?.id ?? null
}

/** Converts a user's message to the input of a run. */
function readInput({ parts }: UIMessageLike): RunInput {
  return parts.flatMap((part): (TextPart | FilePart)[] => {
    if (part.type === 'text' && 'text' in part) return [{ type: 'text', text: String(part.text) }]
    return part.type === 'file' ? [readFile(part)] : []
  })
}

function readFile(part: object): FilePart {
  const { url, mediaType, filename } = part as { [name: string]: unknown }
  const [, type, data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(String(url)) ?? []
  if (data === undefined)
    throw new OffstageError('invalid-input', 'A file must be a data: URL in base64.')
  return {
    type: 'file',
    mediaType: typeof mediaType === 'string' && mediaType.includes('/') ? mediaType : (type ?? ''),
    data,
    ...(typeof filename === 'string' && { filename }),
  }
}

/** A message's tool part, with loose types that fit any chat's message type. */
interface AnsweredPart {
  readonly type: string
  readonly toolCallId?: unknown
  readonly state?: unknown
  readonly approval?: { readonly approved?: unknown; readonly reason?: unknown }
  readonly input?: JsonValue
  readonly output?: unknown
  readonly errorText?: unknown
}

/** Answers pending calls with the answers in a chat's messages. Resolves to the ids of the answered calls. */
async function giveAnswers(
  conversation: Conversation,
  messages: readonly UIMessageLike[],
): Promise<ReadonlySet<string>> {
  const answered = new Set<string>()
  const parts = messages.flatMap((message) => message.parts as readonly AnsweredPart[])
  for (const call of conversation.getSnapshot().pending) {
    const { toolCallId } = call
    // Skips calls of other agents, which are answered in the conversations of those agents.
    const isOwn =
      call.conversationId === undefined ||
      call.conversationId === conversation.getSnapshot().conversationId
    const part = parts.findLast((each) => each.toolCallId === toolCallId)
    if (!isOwn || !part) continue
    if (await answer(conversation, call, part)) answered.add(toolCallId)
  }
  return answered
}

async function answer(
  conversation: Conversation,
  call: PendingCall,
  { state, approval, input, output, errorText }: AnsweredPart,
): Promise<boolean> {
  const { toolCallId, kind } = call
  if (kind === 'approval') {
    if (state !== 'approval-responded') return false
    if (approval?.approved === true) return await conversation.approve({ toolCallId, input })
    const reason = approval?.reason
    return await conversation.deny(toolCallId, typeof reason === 'string' ? reason : undefined)
  }
  if (state !== 'output-available' && state !== 'output-error') return false
  const hasFailed = state === 'output-error'
  switch (kind) {
    case 'answer':
      return await conversation.answer(
        toolCallId,
        hasFailed ? { action: 'decline' } : answerOf(output),
      )
    case 'settlement':
      return await conversation.settle(toolCallId, hasFailed ? { error: errorText } : { output })
    case 'decision':
      return hasFailed ? false : await decide(conversation, toolCallId, output)
    case 'output':
      await conversation.supplyOutput(
        toolCallId,
        hasFailed ? `Error: ${String(errorText)}` : output,
      )
      return true
    default:
      return kind satisfies never
  }
}

type Answer = Parameters<Conversation['answer']>[1]

/** An answer as text, or as the content of the requested fields. */
function answerOf(output: unknown): Answer {
  return typeof output === 'object' && output !== null
    ? ({ action: 'accept', content: output } as Answer)
    : String(output)
}

async function decide(
  conversation: Conversation,
  toolCallId: string,
  verdict: unknown,
): Promise<boolean> {
  if (verdict !== 'happened' && verdict !== 'did-not-happen' && verdict !== 'run-again')
    return false
  return await conversation.resolveInterrupted(toolCallId, verdict)
}
