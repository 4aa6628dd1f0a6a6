import type { Identified, Row, RowOf, UserContent } from '../protocol/fact.ts'
import type {
  CallState,
  Consent,
  ContextRow,
  ConversationState,
  MessageNode,
} from '../protocol/state.ts'
import { Draft, pick } from './state.ts'
import { addResult, foldCall, callParts, importedCall, proposedCalls } from './fold-call.ts'
import { foldRun, isOfRun } from './fold-run.ts'
import { isTaintedInWhole, mayUntaint, originOfTools, appendMessage, setHead } from './tree.ts'
import { sumUsage } from './usage.ts'
import type {
  AssistantMessage,
  Message,
  MessageKind,
  ToolOutput,
  ToolResultPart,
} from '../protocol/message.ts'
import { answerText, finishingCall } from './result.ts'
import type { SettledStatus } from '../protocol/tool.ts'

type MessageRow = Extract<Row, { readonly parentId: string | null }>

/** Adds the messages of a row, each under the previous one, and moves the head to the last. */
function foldMessage(draft: Draft, row: MessageRow): void {
  const { parentId } = row
  switch (row.type) {
    case 'run-started':
      if (!row.message) return setHead(draft, parentId, row.seq)
      removeQueued(draft, row.message.id)
      return addMessage(draft, row, { parentId, kind: 'user', message: userMessage(row.message) })
    case 'model-output':
      return addOutput(draft, row)
    case 'step-cut': {
      if (!row.message) return
      const message = { ...row.message, role: 'assistant', partial: true } as const
      return addMessage(draft, row, { parentId, kind: 'partial', message })
    }
    case 'answer-rejected':
      markRejected(draft, row)
      return addMessage(draft, row, {
        parentId,
        kind: 'feedback',
        message: loopMessage(row.message),
      })
    case 'messages-imported':
      return addImported(draft, row)
    case 'message-delivered': {
      const queued = removeQueued(draft, row.messageId)
      if (!queued) return
      return addMessage(draft, row, { parentId, kind: 'user', message: userMessage(queued) })
    }
    default:
      row satisfies never
  }
}

function removeQueued({ state }: Draft, id: string): UserContent | undefined {
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
  addMessage(draft, row, { parentId, kind: 'assistant', message, calls })
  if (toolsId !== null)
    addMessage(draft, row, {
      parentId: message.id,
      kind: 'tools',
      message: { role: 'tool', id: toolsId, parts: [] },
    })
  const notice = feedback ?? reminder
  if (!notice) return
  addMessage(draft, row, {
    parentId: toolsId ?? message.id,
    kind: 'feedback',
    message: loopMessage(notice),
  })
}

function markRejected(draft: Draft, { runId, step }: RowOf<'answer-rejected'>): void {
  draft.changeNode(
    (node) => node.kind === 'assistant' && node.runId === runId && node.step === step,
    (node) => ({ ...node, rejected: true }),
  )
}

/** A message from the loop to the model, such as feedback on its answer. */
function loopMessage({ id, text }: LoopText): Identified<Message> {
  return { role: 'user', id, synthetic: true, parts: [{ type: 'text', text }] }
}

interface LoopText {
  readonly id: string
  readonly text: string
}

function amendMessage(draft: Draft, row: RowOf<'message-amended'>): void {
  const sent = pick(row, ['appended', 'rewritten'])
  draft.changeNode(
    ({ id }) => id === row.messageId,
    (node) => ({ ...node, sent }),
  )
}

function clearHistory(draft: Draft): void {
  const { state } = draft
  for (const list of ['path', 'others', 'forks', 'leaves', 'context'] as const)
    draft.replace(list, [])
  state.older = 0
  state.returned = []
  state.era += 1
  state.isStale = false
  delete state.taintBefore
  // Drops pending calls: without the history, a run can't continue from their outputs.
  draft.changeRun({ calls: [] })
}

interface NewMessage {
  readonly parentId: string | null
  readonly kind: MessageKind
  readonly message: Identified<Message>
  readonly calls?: readonly CallState[]
}

function addMessage(
  draft: Draft,
  row: MessageRow,
  { parentId, kind, message, calls = [] }: NewMessage,
): void {
  const { runId, at, seq } = row
  const step = 'step' in row ? row.step : null
  appendMessage(draft, { id: message.id, parentId, seq, runId, step, kind, at, message, calls })
}

function userMessage(content: UserContent): Identified<Message> {
  return { ...content, role: 'user' }
}

function addImported(draft: Draft, row: RowOf<'messages-imported'>): void {
  let { parentId } = row
  for (const message of row.messages) {
    const calls = callParts(message).map(importedCall)
    addMessage(draft, row, { parentId, kind: 'imported', message, calls })
    parentId = message.id
    if (message.role === 'tool')
      for (const result of message.parts) settleImported(draft, result, row.at)
  }
}

/** Settles a call whose result is part of the imported history. */
function settleImported(draft: Draft, { toolCallId, output }: ToolResultPart, at: number): void {
  const status = settledStatus(output)
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

function settledStatus({ type }: ToolOutput): SettledStatus {
  if (type === 'denied') return 'denied'
  return type === 'error' ? 'failed' : 'succeeded'
}

type ConsentRow = RowOf<
  | 'consent-given'
  | 'consent-revoked'
  | 'run-ended'
  | 'context-tainted'
  | 'descriptions-changed'
  | 'history-cleared'
>

/** Applies rows that give or end a consent for several calls. The rows apply in stored order, on every branch. */
function foldConsents({ state }: Draft, row: ConsentRow): void {
  if (row.type === 'consent-given') {
    const { consentId } = row
    const otherConsents = state.consents.filter((consent) => consent.consentId !== consentId)
    state.consents = [...otherConsents, consentOf(row)]
  } else if (state.consents.length > 0) {
    const remaining = state.consents.filter((consent) => !isEndedBy(consent, row))
    if (remaining.length < state.consents.length) state.consents = remaining
  }
}

function isEndedBy(
  { consentId, scope, runId }: Consent,
  row: Exclude<ConsentRow, { type: 'consent-given' }>,
): boolean {
  switch (row.type) {
    case 'consent-revoked':
      return row.consentId === consentId
    case 'run-ended':
      return scope.within === 'run' && runId === row.runId
    case 'context-tainted':
      return scope.openWorld === true && row.origin !== scope.source
    case 'descriptions-changed':
      return (
        scope.openWorld === true &&
        row.origins.some((origin) => origin !== originOfTools(scope.source ?? ''))
      )
    case 'history-cleared':
      return true
    default:
      return row satisfies never
  }
}

function consentOf(row: RowOf<'consent-given'>): Consent {
  return pick(row, ['consentId', 'scope', 'at', 'runId', 'until'])
}

/** Folds the result of `reflect`: remarks on an answer, or a text that replaces the answer. */
function foldReflection(draft: Draft, row: RowOf<'answer-reflected'>): void {
  const { run } = draft.state
  if (isOfRun(run, row)) draft.changeRun({ usage: sumUsage(run.usage, row.usage) })
  const { text, mode, messageId } = row
  if (text === null) return
  const node = draft.changeNode(
    ({ id, kind }) => id === messageId && kind === 'assistant',
    (answer) =>
      mode === 'annotate'
        ? { ...answer, reflection: { mode, text } }
        : withReplacedText(answer, text),
  )
  // If the message is missing, it was cleared or is older than the window. A windowed state can't tell which, so it
  // becomes stale.
  if (node === null) draft.state.isStale ||= draft.state.older > 0
  else if (mode === 'replace') updateResult(draft, node)
}

/**
 * Replaces the text of an answer. If the answer came from `finish_task`, replaces the input and output of that call.
 */
function withReplacedText(node: MessageNode, text: string): MessageNode {
  if (node.message.role !== 'assistant') return node
  const { parts } = node.message
  // Drops `providerMetadata` and `actionText`, because they belong to the old text.
  const withParts = (changed: AssistantMessage['parts']): MessageNode => ({
    ...node,
    reflection: { mode: 'replace', original: answerText(node) },
    message: { role: 'assistant', id: node.id, parts: changed },
  })
  const finishing = finishingCall(node)
  if (finishing === undefined) {
    const otherParts = parts.filter(({ type }) => type === 'file' || type === 'tool-call')
    return withParts([{ type: 'text', text }, ...otherParts])
  }
  const isFinishing = ({ toolCallId }: Pick<CallState, 'toolCallId'>): boolean =>
    toolCallId === finishing.toolCallId
  const input = { result: text }
  return {
    ...withParts(
      parts.map((part) =>
        part.type === 'tool-call' && part.error === undefined && isFinishing(part)
          ? { ...part, input }
          : part,
      ),
    ),
    calls: node.calls.map((call) =>
      isFinishing(call) ? { ...call, input, output: { type: 'text', value: text } } : call,
    ),
  }
}

function updateResult(draft: Draft, node: MessageNode): void {
  const { run } = draft.state
  const finishing = finishingCall(node)
  if (finishing?.output == null) return
  const { toolCallId, output } = finishing
  addResult(draft, node, { toolCallId, output })
  if (run?.calls.some((call) => call.toolCallId === toolCallId))
    draft.changeRun({ calls: node.calls })
}

/**
 * Applies rows to a state. They must follow the state's newest row by `seq`, without gaps. Pass many rows at once,
 * because each call copies the state's lists. `onRow` gets each row and the newest run, which the next row may change
 * in place. Rows that don't fit the state change nothing.
 */
export function fold(
  state: ConversationState,
  rows: readonly Row[],
  onRow?: (row: Row, run: ConversationState['run']) => void,
): ConversationState {
  if (rows.length === 0) return state
  const draft = new Draft(state)
  for (const row of rows) {
    foldRow(draft, row)
    onRow?.(row, draft.state.run)
  }
  return draft.state
}

function foldRow(draft: Draft, row: Row): void {
  const { state } = draft
  state.seq = row.seq
  switch (row.type) {
    case 'run-started':
    case 'model-output':
    case 'step-cut':
      foldRun(draft, row)
      return foldMessage(draft, row)
    case 'step-started':
    case 'attempt-failed':
    case 'run-resumed':
    case 'run-paused':
    case 'run-continued':
      return foldRun(draft, row)
    case 'run-ended':
      foldConsents(draft, row)
      return foldRun(draft, row)
    case 'messages-imported':
    case 'message-delivered':
    case 'answer-rejected':
      return foldMessage(draft, row)
    case 'answer-reflected':
      return foldReflection(draft, row)
    case 'message-amended':
      return amendMessage(draft, row)
    case 'head-moved':
      return setHead(draft, row.to, row.seq)
    case 'history-cleared':
      foldConsents(draft, row)
      return clearHistory(draft)
    case 'row-set-aside': {
      const { reason: origin, seq, at } = row
      state.setAside = [...(state.setAside ?? []), origin]
      // The unreadable row may have ended a consent, or marked content as untrusted.
      state.consents = []
      if (state.run?.end === null) draft.changeRun({ damage: origin })
      draft.mutableList('context').push({ type: 'context-tainted', after: null, origin, seq, at })
      return
    }
    case 'renamed':
      state.title = row.title || null
      return
    case 'message-queued':
    case 'message-withdrawn':
      return foldQueue(draft, row)
    case 'consent-given':
    case 'consent-revoked':
      return foldConsents(draft, row)
    default:
      return 'after' in row ? foldContext(draft, row) : foldCall(draft, row)
  }
}

/** Folds a row that changes the model's context without adding a message. */
function foldContext(draft: Draft, row: RowOf<ContextRow['type']>): void {
  // A windowed state can't tell which tainted messages are still sent to the model.
  if (mayUntaint(row) && isTaintedInWhole(draft.state)) draft.state.isStale = true
  if (row.type === 'compacted' && row.usage && isOfRun(draft.state.run, row))
    draft.changeRun({ usage: sumUsage(draft.state.run.usage, row.usage) })
  if (row.type === 'context-tainted' || row.type === 'descriptions-changed')
    foldConsents(draft, row)
  draft.mutableList('context').push(row)
}

function foldQueue({ state }: Draft, row: RowOf<'message-queued' | 'message-withdrawn'>): void {
  state.queue =
    row.type === 'message-queued'
      ? [...state.queue, row.message]
      : state.queue.filter(({ id }) => id !== row.messageId)
  if (row.type === 'message-withdrawn' && row.returned)
    state.returned = [...state.returned, row.returned]
}
