import type { RunEventBody } from '../protocol/event.ts'
import type { CallFacts, JournalBody } from '../protocol/journal.ts'
import type { AssistantMessage, ToolCallPart } from '../protocol/message.ts'
import type { ToolDescriptor } from '../protocol/tool.ts'
import type { ToolTable } from './drive.ts'
import { resolveName } from './resolve-name.ts'
import type { ModelTurn } from './turn-reader.ts'

/** The journal's entry for a complete model turn: message, calls and usage at once. Pure. */
export function modelOutput(turn: {
  readonly messageId: string
  readonly step: number
  readonly turn: ModelTurn
  readonly toolMode: 'native' | 'action'
  readonly tools: ToolTable
}): Extract<JournalBody, { type: 'model-output' }> {
  const { tools, toolMode } = turn
  const { parts, usage, finishReason, rawFinishReason, providerMetadata, actionText, feedback } =
    turn.turn
  const named = parts.map((part) =>
    part.type === 'tool-call' && toolMode === 'native'
      ? { ...part, toolName: resolveName(part.toolName, tools) }
      : part,
  )
  const message: AssistantMessage = {
    role: 'assistant',
    id: turn.messageId,
    parts: named,
    ...(providerMetadata && { providerMetadata }),
    ...(actionText !== undefined && { actionText }),
  }
  return {
    type: 'model-output',
    step: turn.step,
    message,
    calls: named.flatMap((part) =>
      part.type === 'tool-call' ? [factsOf(part, tools.get(part.toolName), toolMode)] : [],
    ),
    usage,
    finishReason,
    ...(rawFinishReason !== undefined && { rawFinishReason }),
    toolMode,
    ...(feedback && { feedback }),
  }
}

/** What the page is told of a message's calls once it is journaled. */
export function callEvents(message: AssistantMessage): RunEventBody[] {
  return message.parts.flatMap((part): RunEventBody[] => {
    if (part.type !== 'tool-call') return []
    const { type, toolCallId, toolName } = part
    return part.error
      ? [{ type, toolCallId, toolName, error: part.error }]
      : [{ type, toolCallId, toolName, input: part.input }]
  })
}

function factsOf(
  part: ToolCallPart,
  tool: ToolDescriptor | undefined,
  toolMode: 'native' | 'action',
): CallFacts {
  const { readOnly = false, idempotent = false } = tool?.annotations ?? {}
  const besides = tool !== undefined && (readOnly || tool.parallelSafe) && !tool.sequential
  return {
    toolCallId: part.toolCallId,
    known: tool !== undefined,
    replayable: readOnly || idempotent,
    // ACTION calls run in order, always.
    parallel: toolMode === 'native' && besides,
    reconcilable: tool?.hasReconcile ?? false,
    ...(tool?.control === 'finish-task' && { finishes: true }),
  }
}
