import { actionPrompt, formatAction, formatObservation } from '../../action/index.ts'
import { contextOn, planOf } from '../../conversation/context.ts'
import { messageText } from '../../conversation/result.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  Message,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from '../../protocol/message.ts'
import type { LimitName } from '../../protocol/run.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import type { CountedRun } from '../run/counters.ts'
import { REPETITION, repetitionWords } from '../run/repetition.ts'
import { limitOf } from '../run/run-budget.ts'
import { applyContext } from './compaction/apply-context.ts'
import { memoryNote } from './memory-note.ts'

/** The request of the run's next step. Pure: the stored history stays as it is. */
export function buildRequest(
  state: ConversationState,
  run: CountedRun,
  step: { readonly stepContext: StepContext; readonly toolMode: 'native' | 'action' },
): ModelRequest {
  const { stepContext, toolMode } = step
  // Without native calls, a model that isn't told of tools is one that has none to choose.
  const tools =
    toolMode === 'action' && stepContext.model.toolChoice === 'none' ? [] : stepContext.tools
  const action = toolMode === 'action' && tools.length > 0
  const instructions = [stepContext.instructions, action ? actionPrompt(tools) : '']
    .filter((text) => text !== '')
    .join('\n\n')
  const trailer = [
    liveContext(stepContext.context),
    memoryNote(state),
    planNote(state),
    ...notices(run),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
  return {
    messages: outgoingMessages(
      applyContext(state.path, contextOn(state)),
      stepContext.tools,
      toolMode,
    ),
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    ...(instructions !== '' && { instructions }),
    ...(trailer !== '' && { trailer }),
    toolMode,
    textAsWritten: true,
    ...(stepContext.raw && { raw: true }),
  }
}

function liveContext(context: string | undefined): string {
  return context === undefined || context === '' ? '' : `Context, as of now:\n${context}`
}

/** The model's plan, once the call that made it may have been left out. */
function planNote(state: ConversationState): string {
  const isCut = contextOn(state).some(
    ({ type }) => type === 'compacted' || type === 'results-cleared',
  )
  const plan = isCut ? planOf(state) : null
  return plan === null
    ? ''
    : `Your plan, as of now:\n${plan.map(({ content, status }) => `- ${content} (${status})`).join('\n')}`
}

const LIMIT_WORDS: Readonly<Record<LimitName, string>> = {
  steps: 'steps',
  tokens: 'tokens',
  costUSD: 'cost',
  minutes: 'time',
}

/** What the model is told about the run's limits. Never stored. */
function notices(run: CountedRun): string[] {
  const notes: string[] = []
  const { maxSteps } = run.limits
  const limit = limitOf(run)
  if (limit !== null) {
    notes.push(
      `The run's limit of ${LIMIT_WORDS[limit]} is reached. No tool can be called any more: answer now with what you have, and say what is done and what remains.`,
    )
  } else if (maxSteps >= 2 && run.steps === maxSteps - 1) {
    notes.push(
      'This is the last step you have. Conclude now, or sum up what is done and what remains. Call no more tools unless one call completes the task.',
    )
  }
  if (run.repetition.count >= REPETITION.warn) {
    notes.push(
      `You have asked for the same calls ${repetitionWords(run.repetition)}. Don't repeat them: use the results you have, try something else, or say what is in the way.`,
    )
  }
  return notes
}

function outgoingMessages(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  toolMode: 'native' | 'action',
): Message[] {
  const outgoing: Message[] = []
  for (const message of messages) {
    switch (message.role) {
      case 'tool':
        if (message.parts.length === 0) break
        outgoing.push(toolMode === 'action' ? observations(message) : withNotes(message))
        break
      case 'assistant':
        outgoing.push(toolMode === 'action' ? asWritten(message, tools) : message)
        break
      case 'user':
      case 'system':
        outgoing.push(message)
        break
      default:
        message satisfies never
    }
  }
  return outgoing
}

/** What an ACTION-mode model wrote, or would have written had it not called natively. */
function asWritten(message: AssistantMessage, tools: readonly ToolDefinition[]): AssistantMessage {
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool-call' && isObject(part.input)
      ? [{ toolName: part.toolName, input: part.input }]
      : [],
  )
  const text =
    message.actionText ??
    [messageText(message), calls.length > 0 ? formatAction(calls, tools) : '']
      .filter((piece) => piece !== '')
      .join('\n')
  return { ...message, parts: [{ type: 'text', text }] }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function observations(message: ToolMessage): UserMessage {
  const text = formatObservation(
    message.parts.map((part) => ({ toolName: part.toolName, output: withNote(part) })),
  )
  return {
    role: 'user',
    ...(message.id && { id: message.id }),
    synthetic: true,
    parts: [{ type: 'text', text }],
  }
}

function withNotes(message: ToolMessage): ToolMessage {
  if (message.parts.every((part) => part.note === undefined)) return message
  return {
    ...message,
    parts: message.parts.map((part) => ({ ...part, output: withNote(part) })),
  }
}

/** The output with the note before it, in the shape that keeps most of it. */
function withNote(part: ToolResultPart): ToolOutput {
  const { output, note } = part
  if (note === undefined) return output
  switch (output.type) {
    case 'text':
      return { type: 'text', value: `${note}\n${output.value}` }
    case 'json':
      return { type: 'text', value: `${note}\n${JSON.stringify(output.value)}` }
    case 'content':
      return { type: 'content', value: [{ type: 'text', text: note }, ...output.value] }
    case 'error':
      return { ...output, message: `${note}\n${output.message}` }
    case 'denied':
      return { type: 'denied', reason: [note, output.reason].filter(Boolean).join('\n') }
    default:
      return output satisfies never
  }
}
