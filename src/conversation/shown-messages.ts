import type { Live, LiveStep } from '../protocol/live.ts'
import type { CallState, ConversationState, MessageNode } from '../protocol/state.ts'
import type { ShownCall, ShownMessage } from './snapshot.ts'
import { shownAsked } from './shown-asked.ts'
import { isUndoable } from './undo.ts'

type Progress = Live['progress']

interface Shown<Value> {
  readonly progress: Progress
  readonly value: Value
}

const messages = new WeakMap<MessageNode, Shown<ShownMessage>>()
const paths = new WeakMap<readonly MessageNode[], Shown<readonly ShownMessage[]>>()

/** The messages of the path that are for people, and the one that the model is writing. */
export function shownMessages(
  { conversationId, path }: ConversationState,
  { progress, step, waits }: Live,
): readonly ShownMessage[] {
  const known = paths.get(path)
  const show = (node: MessageNode): ShownMessage | readonly ShownMessage[] =>
    isForPeople(node) ? shownMessage(node, conversationId, progress) : []
  const settled = known?.progress === progress ? known.value : path.flatMap(show)
  if (settled !== known?.value) paths.set(path, { progress, value: settled })
  const message = waits?.message
  if (message) return [...settled, { role: 'user', ...message }]
  return step ? [...settled, openMessage(step, conversationId)] : settled
}

/** What Offstage wrote for the model, and what has nothing in it, is not shown. */
function isForPeople({ message }: MessageNode): boolean {
  return message.parts.length > 0 && !(message.role === 'user' && message.synthetic)
}

/** The same object as long as its node, and the progress of its calls, is the same. */
function shownMessage(node: MessageNode, conversationId: string, progress: Progress): ShownMessage {
  const known = messages.get(node)
  if (known && isSame(node, known.progress, progress)) return known.value
  const { id, at, message, calls, sent, reflection, rejected } = node
  const value: ShownMessage = {
    ...message,
    id,
    at,
    ...(sent && Object.keys(sent).length > 0 && { sent }),
    ...(reflection && { reflection }),
    ...(rejected && { rejected }),
    ...(calls.length > 0 && {
      calls: calls.map((call) => ({ conversationId, ...shownCall(call, progress) })),
    }),
  }
  messages.set(node, { progress, value })
  return value
}

function isSame({ calls }: MessageNode, before: Progress, now: Progress): boolean {
  return before === now || calls.every((call) => progressOf(call, before) === progressOf(call, now))
}

/** The ids are a model's: `constructor` is one, too. */
function progressOf({ toolCallId }: CallState, progress: Progress): unknown {
  return Object.hasOwn(progress, toolCallId) ? progress[toolCallId] : undefined
}

function shownCall(call: CallState, progress: Progress): Omit<ShownCall, 'conversationId'> {
  const { toolCallId, toolName, title, status, input, output, error, question } = call
  const { startedAt, endedAt, path, child, undo, source, readOnly } = call
  const reported = status === 'executing' ? progressOf(call, progress) : undefined
  return {
    toolCallId,
    toolName,
    ...(title !== null && { title }),
    ...(source !== undefined && { source }),
    ...(readOnly && { readOnly }),
    status,
    ...(error ? { error } : { input }),
    ...shownAsked(call),
    ...(output && { output }),
    ...(reported !== undefined && { progress: reported }),
    ...(question && { question }),
    ...(startedAt > 0 && { startedAt }),
    ...(endedAt > 0 && { endedAt }),
    ...(isUndoable(call) && { undoable: true }),
    ...(undo && { undo }),
    path,
    ...(child && { child }),
  }
}

function openMessage(
  { messageId, parts, inputs, isLeft }: LiveStep,
  conversationId: string,
): ShownMessage {
  return {
    role: 'assistant',
    id: messageId,
    parts: parts.map(({ type, text }) => ({ type, text })),
    ...(isLeft && { partial: true }),
    ...(inputs.length > 0 && {
      calls: inputs.map(({ toolCallId, toolName, title, text }) => ({
        conversationId,
        toolCallId,
        toolName,
        ...(title !== undefined && { title }),
        status: 'proposed',
        inputText: text,
        path: [toolCallId],
      })),
    }),
  }
}
