import { toErrorData, type ErrorData } from '../protocol/error.ts'
import type { JsonValue } from '../protocol/json.ts'
import type {
  CallError,
  FilePart,
  FinishReason,
  ProviderMetadata,
  StreamPart,
  ToolCallStreamPart,
  Usage,
} from '../protocol/message.ts'
import { withoutInput } from './core/part-gate.ts'
import { incompleteError } from './core/provider-error.ts'
import { unfinishedCallError } from './core/call-defaults.ts'
import { UNOPENED_REASONING_CODE } from './unopened-reasoning.ts'

/** A call with the `input` to run it with, or with the `error` that forbids running it. */
export type CollectedCall = {
  readonly toolCallId: string
  readonly toolName: string
  readonly providerCallId?: string
} & (
  | { readonly input: JsonValue; readonly error?: never }
  | { readonly error: CallError; readonly input?: never; readonly rawInput?: string }
)

/** Whole model turn, as `collect` returns it. */
export interface CollectedTurn {
  readonly text: string
  /** Empty if the model sent none. */
  readonly reasoning: string
  readonly toolCalls: readonly CollectedCall[]
  /** Files that the model generated, if any. */
  readonly files?: readonly FilePart[]
  /** `'error'` when the stream failed. */
  readonly finishReason: FinishReason
  /** Empty when the provider sent none. */
  readonly usage: Usage
  readonly providerMetadata?: ProviderMetadata
  /** Why the stream failed. Undefined for a complete turn. */
  readonly error?: ErrorData
}

/**
 * Collects a stream's parts into a whole model turn. Never rejects: a failure is in `error`, along with the text
 * received before it. After a failure, every call has an `error` and none an `input`.
 */
export async function collect(parts: AsyncIterable<StreamPart>): Promise<CollectedTurn> {
  const collector = createCollector()
  try {
    for await (const part of parts) collector.add(part)
  } catch (thrown) {
    collector.add({ type: 'error', error: toErrorData(thrown) })
  }
  return collector.turn()
}

type Ending = Extract<StreamPart, { type: 'finish' | 'error' }>

interface Collector {
  add(part: StreamPart): void
  turn(): CollectedTurn
}

function createCollector(): Collector {
  const text: string[] = []
  const reasoning: string[] = []
  const started = new Map<string, string>()
  const calls: ToolCallStreamPart[] = []
  const files: FilePart[] = []
  let usage: Usage = {}
  let ending: Ending | undefined

  function add(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        text.push(part.delta)
        break
      case 'reasoning-delta':
        reasoning.push(part.delta)
        break
      case 'tool-input-start':
        started.set(part.toolCallId, part.toolName)
        break
      case 'tool-call':
        started.delete(part.toolCallId)
        calls.push(part)
        break
      case 'file':
        files.push(part.file)
        break
      case 'usage':
        usage = { ...usage, ...part.usage }
        break
      case 'warning':
        if (part.code === UNOPENED_REASONING_CODE) reasoning.push(...text.splice(0))
        break
      case 'finish':
      case 'error':
        ending ??= part
        break
      case 'tool-input-delta':
      case 'action-error':
      case 'raw':
        break
      default:
        part satisfies never
    }
  }

  function turn(): CollectedTurn {
    const end: Ending = ending ?? { type: 'error', error: incompleteError() }
    const cutCalls = [...started].map(([toolCallId, toolName]) => cutCall(toolCallId, toolName))
    const all = [...calls, ...cutCalls]
    return {
      text: text.join(''),
      reasoning: reasoning.join(''),
      toolCalls: all.map((call) => toCollected(end.type === 'error' ? withoutInput(call) : call)),
      usage,
      ...(files.length > 0 && { files }),
      ...endingFields(end),
    }
  }

  return { add, turn }
}

function endingFields(
  end: Ending,
): Pick<CollectedTurn, 'finishReason' | 'providerMetadata' | 'error'> {
  if (end.type === 'error') return { finishReason: 'error', error: end.error }
  const { finishReason, providerMetadata } = end
  return { finishReason, ...(providerMetadata && { providerMetadata }) }
}

function toCollected(call: ToolCallStreamPart): CollectedCall {
  const { type: _, ...rest } = call
  return rest
}

/** Returns a call for which only the beginning was streamed. */
function cutCall(toolCallId: string, toolName: string): ToolCallStreamPart {
  return { type: 'tool-call', toolCallId, toolName, ...unfinishedCallError() }
}
