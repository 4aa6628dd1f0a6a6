import type {
  Agent,
  Conversation,
  ConversationSnapshot,
  FilePart,
  ShownCall,
  ShownMessage,
  ToolOutput,
  JsonValue,
  PendingCall,
  PlanItem,
  RunUsage,
} from '../../index.ts'

/**
 * Converts a conversation to AI SDK messages, for `messages` of `useChat` after a reload. All steps of an answer become
 * one message, which has the id of the first step.
 */
export function toUIMessages(snapshot: ConversationSnapshot): OffstageUIMessage[] {
  const shown = groupMessages(snapshot.messages).flatMap((group) => shownGroup(group, snapshot))
  const last = shown.at(-1)
  if (last?.role === 'assistant') {
    const metadata = metadataOf(snapshot)
    last.parts.push(...dataParts(snapshot))
    if (Object.keys(metadata).length > 0) last.metadata = metadata
  }
  return shown
}

/** Usage and outcome of the last answer's run, if known. */
export function metadataOf({ spent, ended }: ConversationSnapshot): UIMetadata {
  return {
    ...(spent && { usage: spent.total }),
    ...(ended && { outcome: ended.outcome }),
  }
}

/** Groups messages: each user message alone, consecutive answers and tool results together. */
function groupMessages(messages: readonly ShownMessage[]): ShownMessage[][] {
  const groups: ShownMessage[][] = []
  for (const message of messages) {
    const last = groups.at(-1)
    const isAnswer = message.role === 'assistant' || message.role === 'tool'
    if (isAnswer && last && last[0]?.role === 'assistant') last.push(message)
    else groups.push([message])
  }
  return groups
}

function shownGroup(
  group: readonly ShownMessage[],
  { run }: ConversationSnapshot,
): OffstageUIMessage[] {
  const [first] = group
  if (!first) return []
  const { id, role } = first
  switch (role) {
    case 'user':
      return [{ id, role, parts: userParts(first.parts) }]
    case 'system':
      return [{ id, role, parts: first.parts.map(({ text }) => ({ type: 'text', text })) }]
    case 'assistant':
      return [{ id, role, parts: partsOf(group, run?.messageId) as OffstageUIMessage['parts'] }]
    case 'tool':
      return []
    default:
      return first satisfies never
  }
}

/** Parts of an answer as one message, with a step for each model output. `writingId`: the message being written. */
export function partsOf(
  messages: readonly ShownMessage[],
  writingId: string | undefined,
): UIOrderedPart[] {
  return messages.flatMap((message) => {
    if (message.role === 'user') return [steeringPart(message)]
    // Omits answers that `verify` rejected: another answer follows each.
    if (message.role !== 'assistant' || message.rejected) return []
    return [{ type: 'step-start' }, ...answerParts(message, message.id === writingId)]
  })
}

type Answer = Extract<ShownMessage, { role: 'assistant' }>

function answerParts({ parts, calls = [] }: Answer, isWriting: boolean): UIOrderedPart[] {
  const state = isWriting ? 'streaming' : 'done'
  const content = parts.flatMap((part): UIOrderedPart[] => {
    if (part.type === 'tool-call') return []
    if (part.type === 'file') return [filePart(part)]
    return part.text === '' ? [] : [{ type: part.type, text: part.text, state }]
  })
  return [...content, ...calls.map(toolPart)]
}

function steeringPart({ id, parts }: Extract<ShownMessage, { role: 'user' }>): UISteeringPart {
  return { type: 'steering-message', id, parts: userParts(parts) }
}

function userParts(
  parts: Extract<ShownMessage, { role: 'user' }>['parts'],
): UISteeringPart['parts'] {
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : filePart(part),
  )
}

function filePart({ mediaType, data, filename }: FilePart): UIFilePart {
  const url = `data:${mediaType};base64,${data}`
  return { type: 'file', mediaType, url, ...(filename !== undefined && { filename }) }
}

function toolPart(call: ShownCall): UIToolPart {
  const { toolName, toolCallId, title, status, output, error, progress, startedAt } = call
  const base = {
    type: `tool-${toolName}` as const,
    toolCallId,
    ...(title !== undefined && { title }),
  }
  const { inputText } = call
  if (inputText !== undefined)
    return { ...base, state: 'input-streaming', input: undefined, rawInput: inputText }
  if (error) return { ...base, state: 'output-error', input: undefined, errorText: error.message }
  const input = call.input ?? null
  // A call that a new message or a stop cancelled is `aborted`, but nobody approved it if it never ran.
  switch (status === 'aborted' && !startedAt ? 'denied' : status) {
    case 'awaiting-approval':
      return { ...base, state: 'approval-requested', input, approval: approvalOf(call) }
    case 'denied': {
      const reason = output && errorText(output)
      const denial = { approved: false as const, ...(reason !== undefined && { reason }) }
      return {
        ...base,
        state: 'output-denied',
        input,
        approval: { ...approvalOf(call), ...denial },
      }
    }
    case 'succeeded':
      return { ...base, state: 'output-available', input, output: output && outputOf(output) }
    case 'failed':
    case 'aborted':
    case 'interrupted':
    case 'invalid':
      return { ...base, state: 'output-error', input, errorText: errorText(output) ?? status }
    default:
      // A running call's progress becomes preliminary output.
      return status === 'executing' && progress !== undefined
        ? { ...base, state: 'output-available', input, output: progress, preliminary: true }
        : { ...base, state: 'input-available', input }
  }
}

function approvalOf({ toolCallId, about, because }: ShownCall): UIApproval {
  const descriptor = { ...(about && { about }), ...(because && { because }) }
  return {
    id: toolCallId,
    ...(about && { requestReason: about.text }),
    ...((about || because) && { descriptor }),
  }
}

function outputOf(output: ToolOutput): unknown {
  return 'value' in output ? output.value : errorText(output)
}

function errorText(output: ToolOutput | undefined): string | undefined {
  if (output?.type === 'error') return output.message
  if (output?.type === 'denied') return output.reason
  return output && String(output.value)
}

/** Data parts of the last answer: the plan and the pending calls. */
export function dataParts({ plan, pending }: ConversationSnapshot): UIDataPart[] {
  return [
    ...(plan ? [{ type: 'data-plan' as const, id: 'plan' as const, data: plan }] : []),
    ...(pending.length > 0
      ? [{ type: 'data-waiting' as const, id: 'waiting' as const, data: pending }]
      : []),
  ]
}

/**
 * Resolves to all messages of a conversation, once they are read from the store. Pass them to `useChat` as `messages`.
 */
export async function loadUIMessages(
  agent: Agent,
  conversationId: string,
): Promise<OffstageUIMessage[]> {
  return toUIMessages(
    await waitUntilLoaded(agent.conversation(conversationId), ({ older }) => older === 0),
  )
}

/** Resolves to the snapshot once it is loaded and accepted by `isEnough`, or once loading has failed. */
export function waitUntilLoaded(
  conversation: Conversation,
  isEnough: (snapshot: ConversationSnapshot) => boolean = () => true,
): Promise<ConversationSnapshot> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined
    const check = (): void => {
      const snapshot = conversation.getSnapshot()
      const { status, error, ended } = snapshot
      // The error of a failed run says nothing about loading.
      const isFault = error && !(ended?.outcome === 'failed' && ended.error === error)
      if (status === 'loading' || !(isFault || isEnough(snapshot))) return
      resolve(snapshot)
      unsubscribe()
    }
    unsubscribe = conversation.subscribe(check)
    check()
  })
}

// Parts of the AI SDK's messages and chunks that are used here. They are structural types, so no version of the AI
// SDK's types has to be installed. test/ai-sdk compares them with the original types.

/** Text or reasoning in a chat message. `streaming`: more follows. */
export interface UITextPart {
  type: 'text' | 'reasoning'
  text: string
  state?: 'streaming' | 'done'
}

/** File in a chat message. `url` may be a `data:` URL. */
export interface UIFilePart {
  type: 'file'
  mediaType: string
  filename?: string
  url: string
}

/** Approval request for a call, with the id of the call. */
export interface UIApproval {
  id: string
  /** The call's own description of its targets. */
  requestReason?: string
  /** `about` and `because` of the pending call. */
  descriptor?: unknown
}

interface UIToolBase {
  type: `tool-${string}`
  toolCallId: string
  title?: string
}

/** Call in a chat message. `state` distinguishes the variants. */
export type UIToolPart = UIToolBase &
  (
    | { state: 'input-streaming'; input: undefined; rawInput: string }
    | { state: 'input-available'; input: JsonValue }
    | { state: 'approval-requested'; input: JsonValue; approval: UIApproval & { approved?: never } }
    | {
        state: 'approval-responded'
        input: JsonValue
        approval: UIApproval & { approved: boolean; reason?: string }
      }
    | {
        state: 'output-available'
        input: JsonValue
        output: unknown
        /** True for progress that the tool reports while it runs. */
        preliminary?: boolean
      }
    | { state: 'output-error'; input: JsonValue | undefined; errorText: string }
    | {
        state: 'output-denied'
        input: JsonValue
        approval: UIApproval & { approved: false; reason?: string }
      }
  )

/** User message that was sent to the open run, from this chat or elsewhere. Version 6 ignores it. */
export interface UISteeringPart {
  type: 'steering-message'
  id: string
  parts: ({ type: 'text'; text: string } | UIFilePart)[]
}

/** Parts whose order counts. */
export type UIOrderedPart =
  | { type: 'step-start' }
  | UITextPart
  | UIFilePart
  | UIToolPart
  | UISteeringPart

/** Parts identified by an id, without an order. */
export type UIDataPart =
  | { type: 'data-plan'; id: 'plan'; data: readonly PlanItem[] }
  /** Pending approvals, and questions with their fields, including those of child agents. */
  | { type: 'data-waiting'; id: 'waiting'; data: readonly PendingCall[] }

/** Metadata of the last answer. */
export interface UIMetadata {
  usage?: RunUsage
  /** Outcome of the answer's run. */
  outcome?: string
}

/** Message for `useChat`, with the parts that Offstage writes. */
export interface OffstageUIMessage {
  id: string
  role: 'user' | 'assistant' | 'system'
  metadata?: UIMetadata
  /** Parts of the types that versions 6 and 7 share. Messages of version 7 may also contain a `UISteeringPart`. */
  parts: (Exclude<UIOrderedPart, UISteeringPart> | UIDataPart)[]
}

/** A chat's message, with any parts and metadata. */
export interface UIMessageLike {
  readonly id: string
  readonly role: string
  readonly parts: readonly { readonly type: string }[]
}

/** A chunk of the stream to a chat. */
export type UIChunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' }
  | { type: 'reset-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | UIFilePart
  | UISteeringPart
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; title?: string }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available'
      toolCallId: string
      toolName: string
      input: JsonValue
      title?: string
    }
  | {
      type: 'tool-input-error'
      toolCallId: string
      toolName: string
      input: undefined
      errorText: string
      title?: string
    }
  | {
      type: 'tool-approval-request'
      approvalId: string
      toolCallId: string
      reason?: string
      approvalDescriptor?: unknown
    }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; preliminary?: boolean }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | UIDataPart
  | { type: 'data-error'; data: unknown; transient: true }
  | {
      type: 'finish'
      finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other'
      messageMetadata: UIMetadata
    }
  | { type: 'abort'; reason: string }
  | { type: 'error'; errorText: string }

/** Chunks that versions 6 and 7 both know. Version 6 ignores the others. */
export type UICommonChunk = Exclude<
  UIChunk,
  { type: 'steering-message' | 'reset-step' | 'tool-approval-response' }
>
