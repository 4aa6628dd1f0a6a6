import type { ActionScanner } from '../action/action-scanner.ts'
import { bracket, isBlank, isTagStart, newline, space } from '../action/char-codes.ts'
import { namespaces } from '../action/foreign/foreign-call.ts'
import type { StreamPart } from '../protocol/message.ts'
import type { ModelConfigData } from '../protocol/model.ts'

/** Vendors with dependable native calls. Text from their models that looks like a call is only text. */
const DEPENDABLE: ReadonlySet<string> = new Set(['openai', 'anthropic', 'minimax', 'gemini'])

/** Whether calls in a model's text are read (Q1). ACTION mode has no other calls. */
export function readsTextCalls(
  { provider, rescue, toolChoice }: Pick<ModelConfigData, 'provider' | 'rescue' | 'toolChoice'>,
  toolMode: 'native' | 'action',
): boolean {
  if (toolChoice === 'none') return false
  return toolMode === 'action' || (rescue !== 'off' && !DEPENDABLE.has(provider))
}

/** Models that write calls without markers: bare JSON, Python or ReAct. */
const BARE = /llama|toolace|xlam|command-?[ar]|functionary|gemma/i

/** Whether only calls with start and end markers are read (R18). Only in ACTION mode. */
export function readsDelimitedOnly(model: string, toolMode: 'native' | 'action'): boolean {
  return toolMode === 'action' && !BARE.test(model)
}

/**
 * Marks that begin with `[` or `]` inside a line. Marks with an upper-case letter, `/` or `|` after `[` aren't listed.
 */
const BRACKETED = ['[gMASK]', '[e~[', '[unused', '[inst]', '[tool_results]', '[round ', ']~', ']<']
/** Texts that begin a call at the start of a line, whatever the tools. */
const LINE_STARTS = ['{', '[', 'print(', 'Action:', 'functools', 'function call', 'to=', '>>>']
/** Texts that begin a message of harmony at the start of an output. */
const OUTPUT_STARTS = ['analysis', 'commentary', 'final', 'assistant'].flatMap((channel) => [
  `${channel}<|`,
  `${channel} <|`,
  `${channel} to=`,
])

/** Beginnings of the marks that a think splitter reads, in lower case. Marks match in any letter case. */
const THOUGHT_MARKS = [
  '<|',
  '<｜',
  '◁',
  '<s>',
  '</s>',
  '<bos',
  '<eos>',
  '<eot>',
  '<sop>',
  '<channel|>',
  '<turn|>',
  '<start_of_turn>',
  '<start_function',
  '<end_of_turn>',
  '[think]',
  '[/think]',
  '[e~[',
  '[begin final',
  '[end final',
  '[unused1',
  '[gmask]',
  ...['think', 'thought', 'seed:', 'longcat_', 'mm:think', 'ifm|', 'assistant>'].flatMap((name) => [
    `<${name}`,
    `</${name}`,
  ]),
]

type Reader = Pick<ActionScanner, 'push' | 'end'> & Partial<Pick<ActionScanner, 'reset'>>

/**
 * Reads a model's text in native mode without the scanner, until a call or a thought may begin. Holds back the same
 * text as the scanner. From then on, the scanner reads the output from its start.
 */
export class WaitingScanner implements Pick<ActionScanner, 'push' | 'end' | 'reset'> {
  readonly #lineStarts: readonly string[]
  readonly #readsCalls: boolean
  readonly #createScanner: () => Reader
  #scanner: Reader | undefined
  /** Pieces received before the scanner took over. */
  #pieces: string[] = []
  #pending = ''
  /** Length of the text that was returned before the scanner took over. */
  #shownLength = 0
  /** Only white space precedes the held text on its line, or in the output. */
  #isLineStart = true
  #isStart = true

  /** `toolNames`: null to read only thoughts. `createScanner` throws if the scanner isn't loaded. */
  constructor(toolNames: readonly string[] | null, createScanner: () => Reader) {
    this.#readsCalls = toolNames !== null
    this.#createScanner = createScanner
    this.#lineStarts = [
      ...LINE_STARTS,
      ...(toolNames ?? []).flatMap((name) => [
        `${name}(`,
        `${name}\n{`,
        ...namespaces.map((each) => `${each}.${name}(`),
      ]),
    ]
  }

  /** Whether the scanner must be loaded before this piece is pushed. */
  needsScanner(piece: string): boolean {
    return this.#scanner === undefined && this.#plainEnd(this.#pending + piece) === null
  }

  push(piece: string): StreamPart[] {
    if (this.#scanner) return this.#withoutShown(this.#scanner.push(piece))
    const text = this.#pending + piece
    const end = this.#plainEnd(text)
    if (end === null) return this.#beginScanning(piece)
    this.#pieces.push(piece)
    return this.#show(text, end)
  }

  end(options?: { readonly finishReason?: string }): StreamPart[] {
    return this.#scanner
      ? this.#withoutShown(this.#scanner.end(options))
      : this.#show(this.#pending, this.#pending.length)
  }

  reset(): StreamPart[] {
    if (this.#scanner || !this.#readsCalls)
      return this.#withoutShown(this.#scanner?.reset?.() ?? [])
    const parts = this.#show(this.#pending, this.#pending.length)
    this.#pieces = []
    this.#shownLength = 0
    this.#isLineStart = this.#isStart = true
    return parts
  }

  #beginScanning(piece: string): StreamPart[] {
    const scanner = this.#createScanner()
    const parts = [...this.#pieces, piece].flatMap((each) => scanner.push(each))
    this.#scanner = scanner
    this.#pieces = []
    return this.#withoutShown(parts)
  }

  /** Leaves out the text that was already returned. The scanner may hold back more than this class. */
  #withoutShown(parts: StreamPart[]): StreamPart[] {
    if (this.#shownLength === 0) return parts
    return parts.flatMap((part) => {
      if (part.type !== 'text-delta') return part
      const delta = part.delta.slice(this.#shownLength)
      this.#shownLength -= part.delta.length - delta.length
      return delta === '' ? [] : { ...part, delta }
    })
  }

  #show(text: string, end: number): StreamPart[] {
    const delta = text.slice(0, end)
    this.#pending = text.slice(end)
    if (delta === '') return []
    this.#shownLength += delta.length
    for (let at = 0; at < end; at++) this.#trackLine(text.charCodeAt(at))
    return [{ type: 'text-delta', delta }]
  }

  #trackLine(code: number): void {
    if (code === newline) this.#isLineStart = true
    else if (!isBlank(code)) this.#isLineStart = this.#isStart = false
  }

  /**
   * End of the text that is certainly no call. Null if the scanner must read it: a call or a thought's mark may begin.
   */
  #plainEnd(text: string): number | null {
    let isLineStart = this.#isLineStart
    let isStart = this.#isStart
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (isBlank(code)) {
        isLineStart ||= code === newline
        continue
      }
      const isTag = isTagStart(code)
      if (isTag || isLineStart) {
        const match = this.#readsCalls
          ? (isTag && beginsMark(text, at)) ||
            (isLineStart && beginsWith(text, at, this.#lineStarts)) ||
            (isStart && beginsWith(text, at, OUTPUT_STARTS))
          : isTag && beginsWith(text.slice(at, at + 24).toLowerCase(), 0, THOUGHT_MARKS)
        // If the output ends here, the splitter drops a thought's mark cut off after more than three characters.
        const isCut = match === 'partial' && !this.#readsCalls && text.length - at > 3
        if (match === true || isCut) return null
        if (match === 'partial') return at
      }
      isLineStart = isStart = false
    }
    return text.length
  }
}

/** Whether a mark begins at `<`, `[`, `]` or `◁`; `'partial'` if more text decides that. */
function beginsMark(text: string, at: number): boolean | 'partial' {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  if (Number.isNaN(next)) return 'partial'
  if (next <= space || next === code) return false
  if (code !== bracket && code !== 93) return true
  return (
    (code === bracket && /[A-Z/|]/.test(text.charAt(at + 1))) || beginsWith(text, at, BRACKETED)
  )
}

function beginsWith(text: string, at: number, starts: readonly string[]): boolean | 'partial' {
  if (starts.some((start) => text.startsWith(start, at))) return true
  const remainder = text.slice(at, at + 400)
  return starts.some((start) => start.startsWith(remainder)) ? 'partial' : false
}
