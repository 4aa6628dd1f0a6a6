import { formatObservation } from '../../action/index.ts'
import type { CallFacts, FactOf, Identified } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, Loss, ToolCallPart } from '../../protocol/message.ts'
import type { ToolTable } from './tool-table.ts'
import { resolveName } from './resolve-name.ts'
import type { ModelOutcome } from '../model/call-model.ts'
import { toOwnNames } from '../model/model-names.ts'
import type { ModelTurn } from '../model/turn-reader.ts'

interface TurnOutput extends Omit<Extract<ModelOutcome, { type: 'turn' }>, 'type'> {
  readonly messageId: string
  readonly step: number
  readonly losses: readonly Loss[]
  readonly tools: ToolTable
  /** Whether untrusted content holds the same call, so that the model may only be quoting it. */
  readonly isQuoted: (call: { readonly toolName: string; readonly input: JsonValue }) => boolean
  /** Whether a native call has worked in this conversation. */
  readonly calledNatively: boolean
  readonly newId: (prefix: string) => string
}

/** The fact of a complete model turn: message, calls and usage at once. */
export function modelOutput(output: TurnOutput): Omit<FactOf<'model-output'>, 'parentId'> {
  const { form, losses, tools, toolMode, newId } = output
  const { parts, usage, finishReason, rawFinishReason, providerMetadata, actionText, feedback } =
    output.turn
  const named = parts.map((part) => {
    if (part.type !== 'tool-call') return part
    const isNative = toolMode === 'native' && !part.rescued
    const toolName = isNative ? resolveName(part.toolName, tools) : part.toolName
    return toOwnNames({ ...part, toolName }, tools.get(toolName))
  })
  const message: Identified<AssistantMessage> = {
    role: 'assistant',
    id: output.messageId,
    parts: named,
    ...(providerMetadata && { providerMetadata }),
    ...(actionText !== undefined && { actionText }),
    ...(losses.length > 0 && { losses }),
  }
  return {
    type: 'model-output',
    step: output.step,
    attempt: output.attempt,
    message,
    toolsId: named.some((part) => part.type === 'tool-call') ? newId('msg_') : null,
    calls: named.flatMap((part) => (part.type === 'tool-call' ? [factsOf(part, output)] : [])),
    usage,
    finishReason,
    ...(rawFinishReason !== undefined && { rawFinishReason }),
    toolMode,
    ...(form && { form }),
    ...(feedback && {
      feedback: {
        id: newId('msg_'),
        error: feedback,
        text: formatObservation([{ error: feedback }]),
      },
    }),
  }
}

function factsOf(part: ToolCallPart, output: TurnOutput): CallFacts {
  const { toolMode } = output
  const tool = output.tools.get(part.toolName)
  const besides =
    tool !== undefined && (tool.annotations.readOnly || tool.parallelSafe) && !tool.sequential
  return {
    toolCallId: part.toolCallId,
    known: tool !== undefined,
    // ACTION calls always run in order.
    parallel: toolMode === 'native' && besides,
    ...(tool?.title !== undefined && { title: tool.title }),
    ...(tool?.remote && { source: tool.remote.source }),
    ...(tool?.annotations.readOnly === true && { readOnly: true }),
    ...(tool?.control === 'finish-task' && { finishes: true }),
    ...(part.rescued && { rescued: true }),
    ...(tool !== undefined && mayBeOthers(part, output) && { quoted: true }),
  }
}

/**
 * Whether a call in text may be quoted from untrusted content (Q3). A model that is known to call natively may also
 * merely mention a call (Q4).
 */
function mayBeOthers(part: ToolCallPart, output: TurnOutput): boolean {
  const { toolMode, calledNatively, isQuoted } = output
  if (part.error || (toolMode === 'native' && !part.rescued)) return false
  const isNative = (other: ModelTurn['parts'][number]): boolean =>
    other.type === 'tool-call' && !other.rescued && !other.error
  if (part.rescued && (calledNatively || output.turn.parts.some(isNative))) return true
  return isQuoted({ toolName: part.toolName, input: part.input })
}
