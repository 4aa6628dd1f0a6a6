import { createJsonScan } from '../../lib/json/json-scan.ts'
import type { StreamPart, ToolCallPart } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { parseToolInput, type ParsedInput } from './parse-tool-input.ts'
import { asList, asRecord, parseJson } from './read-json.ts'
import { truncatedCallError, unfinishedCallError } from './call-defaults.ts'

/** Deeper or longer arguments are refused before they are parsed. */
const MAX_DEPTH = 256
const MAX_LENGTH = 8_000_000

/** The argument text of one call, gathered from deltas. */
export interface ArgumentText {
  /** Takes a delta. Returns its new text, to be shown. */
  push(delta: string): string
  isEmpty(): boolean
  /** A whole JSON value has arrived. */
  isComplete(): boolean
  /** The text is `{}`, which some servers send before the real arguments. */
  isPlaceholder(): boolean
  /** The text ends in the middle of a value. */
  isCut(): boolean
  isTooLarge(): boolean
  /** The delta repeats the text received so far. */
  repeats(delta: string): boolean
  /**
   * Returns the possible argument texts: all deltas joined, and the last delta if each delta repeats the previous ones.
   */
  candidates(): string[]
}

/** Number of deltas, each beginning with the previous delta, after which they count as repetitions. */
const CERTAIN_REPEATS = 8

/**
 * Most servers send the arguments in pieces. Some repeat all arguments so far in each delta. Some send a placeholder
 * (`{}`) before the real arguments. A new value after a complete value replaces it. While each delta begins with the
 * previous delta, the deltas may be pieces or repetitions. Only one reading can be valid JSON, since a prefix of an
 * object leaves brackets open. Each character is read a constant number of times.
 */
export function createArgumentText(): ArgumentText {
  let deltas: string[] = []
  let length = 0
  /** The last delta; set if the next one may repeat it. */
  let last: string | undefined
  let repeats = 0
  let scan = createJsonScan()

  function restart(): void {
    deltas = []
    length = 0
    last = undefined
    repeats = 0
    scan = createJsonScan()
  }

  function pushPiece(delta: string): string {
    if (repeats > 0) {
      // The deltas are pieces after all, so the text skipped as a repetition is part of the arguments.
      scan = createJsonScan()
      for (const piece of deltas) scan.push(piece)
      repeats = 0
    }
    last = isBlank(deltas) && beginsObject(delta) ? delta : undefined
    return add(delta, delta)
  }

  function pushRepeat(delta: string, previous: string): string {
    repeats++
    last = delta
    if (repeats >= CERTAIN_REPEATS) {
      deltas = []
      length = 0
    }
    return add(delta, delta.slice(previous.length))
  }

  function add(delta: string, added: string): string {
    deltas.push(delta)
    length += delta.length
    scan.push(added)
    return added
  }

  function candidates(): string[] {
    const joined = deltas.join('')
    return repeats > 0 && last !== undefined ? [last, joined] : [joined]
  }

  return {
    push(delta) {
      if (delta === '' || length > MAX_LENGTH) return ''
      if (last !== undefined && delta.startsWith(last)) return pushRepeat(delta, last)
      if (scan.isComplete() && beginsObject(delta)) restart()
      return pushPiece(delta)
    },
    isEmpty: () => isBlank(deltas),
    isComplete: () => scan.isComplete(),
    isPlaceholder: () => scan.isComplete() && /^\s*\{\s*\}\s*$/.test(deltas.join('')),
    isCut: () => scan.isOpen(),
    isTooLarge: () => length > MAX_LENGTH || scan.maxDepth() > MAX_DEPTH,
    repeats: (delta) =>
      scan.isComplete() && candidates().some((text) => text.trim() === delta.trim()),
    candidates,
  }
}

function beginsObject(text: string): boolean {
  return text.trimStart()[0] === '{'
}

function isBlank(deltas: readonly string[]): boolean {
  return deltas.every((delta) => delta.trim() === '')
}

/**
 * How the model's output ended. `complete`: the server proved the end. `unsaid`: proven, but the server didn't report
 * the end of the last call. `limited`: proven, but cut off by a limit, so the last arguments may be incomplete. `cut`:
 * not proven, or the whole output is void.
 */
export type OutputEnd = 'complete' | 'unsaid' | 'limited' | 'cut'

/** How the output ended, and facts about the call that show whether its arguments are complete. */
export interface Settlement {
  readonly end: OutputEnd
  readonly isLast: boolean
  /** The call has an index, and no later call was opened under the same index. */
  readonly isDone: boolean
  /** Some arguments belong to no named call. They may belong to a call that seems to have no arguments. */
  readonly hasStray: boolean
  readonly tools: readonly ToolDefinition[]
}

/** Maximum characters kept of an unusable input. */
const MAX_RAW_INPUT = 100_000

/** Returns an ended call, with a warning if its arguments were encoded as JSON twice, as some models do. */
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
 * Reads a call's arguments after the output has ended. Returns an input only for a complete, strict JSON object, or for
 * a call that needs no arguments.
 */
function readInput(
  name: string,
  args: ArgumentText,
  { end, isLast, isDone, hasStray, tools }: Settlement,
): ReadInput {
  if (end === 'cut') return unfinishedCallError()
  if (args.isTooLarge()) {
    return { error: { code: 'invalid-json', message: 'The arguments are too long or too deep.' } }
  }
  if (name === '') return { error: { code: 'malformed', message: 'The call has no tool name.' } }
  if (args.isEmpty() || args.isPlaceholder()) {
    // If a limit cut the output off, a call without arguments may be complete or may have been interrupted.
    const isOpen = end === 'limited' || (end === 'unsaid' && args.isEmpty())
    if (isOpen && isLast) return unfinishedCallError()
    // The server may have sent this call's arguments with the next call, unless the calls have different indices.
    if (hasStray || (args.isEmpty() && !isLast && !isDone))
      return { error: { code: 'malformed', message: STRAY } }
    return args.isEmpty() ? emptyInput(tools.find((tool) => tool.name === name)) : { input: {} }
  }
  const parsed = firstInput(args)
  if (parsed) return parsed
  if (args.isCut()) return truncatedCallError('The output ended in the middle of the arguments.')
  const text = args.candidates()[0] ?? ''
  const inner = parseJson(text)
  // Decodes only text that contains an object: `"null"` would become an object, too.
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
