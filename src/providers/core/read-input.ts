import type { StreamPart, ToolCallPart } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import type { ArgumentText } from './argument-text.ts'
import { parseToolInput, type ParsedInput } from './parse-tool-input.ts'
import { asList, asRecord, parseJson } from './read-json.ts'
import { truncated, unfinished } from './unfinished.ts'

/**
 * How the model's output ended. `complete`: the server proved the end. `unsaid`: proven, but the server didn't report the
 * end of the last call. `limited`: proven, but cut off by a limit, so the last arguments may be incomplete. `cut`: not
 * proven, or the whole output is void.
 */
export type OutputEnd = 'complete' | 'unsaid' | 'limited' | 'cut'

/** How the output ended, and the call's position in it. */
export interface Settlement {
  readonly end: OutputEnd
  readonly isLast: boolean
  /** The call has an index, and no later call was opened under it. */
  readonly isDone: boolean
  /** Arguments came that belong to no named call, perhaps to one that seems to have none. */
  readonly hasStray: boolean
  readonly tools: readonly ToolDefinition[]
}

/** Characters of an unusable input that are kept. */
const MAX_RAW_INPUT = 100_000

/** Returns a settled call, with a warning if its arguments were JSON inside a JSON text, as some models write. */
export function callParts(
  ref: Pick<ToolCallPart, 'toolCallId' | 'toolName' | 'providerCallId'>,
  args: ArgumentText,
  settlement: Settlement,
): StreamPart[] {
  const { toolName } = ref
  const { isEncoded, ...parsed } = readInput(toolName, args, settlement)
  const rawInput = 'error' in parsed && (args.candidates()[0] ?? '').slice(0, MAX_RAW_INPUT)
  const message = `The arguments of ${toolName} were JSON inside a text.`
  return [
    { type: 'tool-call', ...ref, ...parsed, ...(rawInput !== false && { rawInput }) },
    ...(isEncoded ? [{ type: 'warning', code: 'arguments-encoded', message } as const] : []),
  ]
}

type ReadInput = ParsedInput & { readonly isEncoded?: true }

/**
 * Reads a call's arguments once the output is over. Returns an input only if they are a complete, strict JSON object,
 * or if none were to come.
 */
function readInput(
  name: string,
  args: ArgumentText,
  { end, isLast, isDone, hasStray, tools }: Settlement,
): ReadInput {
  if (end === 'cut') return unfinished()
  if (args.isTooLarge()) {
    return { error: { code: 'invalid-json', message: 'The arguments are too long or too deep.' } }
  }
  if (name === '') return { error: { code: 'malformed', message: 'The call has no tool name.' } }
  if (args.isEmpty() || args.isPlaceholder()) {
    // Under a limit, "nothing" and "nothing yet" look alike.
    const isOpen = end === 'limited' || (end === 'unsaid' && args.isEmpty())
    if (isOpen && isLast) return unfinished()
    // The arguments may have gone to the next call, unless that one has another index.
    if (hasStray || (args.isEmpty() && !isLast && !isDone))
      return { error: { code: 'malformed', message: STRAY } }
    return args.isEmpty() ? emptyInput(tools.find((tool) => tool.name === name)) : { input: {} }
  }
  const parsed = firstInput(args)
  if (parsed) return parsed
  if (args.isCut()) return truncated('The output ended in the middle of the arguments.')
  const text = args.candidates()[0] ?? ''
  const inner = parseJson(text)
  // Decodes only an object's text: `"null"` would result in an object, too.
  const decoded = typeof inner === 'string' && /^\s*\{/.test(inner) && parseToolInput(inner)
  return decoded && 'input' in decoded ? { ...decoded, isEncoded: true } : parseToolInput(text)
}

const STRAY = 'The arguments of this call could not be told apart. Send it again.'

function firstInput(args: ArgumentText): ParsedInput | undefined {
  return args
    .candidates()
    .map(parseToolInput)
    .find((parsed) => 'input' in parsed)
}

/** Missing arguments are `{}`, unless the tool requires some. */
function emptyInput(tool: ToolDefinition | undefined): ParsedInput {
  const required = asList(asRecord(tool?.inputSchema)?.['required'])
  if (required.length === 0) return { input: {} }
  const message = `The call has no arguments, but ${required.join(', ')} must be given.`
  return { error: { code: 'invalid-json', message } }
}
