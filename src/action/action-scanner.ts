import type { StreamPart } from '../protocol/stream-part.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { readBlock } from './block-reader.ts'
import type { CallsRead } from './block-reader.ts'
import { CallProblem } from './call-problem.ts'
import { ForeignDetector } from './foreign/foreign-detector.ts'
import { withoutDsmlMarks } from './foreign/markers.ts'
import { readForeign, readForeignBlock } from './foreign/read-foreign.ts'
import { tooLong } from './malformed-calls.ts'
import { createBlockDetector } from './pending-block.ts'
import type { FoundBlock } from './pending-block.ts'
import { ProseScanner } from './prose-scanner.ts'
import type { ProseSink } from './prose-sink.ts'
import { QuotationTracker } from './quotation-tracker.ts'
import { readOwnSections, readSections } from './read-sections.ts'
import type { SectionsRead } from './read-sections.ts'
import { indexTools } from './tool-index.ts'
import type { ToolIndex } from './tool-index.ts'

export interface ActionScannerOptions {
  /** The prompt template already opened the reasoning, so the output starts inside it. */
  readonly reasoningPrefilled?: boolean
  /**
   * Native mode: recognises calls that a model wrote as text though it has native tools. Calls, blocks
   * included, count only where they are not quoted and end the output (Q2); all else is text. An opener cut
   * off by the end of the output is dropped without an error.
   */
  readonly rescue?: boolean
  /** The longest block that is read, in characters. Default 1 000 000. */
  readonly maxBlockLength?: number
  /** Makes a `toolCallId`. Default: `call_` and 16 random hexadecimal digits. */
  readonly newId?: () => string
}

export interface ActionScanner {
  /** Returns the parts that this piece completes. Only what could still become a call is held back. */
  push(piece: string): StreamPart[]
  /**
   * Ends the output: returns what was held back, then the calls or the error. Call it once. After the finish
   * reasons `length` and `content-filter`, a value that only the end of the output closes is cut: its call
   * is malformed.
   */
  end(options?: { readonly finishReason?: string }): StreamPart[]
  /** All so far was no reply, but reasoning: returns what was held back as text, and starts anew. */
  reset(): StreamPart[]
  /** Everything that was pushed, as the model wrote it. */
  readonly output: string
}

/**
 * Reads a model's output as it streams: text and reasoning at once, calls when they are complete.
 * Parts, in order: `text-delta` and `reasoning-delta`; then the calls that may run as `tool-call`
 * with `input`, up to the first invalid one, which has `error` instead; or one `action-error` when
 * nothing of the block can be trusted; `raw` with `{ ignored }` for output after the call.
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
  readonly #newProse: (reasoning: boolean) => ProseScanner
  #prose: ProseScanner

  constructor(tools: readonly ToolDefinition[], options: ActionScannerOptions) {
    const index = indexTools(tools)
    const { rescue = false, maxBlockLength = 1_000_000 } = options
    const foreign = new ForeignDetector(index, rescue)
    const blocks = createBlockDetector(maxBlockLength)
    this.#sink = new PartSink(index, options)
    this.#newProse = (reasoning) =>
      new ProseScanner(this.#sink, {
        reasoning,
        foreign,
        ...(rescue ? { quotations: new QuotationTracker() } : { blocks }),
      })
    this.#prose = this.#newProse(options.reasoningPrefilled ?? false)
  }

  get output(): string {
    return this.#pieces.join('')
  }

  push(piece: string): StreamPart[] {
    this.#pieces.push(piece)
    this.#prose.push(piece)
    return this.#sink.take()
  }

  reset(): StreamPart[] {
    this.#prose.release()
    this.#sink.releaseHold()
    this.#prose = this.#newProse(false)
    return this.#sink.take()
  }

  end({ finishReason }: { readonly finishReason?: string } = {}): StreamPart[] {
    this.#sink.isCut = finishReason === 'length' || finishReason === 'content-filter'
    this.#prose.end()
    this.#sink.end()
    return this.#sink.take()
  }
}

class PartSink implements ProseSink {
  readonly #index: ToolIndex
  readonly #newId: () => string
  readonly #rescue: boolean
  readonly #maxLength: number
  /** A limit cut the output off (R6). */
  isCut = false
  #quotations = new QuotationTracker()
  #held: string[] = []
  #mark = 0
  #parts: StreamPart[] = []
  #isRead = false
  #trimNext = false
  readonly #ignored: string[] = []

  constructor(index: ToolIndex, options: ActionScannerOptions) {
    this.#index = index
    this.#newId = options.newId ?? randomId
    this.#rescue = options.rescue ?? false
    this.#maxLength = options.maxBlockLength ?? 1_000_000
  }

  take(): StreamPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  hasText = false

  text(text: string): void {
    const delta = this.#trimNext ? text.trimStart() : text
    if (delta === '') return
    this.#trimNext = false
    this.hasText ||= delta.trim() !== ''
    this.#parts.push({ type: 'text-delta', delta })
  }

  hold(delta: string): void {
    this.#held.push(delta)
  }

  holdAt(quotations: QuotationTracker): void {
    this.#quotations = quotations
  }

  markHold(): void {
    this.#mark = this.#held.length
  }

  releaseHold(): void {
    const text = this.#held.join('')
    this.#held = []
    this.#mark = 0
    this.text(text)
  }

  isCall(rest: string): boolean {
    const text = withoutDsmlMarks(this.#held.slice(this.#mark).join('') + rest)
    return readForeign(text, this.#index) !== undefined
  }

  reasoning(delta: string): void {
    this.#parts.push({ type: 'reasoning-delta', delta })
  }

  reasoningEnd(lone: boolean): void {
    if (lone && this.#rescue) this.releaseHold()
    this.#trimNext = true
    if (lone)
      this.#parts.push({ type: 'warning', code: loneThinkCloser, message: loneThinkMessage })
  }

  isForeignCall(content: string): boolean {
    return readForeignBlock(content, this.#index) !== undefined
  }

  cutOpener(text: string): void {
    this.releaseHold()
    this.ignored(text)
    if (this.#rescue) return
    this.#problem(
      new CallProblem(
        'malformed',
        `Malformed action: the output ended inside the opening tag '${text}'. Write the whole <ACTION> block again.`,
      ),
    )
  }

  block(found: FoundBlock): void {
    this.releaseHold()
    this.#emitCalls(this.#read(found))
  }

  ignored(text: string): void {
    this.#ignored.push(text)
  }

  end(): void {
    const read = this.#isRead ? undefined : this.#readHeld()
    if (read) {
      for (const text of read.prose) this.text(text)
      this.#emitCalls(read)
    } else this.releaseHold()
    const ignored = this.#ignored.join('')
    if (ignored.trim() !== '') this.#parts.push({ type: 'raw', data: { ignored } })
  }

  #readHeld(): SectionsRead | undefined {
    const text = withoutDsmlMarks(this.#held.join(''))
    if (text === '') return undefined
    return this.#rescue
      ? readOwnSections(text, this.#index, {
          quotations: this.#quotations,
          maxLength: this.#maxLength,
          isCut: this.isCut,
        })
      : readSections(text, this.#index, this.isCut)
  }

  #read({ content, tooLong: isTooLong, isClosed }: FoundBlock): CallsRead {
    if (isTooLong) return tooLong()
    const isCut = this.isCut && !isClosed
    return readForeignBlock(content, this.#index, isCut) ?? readBlock(content, this.#index)
  }

  #emitCalls(read: CallsRead): void {
    for (const call of read.calls)
      this.#parts.push({ type: 'tool-call', toolCallId: this.#newId(), ...call })
    if (read.problem) this.#problem(read.problem, read.problemTool)
    this.#isRead = true
  }

  #problem(problem: CallProblem, toolName?: string): void {
    const error = problem.toError()
    this.#isRead = true
    if (toolName === undefined) this.#parts.push({ type: 'action-error', error })
    else this.#parts.push({ type: 'tool-call', toolCallId: this.#newId(), toolName, error })
  }
}

export const loneThinkCloser = 'lone-think-closer'
const loneThinkMessage =
  'The output closed reasoning that it never opened: set reasoningPrefilled for this model.'

function randomId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8))
  return `call_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
