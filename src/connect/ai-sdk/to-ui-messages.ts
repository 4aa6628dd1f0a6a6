import type {
  Agent,
  Conversation,
  ConversationSnapshot,
  FilePart,
  ShownCall,
  ShownMessage,
  ToolOutput,
} from '../../index.ts'
import type {
  OffstageUIMessage,
  UIApproval,
  UIDataPart,
  UIFilePart,
  UIMetadata,
  UIOrderedPart,
  UISteeringPart,
  UIToolPart,
} from './ui-message.ts'

/**
 * Converts a conversation to AI SDK messages, for `messages` of `useChat` after a reload. All steps of an answer form
 * one message, with the id of the first.
 */
export function toUIMessages(snapshot: ConversationSnapshot): OffstageUIMessage[] {
  const shown = groups(snapshot.messages).flatMap((group) => shownGroup(group, snapshot))
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
function groups(messages: readonly ShownMessage[]): ShownMessage[][] {
  const found: ShownMessage[][] = []
  for (const message of messages) {
    const last = found.at(-1)
    const isAnswer = message.role === 'assistant' || message.role === 'tool'
    if (isAnswer && last && last[0]?.role === 'assistant') last.push(message)
    else found.push([message])
  }
  return found
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

/** Parts of an answer as one message, with a step for each model output. `writing`: id of the message being written. */
export function partsOf(
  messages: readonly ShownMessage[],
  writing: string | undefined,
): UIOrderedPart[] {
  return messages.flatMap((message) => {
    if (message.role === 'user') return [steeringPart(message)]
    // Answers that `verify` rejected are left out: another answer follows.
    if (message.role !== 'assistant' || message.rejected) return []
    return [{ type: 'step-start' }, ...answerParts(message, message.id === writing)]
  })
}

type Answer = Extract<ShownMessage, { role: 'assistant' }>

function answerParts({ parts, calls = [] }: Answer, isWriting: boolean): UIOrderedPart[] {
  const state = isWriting ? 'streaming' : 'done'
  const said = parts.flatMap((part): UIOrderedPart[] => {
    if (part.type === 'tool-call') return []
    if (part.type === 'file') return [filePart(part)]
    return part.text === '' ? [] : [{ type: part.type, text: part.text, state }]
  })
  return [...said, ...calls.map(toolPart)]
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
  const { toolName, toolCallId, title, status, output, error, progress } = call
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
  switch (status) {
    case 'awaiting-approval':
      return { ...base, state: 'approval-requested', input, approval: approvalOf(call) }
    case 'denied': {
      const reason = output && errorText(output)
      const said = { approved: false as const, ...(reason !== undefined && { reason }) }
      return { ...base, state: 'output-denied', input, approval: { ...approvalOf(call), ...said } }
    }
    case 'succeeded':
      return { ...base, state: 'output-available', input, output: output && outputOf(output) }
    case 'failed':
    case 'aborted':
    case 'interrupted':
    case 'invalid':
      return { ...base, state: 'output-error', input, errorText: errorText(output) ?? status }
    default:
      // A running call shows its progress as preliminary output.
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
  return toUIMessages(await loaded(agent.conversation(conversationId), ({ older }) => older === 0))
}

/** Resolves to the snapshot once it has loaded and `isEnough` accepts it, or once loading has failed. */
export function loaded(
  conversation: Conversation,
  isEnough: (snapshot: ConversationSnapshot) => boolean = () => true,
): Promise<ConversationSnapshot> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined
    const check = (): void => {
      const snapshot = conversation.getSnapshot()
      if (snapshot.status === 'loading' || !(snapshot.error || isEnough(snapshot))) return
      resolve(snapshot)
      unsubscribe()
    }
    unsubscribe = conversation.subscribe(check)
    check()
  })
}
