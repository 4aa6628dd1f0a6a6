import type { Identified, RowOf, UserContent } from '../protocol/fact.ts'
import type { Message, MessageKind, ToolOutput, ToolResultPart } from '../protocol/message.ts'
import type { CallState } from '../protocol/state.ts'
import type { SettledStatus } from '../protocol/tool.ts'
import type { Draft } from './draft.ts'
import { isOfRun } from './fold-run.ts'
import { callParts, importedCall, proposedCalls } from './propose-call.ts'
import { growHead, headOf } from './tree.ts'

type MessageRow = RowOf<
  | 'run-started'
  | 'model-output'
  | 'step-cut'
  | 'answer-rejected'
  | 'messages-imported'
  | 'message-delivered'
>

/** Adds the messages that a row bears, each under the one before it, and moves the head to the last. */
export function foldMessage(draft: Draft, row: MessageRow): void {
  const { parentId } = row
  switch (row.type) {
    case 'run-started':
      if (!row.message) return headOf(draft, parentId, row.seq)
      takeQueued(draft, row.message.id)
      return add(draft, row, { parentId, kind: 'user', message: userMessage(row.message) })
    case 'model-output':
      return addOutput(draft, row)
    case 'step-cut': {
      if (!row.message) return
      const message = { ...row.message, role: 'assistant', partial: true } as const
      return add(draft, row, { parentId, kind: 'partial', message })
    }
    case 'answer-rejected':
      markRejected(draft, row)
      return add(draft, row, { parentId, kind: 'feedback', message: toldMessage(row.message) })
    case 'messages-imported':
      return addImported(draft, row)
    case 'message-delivered': {
      const queued = takeQueued(draft, row.messageId)
      if (!queued) return
      return add(draft, row, { parentId, kind: 'user', message: userMessage(queued) })
    }
    default:
      row satisfies never
  }
}

/** What was queued is so no more. */
function takeQueued({ state }: Draft, id: string): UserContent | undefined {
  const queued = state.queue.find((each) => each.id === id)
  if (!queued) return
  state.queue = state.queue.filter((each) => each !== queued)
  const { when: _when, orSooner: _orSooner, ...message } = queued
  return message
}

function addOutput(draft: Draft, row: RowOf<'model-output'>): void {
  const { parentId, toolsId, feedback, reminder } = row
  const message = { ...row.message, role: 'assistant' } as const
  const { run } = draft.state
  const calls = isOfRun(run, row) ? run.calls : proposedCalls(row)
  add(draft, row, { parentId, kind: 'assistant', message, calls })
  if (toolsId !== null)
    add(draft, row, {
      parentId: message.id,
      kind: 'tools',
      message: { role: 'tool', id: toolsId, parts: [] },
    })
  const told = feedback ?? reminder
  if (!told) return
  add(draft, row, {
    parentId: toolsId ?? message.id,
    kind: 'feedback',
    message: toldMessage(told),
  })
}

function markRejected(draft: Draft, { runId, step }: RowOf<'answer-rejected'>): void {
  draft.changeNode(
    (node) => node.kind === 'assistant' && node.runId === runId && node.step === step,
    (node) => ({ ...node, rejected: true }),
  )
}

/** A message of the loop to the model. */
function toldMessage({ id, text }: Told): Identified<Message> {
  return { role: 'user', id, synthetic: true, parts: [{ type: 'text', text }] }
}

interface Told {
  readonly id: string
  readonly text: string
}

export function amendMessage(draft: Draft, row: RowOf<'message-amended'>): void {
  const { messageId, appended, rewritten } = row
  const sent = {
    ...(appended !== undefined && { appended }),
    ...(rewritten !== undefined && { rewritten }),
  }
  draft.changeNode(
    ({ id }) => id === messageId,
    (node) => ({ ...node, sent }),
  )
}

export function clearHistory(draft: Draft): void {
  const { state } = draft
  for (const list of ['path', 'others', 'forks', 'leaves', 'context'] as const)
    draft.replace(list, [])
  state.older = 0
  state.returned = []
  state.era += 1
  state.isStale = false
  delete state.taintBefore
  // What waited for an output waits no more: nothing of it is left to go on from.
  draft.changeRun({ calls: [] })
}

interface Bearing {
  readonly parentId: string | null
  readonly kind: MessageKind
  readonly message: Identified<Message>
  readonly calls?: readonly CallState[]
}

function add(
  draft: Draft,
  row: MessageRow,
  { parentId, kind, message, calls = [] }: Bearing,
): void {
  const { runId, at, seq } = row
  const step = 'step' in row ? row.step : null
  growHead(draft, { id: message.id, parentId, seq, runId, step, kind, at, message, calls })
}

function userMessage(content: UserContent): Identified<Message> {
  return { ...content, role: 'user' }
}

function addImported(draft: Draft, row: RowOf<'messages-imported'>): void {
  let { parentId } = row
  for (const message of row.messages) {
    const calls = callParts(message).map(importedCall)
    add(draft, row, { parentId, kind: 'imported', message, calls })
    parentId = message.id
    if (message.role === 'tool')
      for (const result of message.parts) settleImported(draft, result, row.at)
  }
}

/** A result that an imported history brings with it. */
function settleImported(draft: Draft, { toolCallId, output }: ToolResultPart, at: number): void {
  const status = settledBy(output)
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

function settledBy({ type }: ToolOutput): SettledStatus {
  if (type === 'denied') return 'denied'
  return type === 'error' ? 'failed' : 'succeeded'
}
