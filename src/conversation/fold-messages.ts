import type { RowOf } from '../protocol/fact.ts'
import type { Message, MessageKind } from '../protocol/message.ts'
import type { Draft } from './draft.ts'
import { importedCall, proposedCalls, callParts } from './propose-call.ts'
import type { CallState, MessageNode } from '../protocol/state.ts'
import { growHead, headOf } from './tree.ts'

type MessageRow = RowOf<
  'run-started' | 'model-output' | 'step-cut' | 'messages-imported' | 'message-delivered'
>

/** Adds the messages that a row bears, each under the one before it, and moves the head to the last. */
export function foldMessage(draft: Draft, row: MessageRow): void {
  const { state } = draft
  switch (row.type) {
    case 'run-started':
      if (row.message) add(draft, row, { kind: 'user', message: { role: 'user', ...row.message } })
      return
    case 'model-output': {
      const { message, toolsId, feedback } = row
      add(draft, row, { kind: 'assistant', message, calls: state.run?.calls ?? proposedCalls(row) })
      if (toolsId !== null)
        chain(draft, row, { kind: 'tools', message: { role: 'tool', id: toolsId, parts: [] } })
      if (feedback) chain(draft, row, { kind: 'feedback', message: feedbackMessage(feedback) })
      return
    }
    case 'step-cut':
      if (row.message)
        add(draft, row, {
          kind: 'partial',
          message: { role: 'assistant', ...row.message, partial: true },
        })
      return
    case 'messages-imported':
      return addImported(draft, row)
    case 'message-delivered': {
      const queued = state.queue.find(({ id }) => id === row.messageId)
      if (!queued) return
      state.queue = state.queue.filter(({ id }) => id !== row.messageId)
      return add(draft, row, { kind: 'user', message: { role: 'user', ...queued } })
    }
    default:
      row satisfies never
  }
}

/** Shows another branch: from the first message to the named one. */
export function moveHead(draft: Draft, row: RowOf<'head-moved'>): void {
  headOf(draft, { id: row.to, seq: row.seq })
}

export function clearHistory(draft: Draft): void {
  const { state } = draft
  draft.replace('path', [])
  draft.replace('others', [])
  draft.replace('context', [])
  state.older = 0
  state.era += 1
  state.forks = []
  state.leaves = []
  state.isStale = false
  // What waited for an output waits no more: nothing of it is left to go on from.
  if (state.run) state.run = { ...state.run, calls: [] }
}

interface Bearing {
  readonly kind: MessageKind
  readonly message: Message
  readonly calls?: readonly CallState[]
}

function add(
  draft: Draft,
  row: MessageRow & { readonly parentId: string | null },
  bearing: Bearing,
): void {
  growHead(draft, nodeOf(row, row.parentId, bearing), row.seq)
}

/** Under the message before it in the same row. */
function chain(draft: Draft, row: MessageRow, bearing: Bearing): void {
  const parentId = draft.state.path.at(-1)?.id ?? null
  growHead(draft, nodeOf(row, parentId, bearing), row.seq)
}

function nodeOf(
  row: MessageRow,
  parentId: string | null,
  { kind, message, calls = [] }: Bearing,
): MessageNode {
  return {
    id: message.id ?? '',
    parentId,
    runId: row.runId,
    step: 'step' in row ? row.step : null,
    kind,
    at: row.at,
    message,
    calls,
  }
}

function feedbackMessage({ id, text }: NonNullable<RowOf<'model-output'>['feedback']>): Message {
  return { role: 'user', id, synthetic: true, parts: [{ type: 'text', text }] }
}

function addImported(draft: Draft, row: RowOf<'messages-imported'>): void {
  let isFirst = true
  for (const message of row.messages) {
    const bearing = { kind: 'imported', message, calls: importedCalls(message) } as const
    if (isFirst) add(draft, row, bearing)
    else chain(draft, row, bearing)
    isFirst = false
    if (message.role === 'tool') settleImported(draft, message.parts, row.at)
  }
}

function importedCalls(message: Message): CallState[] {
  return message.role === 'assistant' ? callParts(message).map(importedCall) : []
}

/** Results that an imported history brings with it. */
function settleImported(
  draft: Draft,
  results: Extract<Message, { role: 'tool' }>['parts'],
  at: number,
): void {
  for (const { toolCallId, output } of results) {
    const status = output.type === 'error' || output.type === 'denied' ? 'failed' : 'succeeded'
    draft.changeNode(
      ({ calls }) => calls.some((call) => call.toolCallId === toolCallId),
      (node) => ({
        ...node,
        calls: node.calls.map((call) =>
          call.toolCallId === toolCallId ? { ...call, status, output, endedAt: at } : call,
        ),
      }),
    )
  }
}
