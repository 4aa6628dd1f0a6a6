import type { RowOf } from '../protocol/fact.ts'
import type { AssistantMessage } from '../protocol/message.ts'
import type { CallState, MessageNode } from '../protocol/state.ts'
import { addResult } from './add-result.ts'
import type { Draft } from './draft.ts'
import { isOfRun } from './fold-run.ts'
import { answerText, finishingCall } from './result.ts'
import { sumUsage } from './usage.ts'

/** What a second model call said of an answer: remarks beside it, or the text that stands in its place from now on. */
export function foldReflection(draft: Draft, row: RowOf<'answer-reflected'>): void {
  const { run } = draft.state
  if (isOfRun(run, row)) draft.changeRun({ usage: sumUsage(run.usage, row.usage) })
  const { text, mode, messageId } = row
  if (text === null) return
  const node = draft.changeNode(
    ({ id, kind }) => id === messageId && kind === 'assistant',
    (answer) =>
      mode === 'annotate' ? { ...answer, reflection: { mode, text } } : replaced(answer, text),
  )
  // Cleared away, or beyond the window: only a windowed state can't know which.
  if (node === null) draft.state.isStale ||= draft.state.older > 0
  else if (mode === 'replace') takeResult(draft, node)
}

/** Of an answer that was given to `finish_task`, that call's words are replaced. */
function replaced(node: MessageNode, text: string): MessageNode {
  if (node.message.role !== 'assistant') return node
  const reflection = { mode: 'replace', original: answerText(node) } as const
  const finishing = finishingCall(node)
  if (finishing === undefined) return { ...node, message: withText(node.message, text), reflection }
  const isFinishing = ({ toolCallId }: Pick<CallState, 'toolCallId'>): boolean =>
    toolCallId === finishing.toolCallId
  const { actionText: _written, ...message } = node.message
  const input = { result: text }
  return {
    ...node,
    reflection,
    message: {
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'tool-call' && part.error === undefined && isFinishing(part)
          ? { ...part, input }
          : part,
      ),
    },
    calls: node.calls.map((call) =>
      isFinishing(call) ? { ...call, input, output: { type: 'text', value: text } } : call,
    ),
  }
}

/** What the model thought, and what its provider wants to have back, belongs to the words that are gone. */
function withText({ id, parts }: AssistantMessage, text: string): AssistantMessage {
  const kept = parts.filter(({ type }) => type === 'file' || type === 'tool-call')
  return { role: 'assistant', ...(id && { id }), parts: [{ type: 'text', text }, ...kept] }
}

function takeResult(draft: Draft, node: MessageNode): void {
  const { run } = draft.state
  const finishing = finishingCall(node)
  if (finishing?.output == null) return
  const { toolCallId, output } = finishing
  addResult(draft, node, { toolCallId, output })
  if (run?.calls.some((call) => call.toolCallId === toolCallId))
    draft.changeRun({ calls: node.calls })
}
