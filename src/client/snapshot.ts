import type { ErrorData } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import type {
  AssistantMessage,
  Message,
  ReasoningPart,
  TextPart,
  ToolMessage,
  ToolResultPart,
} from '../protocol/message.ts'
import { LEFT_OPEN, type ParkReason, type PendingCall, type RunResult } from '../protocol/run.ts'
import { isOfRun } from './is-of-run.ts'

/** A conversation as a page shows it. Immutable; what didn't change keeps its identity. */
export interface ConversationSnapshot {
  readonly conversationId: string
  readonly status: 'loading' | 'idle' | 'running' | 'waiting'
  readonly messages: readonly Message[]
  readonly pending: readonly PendingCall[]
  /** Of the open run. */
  readonly runId?: string
  /** Why the open run rests until there is room in the storage, or `continue()` lets it go on. */
  readonly parked?: ParkReason
  /** Why the last run failed, or why the stored messages can't be read. */
  readonly error?: ErrorData
  /** Which tab drives the open run. */
  readonly ownership: 'none' | 'this-tab' | 'other-tab'
}

export function emptySnapshot(
  conversationId: string,
  status: ConversationSnapshot['status'],
): ConversationSnapshot {
  return { conversationId, status, messages: [], pending: [], ownership: 'none' }
}

type AssistantPart = AssistantMessage['parts'][number]

/**
 * The snapshot after an event of one of the conversation's runs. Pure; gives the same object back
 * when the event changes nothing in it. Messages are `runId:user`, `runId:step`, `runId:step:tools`
 * and, for a text that was cut short, `runId:partial`, as in the store.
 */
export function reduceEvent(snapshot: ConversationSnapshot, event: RunEvent): ConversationSnapshot {
  const { runId } = event
  switch (event.type) {
    case 'run-start': {
      const { error: _error, parked: _parked, ...rest } = snapshot
      const started = { ...rest, runId, status: 'running', ownership: 'this-tab' } as const
      const id = `${runId}:user`
      return event.message ? withMessage(started, { ...event.message, id }) : started
    }
    case 'run-parked':
      return withReason(snapshot, event)
    case 'run-continued': {
      const { parked: _parked, ...rest } = snapshot
      return withPending(rest, snapshot.pending)
    }
    case 'run-snapshot':
      return withPending(
        { ...snapshot, runId, ownership: 'this-tab', messages: replayed(snapshot, event) },
        event.pending,
      )
    case 'step-start':
      return withMessage(snapshot, { role: 'assistant', id: `${runId}:${event.step}`, parts: [] })
    case 'step-reset':
      return withoutMessage(snapshot, `${runId}:${event.step}`)
    case 'text-start':
    case 'reasoning-start':
      return withPart(snapshot, runId, { type: kindOf(event), text: '' })
    case 'text-delta':
    case 'reasoning-delta':
      return withDelta(snapshot, runId, { type: kindOf(event), text: event.delta })
    case 'tool-call': {
      const { type, toolCallId, toolName, rescued } = event
      const call = event.error ? { error: event.error } : { input: event.input }
      const marks = rescued ? { rescued } : {}
      return withPart(snapshot, runId, { type, toolCallId, toolName, ...marks, ...call })
    }
    case 'tool-approval-request':
      return park(snapshot, event, 'approval')
    case 'tool-interrupted':
      return park(snapshot, event, 'decision')
    case 'question': {
      const { question, options } = event
      const input = options ? { question, options } : { question }
      return park(snapshot, { toolCallId: event.toolCallId, toolName: 'ask_user', input }, 'answer')
    }
    case 'tool-approval-response':
    case 'tool-execution-start':
      return unpark(snapshot, event.toolCallId)
    case 'tool-result': {
      const { type, toolCallId, toolName, output } = event
      const part = { type, toolCallId, toolName, output } as const
      return withResult(unpark(snapshot, toolCallId), part)
    }
    case 'run-end':
      return ended(snapshot, event)
    // What a snapshot doesn't show, and types newer than this reducer.
    default:
      return snapshot
  }
}

function kindOf({ type }: RunEvent): 'text' | 'reasoning' {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

function withReason(
  snapshot: ConversationSnapshot,
  { runId, reason, message }: Extract<RunEvent, { readonly type: 'run-parked' }>,
): ConversationSnapshot {
  const parked = { ...snapshot, runId, ownership: 'this-tab', parked: reason } as const
  return withPending(
    message ? withMessage(parked, { ...message, id: `${runId}:user` }) : parked,
    snapshot.pending,
  )
}

function replayed(
  { messages }: ConversationSnapshot,
  event: Extract<RunEvent, { readonly type: 'run-snapshot' }>,
): readonly Message[] {
  const { runId, step, text } = event
  const others = messages.filter((message) => !isOfRun(message, runId))
  const id = `${runId}:${step}`
  const isOpen = step > 0 && !event.messages.some((message) => message.id === id)
  const open: Message[] = isOpen
    ? [{ role: 'assistant', id, parts: text ? [{ type: 'text', text }] : [] }]
    : []
  return [...others, ...event.messages, ...open]
}

function ended(
  snapshot: ConversationSnapshot,
  { runId, result }: Extract<RunEvent, { readonly type: 'run-end' }>,
): ConversationSnapshot {
  const { runId: _run, error: _error, parked: _parked, ...rest } = snapshot
  const cut = result.outcome === 'aborted' || result.outcome === 'failed'
  let messages = snapshot.messages
  const index = messages.findLastIndex((message) => message.role === 'assistant')
  const last = messages[index]
  if (last?.role === 'assistant' && isOfRun(last, runId)) {
    if (!last.parts.length) messages = messages.toSpliced(index, 1)
    else if (cut && index === messages.length - 1 && !last.parts.some(isCall))
      messages = messages.with(index, { ...last, id: `${runId}:partial`, partial: true })
  }
  const pending = result.outcome === 'waiting' ? result.pending : []
  return {
    ...rest,
    messages,
    pending,
    status: pending.length ? 'waiting' : 'idle',
    ownership: isTakenOver(result) ? 'other-tab' : 'none',
    ...(result.outcome === 'failed' && { error: result.error }),
  }
}

function isTakenOver(result: RunResult): boolean {
  return result.outcome === 'aborted' && result.reason === LEFT_OPEN.takenOver
}

function isCall(part: AssistantPart): boolean {
  return part.type === 'tool-call'
}

function withMessage(snapshot: ConversationSnapshot, message: Message): ConversationSnapshot {
  const { messages } = snapshot
  const index = messages.findLastIndex(({ id }) => id === message.id)
  return {
    ...snapshot,
    messages: index < 0 ? [...messages, message] : messages.with(index, message),
  }
}

function withoutMessage(snapshot: ConversationSnapshot, id: string): ConversationSnapshot {
  return { ...snapshot, messages: snapshot.messages.filter((message) => message.id !== id) }
}

/** Changes the parts of the run's open message, which is its last one of the assistant. */
function withParts(
  snapshot: ConversationSnapshot,
  runId: string,
  change: (parts: readonly AssistantPart[]) => readonly AssistantPart[],
): ConversationSnapshot {
  const { messages } = snapshot
  const index = messages.findLastIndex((message) => message.role === 'assistant')
  const message = messages[index]
  if (message?.role !== 'assistant' || !isOfRun(message, runId)) return snapshot
  return {
    ...snapshot,
    messages: messages.with(index, { ...message, parts: change(message.parts) }),
  }
}

function withPart(
  snapshot: ConversationSnapshot,
  runId: string,
  part: AssistantPart,
): ConversationSnapshot {
  return withParts(snapshot, runId, (parts) => [...parts, part])
}

function withDelta(
  snapshot: ConversationSnapshot,
  runId: string,
  { type, text }: TextPart | ReasoningPart,
): ConversationSnapshot {
  return withParts(snapshot, runId, (parts) => {
    const index = parts.findLastIndex((part) => part.type === type)
    const part = parts[index]
    return part && 'text' in part
      ? parts.with(index, { type, text: part.text + text })
      : [...parts, { type, text }]
  })
}

/** Puts a result into the tool message of its step, in the order of the calls. */
function withResult(snapshot: ConversationSnapshot, result: ToolResultPart): ConversationSnapshot {
  const { messages } = snapshot
  const callsOf = (message: Message | undefined): string[] =>
    message?.role === 'assistant'
      ? message.parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
      : []
  const index = messages.findLastIndex((message) => callsOf(message).includes(result.toolCallId))
  const asking = messages[index]
  if (!asking) return snapshot
  const order = callsOf(asking)
  const id = `${asking.id}:tools`
  const present = messages[index + 1]
  const isPresent = present?.role === 'tool' && present.id === id
  const others = isPresent ? present.parts : []
  const parts = [
    ...others.filter((part) => part.toolCallId !== result.toolCallId),
    result,
  ].toSorted((a, b) => order.indexOf(a.toolCallId) - order.indexOf(b.toolCallId))
  const message: ToolMessage = { role: 'tool', id, parts }
  return { ...snapshot, messages: messages.toSpliced(index + 1, isPresent ? 1 : 0, message) }
}

function withPending(
  snapshot: ConversationSnapshot,
  pending: readonly PendingCall[],
): ConversationSnapshot {
  const isWaiting = pending.length || snapshot.parked
  return { ...snapshot, pending, status: isWaiting ? 'waiting' : 'running' }
}

function park(
  snapshot: ConversationSnapshot,
  { toolCallId, toolName, input }: Omit<PendingCall, 'kind'>,
  kind: PendingCall['kind'],
): ConversationSnapshot {
  const others = snapshot.pending.filter((call) => call.toolCallId !== toolCallId)
  return withPending(snapshot, [...others, { toolCallId, toolName, input, kind }])
}

function unpark(snapshot: ConversationSnapshot, toolCallId: string): ConversationSnapshot {
  const { pending } = snapshot
  return pending.some((call) => call.toolCallId === toolCallId)
    ? withPending(
        snapshot,
        pending.filter((call) => call.toolCallId !== toolCallId),
      )
    : snapshot
}
