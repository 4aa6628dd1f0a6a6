import { anyOf } from '../text-pattern.ts'

/** How a model marks its reasoning. */
export interface ReasoningMark {
  /** Absent where it is a sentence of the prompt. */
  readonly open?: string
  readonly close: string
  /** The prompt's template may have written the opener: the closer alone ends reasoning. */
  readonly mayLackOpener: boolean
  /** People write it, too: the opener counts at the start of a line only. */
  readonly startsLine?: boolean
}

/** Marks whose opener the prompt's template may have written. */
const marks = (open: string, close: string): ReasoningMark => ({ open, close, mayLackOpener: true })
const tags = (name: string): ReasoningMark => marks(`<${name}>`, `</${name}>`)

/** Reasoning in text, by vendor's marks. Those of harmony have headers: `harmony.ts`. */
export const reasoningMarks: readonly ReasoningMark[] = [
  // Seed-OSS, LongCat, MiniMax M3, Hunyuan, K2 Horizon
  ...['think', 'thinking', 'seed:think', 'longcat_think', 'mm:think', 'think:opensource'].map(tags),
  ...['ifm|think', 'ifm|think_fast', 'ifm|think_faster'].map(tags),
  // EXAONE Deep
  { open: '<thought>', close: '</thought>', mayLackOpener: false, startsLine: true },
  // Magistral, Ministral
  { ...marks('[THINK]', '[/THINK]'), startsLine: true },
  // Apriel
  { close: '[BEGIN FINAL RESPONSE]', mayLackOpener: true },
  // Cohere
  marks('<|START_THINKING|>', '<|END_THINKING|>'),
  // Gemma 4
  { open: '<|channel>thought', close: '<channel|>', mayLackOpener: false },
  // MiniCPM
  marks('<|thought_start|>', '<|thought_end|>'),
  // Apertus
  marks('<|inner_prefix|>', '<|inner_suffix|>'),
  // Solar
  marks('<|think:start|>', '<|think:end|>'),
  { open: '<|think|>', close: '<|end|>', mayLackOpener: false },
  // Kimi-VL
  marks('◁think▷', '◁/think▷'),
  // PanGu
  marks('[unused16]', '[unused17]'),
  // Inkling
  {
    open: '<|message_model|><|content_thinking|>',
    close: '<|end_message|>',
    mayLackOpener: false,
  },
  // PLaMo
  marks('<|plamo:begin_think:plamo|>', '<|plamo:end_think:plamo|>'),
  // Kimi K3
  marks('<|open|>think<|sep|>', '<|close|>think<|sep|>'),
]

/** The closers that need no opener: a pattern. */
export function loneClosers(): string {
  return anyOf(reasoningMarks.flatMap((mark) => (mark.mayLackOpener ? mark.close : [])))
}

export type ReasoningTag =
  | { readonly type: 'thought'; readonly end: number; readonly closer: string }
  | { readonly type: 'thought-end'; readonly end: number }

interface Match {
  readonly mark: ReasoningMark
  /** Of the tag, as it is written. */
  readonly length: number
}

/** Of the tags that many write, `<think>` and its like: the letter case, and white space before the `>`, don't count. */
const loose = /^(<\/?t\w*)(\s*)(?=>|$)/i

/** The opener or closer that starts at `at`; `'partial'` while more input may make one. */
export function matchReasoning(
  text: string,
  at: number,
  where: {
    /** An opener counts. */
    readonly opens: boolean
    readonly lineStart: boolean
    /** What closes the reasoning that is open, beside closers that may lack an opener. */
    readonly closer?: string
  },
): ReasoningTag | 'partial' | undefined {
  const opener = where.opens
    ? find(text, at, (mark) => (where.lineStart || !mark.startsLine ? mark.open : undefined))
    : undefined
  if (typeof opener === 'object')
    return { type: 'thought', end: at + opener.length, closer: opener.mark.close }
  const closer = find(text, at, (mark) =>
    mark.mayLackOpener || mark.close === where.closer ? mark.close : undefined,
  )
  if (typeof closer === 'object') return { type: 'thought-end', end: at + closer.length }
  return opener ?? closer
}

function find(
  text: string,
  at: number,
  tagOf: (mark: ReasoningMark) => string | undefined,
): Match | 'partial' | undefined {
  const written = text.slice(at, at + 40)
  const [whole = '', name = '', space = ''] = loose.exec(written) ?? []
  const window = name.toLowerCase() + written.slice(whole.length)
  let partial = false
  for (const mark of reasoningMarks) {
    const tag = tagOf(mark)
    if (tag === undefined || tag[1] !== (window[1] ?? tag[1])) continue
    if (window.startsWith(tag)) return { mark, length: tag.length + space.length }
    partial ||= tag.startsWith(window)
  }
  return partial ? 'partial' : undefined
}

/** Whether reasoning ends at a position: a piece of the output may show only that it could (`'partial'`). */
export type ReasoningEnd = (text: string, at: number) => boolean | 'partial'

/** A closer that needs no opener starts here. */
export const closesReasoning: ReasoningEnd = (text, at) => {
  const tag = matchReasoning(text, at, { opens: false, lineStart: false })
  return tag === 'partial' ? tag : tag !== undefined
}
