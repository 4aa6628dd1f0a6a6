import { alternation } from '../char-codes.ts'

/** A model's marks around its reasoning. */
export interface ReasoningMark {
  /** Undefined if the opener is a sentence of the prompt. */
  readonly open?: string
  readonly close: string
  /** The prompt's template may have written the opener, so the closer alone can end reasoning. */
  readonly mayLackOpener?: true
  /** People also write the opener, so it begins reasoning only at the start of a line. */
  readonly startsLine?: boolean
}

/** Creates marks whose opener may be in the prompt's template. */
const makeMark = (open: string, close: string): ReasoningMark => ({
  open,
  close,
  mayLackOpener: true,
})
const tags = (name: string): ReasoningMark => makeMark(`<${name}>`, `</${name}>`)

/** Marks of reasoning in text, by vendor. Harmony uses headers instead (`frames.ts`). */
export const reasoningMarks: readonly ReasoningMark[] = [
  // Seed-OSS, LongCat, MiniMax M3, Hunyuan, K2 Horizon
  ...['think', 'thinking', 'seed:think', 'longcat_think', 'mm:think', 'think:opensource'].map(tags),
  ...['ifm|think', 'ifm|think_fast', 'ifm|think_faster'].map(tags),
  // EXAONE Deep
  { open: '<thought>', close: '</thought>', startsLine: true },
  // Magistral, Ministral
  { ...makeMark('[THINK]', '[/THINK]'), startsLine: true },
  // Apriel
  { close: '[BEGIN FINAL RESPONSE]', mayLackOpener: true },
  // Cohere
  makeMark('<|START_THINKING|>', '<|END_THINKING|>'),
  // Gemma 4
  { open: '<|channel>thought', close: '<channel|>' },
  // MiniCPM
  makeMark('<|thought_start|>', '<|thought_end|>'),
  // Apertus
  makeMark('<|inner_prefix|>', '<|inner_suffix|>'),
  // Solar
  makeMark('<|think:start|>', '<|think:end|>'),
  { open: '<|think|>', close: '<|end|>' },
  // Kimi-VL
  makeMark('◁think▷', '◁/think▷'),
  // PanGu
  makeMark('[unused16]', '[unused17]'),
  // Inkling
  {
    open: '<|message_model|><|content_thinking|>',
    close: '<|end_message|>',
  },
  // PLaMo
  makeMark('<|plamo:begin_think:plamo|>', '<|plamo:end_think:plamo|>'),
  // Kimi K3
  makeMark('<|open|>think<|sep|>', '<|close|>think<|sep|>'),
]

/** Returns a pattern for the closers that need no opener. */
export function loneClosers(): string {
  return alternation(reasoningMarks.flatMap((mark) => (mark.mayLackOpener ? mark.close : [])))
}

export type ReasoningTag =
  | { readonly type: 'thought'; readonly end: number; readonly closer: string }
  | { readonly type: 'thought-end'; readonly end: number }

interface Match {
  readonly mark: ReasoningMark
  /** Length of the tag as written. */
  readonly length: number
}

/** Common tags such as `<think>`. Their letter case, and white space before the `>`, don't matter. */
const looseTag = /^(<\/?t\w*)(\s*)(?=>|$)/i

/** Returns the opener or closer that starts at `at`; `'partial'` if more input may complete one. */
export function matchReasoning(
  text: string,
  at: number,
  options: {
    /** Also matches openers. */
    readonly opens: boolean
    readonly lineStart: boolean
    /** Closer of the open reasoning, in addition to closers that may lack an opener. */
    readonly closer?: string
  },
): ReasoningTag | 'partial' | undefined {
  const opener = options.opens
    ? findMark(text, at, (mark) => (options.lineStart || !mark.startsLine ? mark.open : undefined))
    : undefined
  if (typeof opener === 'object')
    return { type: 'thought', end: at + opener.length, closer: opener.mark.close }
  const closer = findMark(text, at, (mark) =>
    mark.mayLackOpener || mark.close === options.closer ? mark.close : undefined,
  )
  if (typeof closer === 'object') return { type: 'thought-end', end: at + closer.length }
  return opener ?? closer
}

function findMark(
  text: string,
  at: number,
  getTag: (mark: ReasoningMark) => string | undefined,
): Match | 'partial' | undefined {
  const source = text.slice(at, at + 40)
  const [matched = '', name = '', space = ''] = looseTag.exec(source) ?? []
  const window = name.toLowerCase() + source.slice(matched.length)
  let partial = false
  for (const mark of reasoningMarks) {
    const tag = getTag(mark)
    if (tag === undefined || tag[1] !== (window[1] ?? tag[1])) continue
    if (window.startsWith(tag)) return { mark, length: tag.length + space.length }
    partial ||= tag.startsWith(window)
  }
  return partial ? 'partial' : undefined
}

/** Tests whether reasoning ends at a position; `'partial'` if that depends on more input. */
export type ReasoningEnd = (text: string, at: number) => boolean | 'partial'

/** Returns whether a closer that needs no opener starts here. */
export const closesReasoning: ReasoningEnd = (text, at) => {
  const tag = matchReasoning(text, at, { opens: false, lineStart: false })
  return tag === 'partial' ? tag : tag !== undefined
}
