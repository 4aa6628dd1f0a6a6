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
  /** Takes a delta; returns what is new in it, for showing. */
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
  /** Returns possible texts: the deltas joined, or the last one if each repeated those before it. */
  candidates(): string[]
}

/** After so many deltas that each begin with the previous one, they count as repetitions. */
const CERTAIN_REPEATS = 8

/**
 * Most servers send pieces. Some send all arguments again with each delta, and some a placeholder (`{}`) before the
 * real ones. A new value after a complete one replaces it. While each delta begins with the previous one, both
 * readings stay open. They can't both be valid JSON, since a prefix of an object leaves brackets open. Each character
 * is read a constant number of times.
 */
export function createArgumentText(): ArgumentText {
  let deltas: string[] = []
  let length = 0
  /** The delta that the next one begins with, if deltas are repetitions. */
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
      // The deltas are pieces after all, so text skipped as repeated belongs to them.
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
  if (end === 'cut') return unfinishedCallError()
  if (args.isTooLarge()) {
    return { error: { code: 'invalid-json', message: 'The arguments are too long or too deep.' } }
  }
  if (name === '') return { error: { code: 'malformed', message: 'The call has no tool name.' } }
  if (args.isEmpty() || args.isPlaceholder()) {
    // Under a limit, "nothing" and "nothing yet" look alike.
    const isOpen = end === 'limited' || (end === 'unsaid' && args.isEmpty())
    if (isOpen && isLast) return unfinishedCallError()
    // The arguments may have gone to the next call, unless that one has another index.
    if (hasStray || (args.isEmpty() && !isLast && !isDone))
      return { error: { code: 'malformed', message: STRAY } }
    return args.isEmpty() ? emptyInput(tools.find((tool) => tool.name === name)) : { input: {} }
  }
  const parsed = firstInput(args)
  if (parsed) return parsed
  if (args.isCut()) return truncatedCallError('The output ended in the middle of the arguments.')
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
