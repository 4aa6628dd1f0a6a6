import type { StreamPart } from '../protocol/message.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { reasoningEnd, readBlockContent, readOwnSections, readSections } from './read-sections.ts'
import { cutOpener, type ParsedCalls, readBlock, tooLongCalls } from './block-reader.ts'
import {
  createBlockDetector,
  type FoundBlock,
  matchOpener,
  endsAnswer,
  splitAtCloser,
} from './pending-block.ts'
import type { ActionError, CallProblem } from './call-problem.ts'
import { ForeignDetector } from './foreign/foreign-detector.ts'
import { withoutTagMarks, writtenPosition } from './foreign/tags.ts'
import { readForeign, readForeignBlock } from './foreign/read-foreign.ts'
import { QuotationTracker } from './quotation-tracker.ts'
import { OutputMachine } from './scan/output-machine.ts'
import type { CallsFound, CallsOptions, Sink } from './scan/reply-buffer.ts'
import { indexTools, type ToolIndex } from './tool-index.ts'
import type { ActionCall } from './call-arguments.ts'
import type { JsonObject } from '../protocol/json.ts'

/** Options of `parseAction`: facts about the output that its text doesn't show. */
export interface ParseActionOptions {
  /** Why the model stopped, as in `ActionScanner.end`. */
  readonly finishReason?: string
  /**
   * Whether the prompt template already opened the reasoning. Default: true if the output has a closing think tag
   * without an opening tag.
   */
  readonly reasoningPrefilled?: boolean
}

/** Result of `parseAction`: the reply and the calls of one model output. */
export interface ParsedAction {
  /** The reply to the person, trimmed, without reasoning. */
  readonly text: string
  /** The valid calls, in order. */
  readonly calls: readonly ActionCall[]
  /** Error of the first invalid call, or of the block. */
  readonly error?: ActionError
}

/** Reads a model's whole output like the scanner. Never throws. */
export function parseAction(
  text: string,
  tools: readonly ToolDefinition[],
  options: ParseActionOptions = {},
): ParsedAction {
  const { reasoningPrefilled } = options
  const scanner = createActionScanner(tools, {
    newId: () => '',
    ...(reasoningPrefilled !== undefined && { reasoningPrefilled }),
  })
  const parts = [...scanner.push(text), ...scanner.end(options)]
  let reply = ''
  let error: ActionError | undefined
  const calls: ActionCall[] = []
  for (const part of parts) {
    if (part.type === 'text-delta') reply += part.delta
    else if (part.type === 'warning' && part.code === loneThinkCloser) {
      if (reasoningPrefilled === undefined) reply = ''
      calls.length = 0
      error = undefined
    } else if (part.type === 'tool-call' && part.input !== undefined)
      calls.push({ toolName: part.toolName, input: part.input as JsonObject })
    else if ((part.type === 'tool-call' || part.type === 'action-error') && part.error)
      error ??= part.error as ActionError
  }
  return { text: reply.trim(), calls, ...(error && { error }) }
}

/** Options of `createActionScanner`: where the output begins, and which calls are recognised. */
export interface ActionScannerOptions {
  /** The prompt template already opened the reasoning, so the output starts inside it. */
  readonly reasoningPrefilled?: boolean
  /**
   * Native mode: recognises calls that a model wrote as text although it has native tools. Reads calls and blocks only
   * if they are unquoted and at the end of the output (Q2). Everything else is text. An opener cut off by the end of
   * the output is dropped without an error.
   */
  readonly rescue?: boolean
  /** Treats calls with neither a marker nor a tool's own tag as text: bare JSON, Python and ReAct. */
  readonly delimitedOnly?: boolean
  /** Maximum length of a block in characters. Default 1 000 000. */
  readonly maxBlockLength?: number
  /** Creates a `toolCallId`. Default: `call_` and 16 random hexadecimal digits. */
  readonly newId?: () => string
}

/** Reads one model output as it streams. Create a new scanner for each output. */
export interface ActionScanner {
  /** Returns the parts completed by this piece. Holds back only text that could still become a call. */
  push(piece: string): StreamPart[]
  /**
   * Ends the output. Returns the held-back text, then the calls or the error. Call it once. After the finish reasons
   * `length` and `content-filter`, a call is malformed if its last value has no end of its own.
   */
  end(options?: { readonly finishReason?: string }): StreamPart[]
  /** Treats all output so far as reasoning instead of a reply. Returns the held-back text and starts again. */
  reset(): StreamPart[]
  /** Everything that was pushed, as the model wrote it. */
  readonly output: string
}

/**
 * Reads a model's output as it streams. Text and reasoning are returned at once, calls when they are complete. Order of
 * the parts: first `text-delta` and `reasoning-delta`. Then the valid calls as `tool-call` with `input`, up to the
 * first invalid one, which has `error` instead. If no part of the block can be trusted, one `action-error` replaces the
 * calls. Last, `raw` with `{ ignored }` for output after the call.
 */
export function createActionScanner(
  tools: readonly ToolDefinition[],
  options: ActionScannerOptions = {},
): ActionScanner {
  return new Scanner(tools, options)
}

class Scanner implements ActionScanner {
  readonly #pieces: string[] = []
  readonly #sink: PartSink
  readonly #newMachine: (reasoning: boolean) => OutputMachine
  #machine: OutputMachine

  constructor(tools: readonly ToolDefinition[], options: ActionScannerOptions) {
    const index = indexTools(tools)
    const { rescue = false, delimitedOnly, maxBlockLength = 1_000_000 } = options
    const foreign = new ForeignDetector(index, rescue, delimitedOnly)
    const blocks = createBlockDetector(maxBlockLength)
    this.#sink = new PartSink(index, options)
    this.#newMachine = (reasoning) =>
      new OutputMachine(this.#sink, {
        inReasoning: reasoning,
        foreign,
        ...(rescue ? { quotations: new QuotationTracker() } : { blocks }),
      })
    this.#machine = this.#newMachine(options.reasoningPrefilled ?? false)
  }

  get output(): string {
    return this.#pieces.join('')
  }

  push(piece: string): StreamPart[] {
    this.#pieces.push(piece)
    this.#machine.push(piece)
    return this.#sink.drain()
  }

  reset(): StreamPart[] {
    this.#machine.emitHeld()
    this.#machine = this.#newMachine(false)
    return this.#sink.drain()
  }

  end({ finishReason }: { readonly finishReason?: string } = {}): StreamPart[] {
    this.#sink.isCut = finishReason === 'length' || finishReason === 'content-filter'
    this.#machine.end()
    this.#sink.end()
    return this.#sink.drain()
  }
}

class PartSink implements Sink {
  readonly #index: ToolIndex
  readonly #newId: () => string
  readonly #rescue: boolean
  readonly #maxLength: number
  /** A limit cut the output off (R6). */
  isCut = false
  #parts: StreamPart[] = []
  #hasProblem = false
  readonly #ignored: string[] = []

  constructor(index: ToolIndex, options: ActionScannerOptions) {
    this.#index = index
    this.#newId = options.newId ?? randomId
    this.#rescue = options.rescue ?? false
    this.#maxLength = options.maxBlockLength ?? 1_000_000
  }

  drain(): StreamPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  onText(delta: string): void {
    this.#parts.push({ type: 'text-delta', delta })
  }

  onReasoning(delta: string): void {
    this.#parts.push({ type: 'reasoning-delta', delta })
  }

  onLoneCloser(): void {
    this.#hasProblem = false
    this.#parts.push({ type: 'warning', code: loneThinkCloser, message: loneThinkMessage })
  }

  onCallInReasoning(text: string): boolean {
    const hasCall = this.#readMention(text).calls.length > 0
    if (hasCall)
      this.#parts.push({ type: 'warning', code: callInReasoning, message: callInReasoningMessage })
    return hasCall
  }

  isCall(text: string): boolean {
    const call = withoutTagMarks(text)
    const parsed = readForeign(call, this.#index)
    return parsed !== undefined && endsAnswer(call.slice(parsed.end))
  }

  readCalls(held: string, { quotations = new QuotationTracker(), show }: CallsOptions): CallsFound {
    const text = withoutTagMarks(held)
    const { isCut } = this
    const parsed = this.#rescue
      ? readOwnSections(text, this.#index, { quotations, maxLength: this.#maxLength, isCut })
      : readSections(text, this.#index, isCut)
    if (!parsed) return 'text'
    if (parsed.thoughtEnd !== undefined)
      return { thoughtEnd: writtenPosition(held, parsed.thoughtEnd) }
    for (const prose of parsed.prose) show(prose)
    this.#emitCalls(parsed)
    // Ignored text of this call precedes the text ignored so far.
    if (parsed.ignored !== undefined) this.#ignored.unshift(parsed.ignored)
    return 'calls'
  }

  reasoningEnd(content: string): number | undefined {
    return reasoningEnd(content, this.#index)
  }

  isForeignCall(content: string): boolean {
    return readForeignBlock(content, this.#index) !== undefined
  }

  onCutOpener(text: string): void {
    this.onIgnored(text)
    if (!this.#rescue) this.#emitCalls(cutOpener(text))
  }

  onBlock(found: FoundBlock): void {
    this.#emitCalls(this.#readBlock(found))
  }

  onIgnored(text: string): void {
    this.#ignored.push(text)
  }

  end(): void {
    const ignored = this.#ignored.join('')
    if (ignored.trim() !== '') this.#parts.push({ type: 'raw', data: { ignored } })
  }

  #readBlock({ content, tooLong: isTooLong, isClosed }: FoundBlock): ParsedCalls {
    if (isTooLong) return tooLongCalls()
    const isCut = this.isCut && !isClosed
    const parsed = readBlockContent(content, this.#index, isCut)
    if (parsed.ignored !== undefined) this.onIgnored(parsed.ignored)
    return parsed
  }

  #readMention(text: string): ParsedCalls {
    const opener = matchOpener(text, 0, true)
    if (typeof opener !== 'object')
      return readForeign(withoutTagMarks(text), this.#index) ?? { calls: [] }
    return readBlock(splitAtCloser(text.slice(opener.end)).content, this.#index)
  }

  #emitCalls(parsed: ParsedCalls): void {
    // R16: after an invalid call, no call runs.
    if (this.#hasProblem) return
    for (const call of parsed.calls)
      this.#parts.push({ type: 'tool-call', toolCallId: this.#newId(), ...call })
    if (parsed.problem) this.#problem(parsed.problem, parsed.problemTool)
  }

  #problem(problem: CallProblem, toolName?: string): void {
    this.#hasProblem = true
    const error = problem.toError()
    if (toolName === undefined) this.#parts.push({ type: 'action-error', error })
    else this.#parts.push({ type: 'tool-call', toolCallId: this.#newId(), toolName, error })
  }
}

export const loneThinkCloser = 'lone-think-closer'
const loneThinkMessage =
  'The output closed reasoning that it never opened: the text before it was reasoning.'

/** Code of the warning about a call in reasoning that never ended. */
const callInReasoning = 'call-in-reasoning'
const callInReasoningMessage =
  'The output ended inside its reasoning, so a call in it was not run. Raise the token limit, or have it close its reasoning before it calls.'

function randomId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8))
  return `call_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
