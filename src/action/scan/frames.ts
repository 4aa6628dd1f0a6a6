import type { ForeignDetector } from '../foreign/foreign-detector.ts'
import { matchTurnEnd } from '../made-up.ts'
import { matchReasoning } from './reasoning-marks.ts'

/** Maximum length of a message's header, in characters. */
const maxHeader = 200
const messageMark = '<|message|>'
const heads = ['<|start|>', '<|channel|>'] as const
/** Possible starts of an output if the prompt's template began the first header. */
const bareHeads: readonly string[] = [
  ...['analysis', 'commentary', 'final'].flatMap((channel) => [
    `${channel}<|`,
    `${channel} <|`,
    `${channel} to=`,
  ]),
  'assistant<|channel|>',
  'assistant to=',
  ' to=',
  'to=',
]
const headerText = /^(?:<\|(?:start|channel|constrain)\|>|[^<\n])*$/
const cutHeader = /^(?:<\|(?:start|channel|constrain)\|>|[^<\n])*(?:<\|?\w*\|?)?$/

/** Muse writes `<|eom|>`. */
const closers = ['<|end|>', '<|return|>', '<|call|>', '<|eom|>'] as const

/**
 * If the token at `at` ends a message, returns the position after the token. `'partial'` if more input may complete it.
 */
export function matchCloser(text: string, at: number): number | 'partial' | undefined {
  const closer = closers.find((each) => text.startsWith(each, at))
  if (closer !== undefined) return at + closer.length
  const window = text.slice(at, at + 10)
  return closers.some((each) => each.startsWith(window)) ? 'partial' : undefined
}

/** Returns the position after the last token that ends a message; -1 if there is none. */
export function endOfMessage(text: string): number {
  const ends = closers.map((each) => ({ at: text.lastIndexOf(each), length: each.length }))
  return Math.max(...ends.map(({ at, length }) => (at < 0 ? -1 : at + length)))
}

/** A header of harmony (gpt-oss), with the kind of its message. */
export type Header = { readonly end: number } & (
  | { readonly kind: 'text' | 'thought' | 'turn' }
  | { readonly kind: 'call'; readonly recipient: string }
)

/**
 * Returns the message header that starts at `at`, such as `<|start|>assistant<|channel|>final<|message|>`. `'partial'`
 * if more input may complete a header. `isFirst`: the output starts here.
 */
export function matchHeader(
  text: string,
  at: number,
  isFirst: boolean,
): Header | 'partial' | undefined {
  const window = text.slice(at, at + maxHeader)
  const starts: readonly string[] = isFirst ? [...heads, ...bareHeads] : heads
  if (!starts.some((head) => window.startsWith(head)))
    return starts.some((head) => head.startsWith(window)) ? 'partial' : undefined
  const mark = window.indexOf(messageMark)
  if (mark < 0) return window.length < maxHeader && cutHeader.test(window) ? 'partial' : undefined
  const header = window.slice(0, mark)
  if (!headerText.test(header)) return undefined
  return { end: at + mark + messageMark.length, ...readKind(header) }
}

function readKind(
  header: string,
): { kind: 'text' | 'thought' | 'turn' } | { kind: 'call'; recipient: string } {
  const recipient = /(?:^|[ >])to=([^\s<]+)/.exec(header)?.[1]
  if (header.startsWith('<|start|>') && !header.startsWith('<|start|>assistant'))
    return { kind: 'turn' }
  if (recipient === 'self') return { kind: 'thought' }
  if (recipient !== undefined && recipient !== 'user' && recipient !== 'all')
    return { kind: 'call', recipient }
  return { kind: /(?:^|>)analysis/.test(header) ? 'thought' : 'text' }
}

/** Tokens that templates put before a reply and models repeat: the beginning of a text, and the assistant's header. */
const openings: readonly string[] = [
  '<s>',
  '<bos>',
  '<BOS_TOKEN>',
  '<|begin_of_text|>',
  '<|startoftext|>',
  '<｜begin▁of▁sentence｜>',
  '[gMASK]',
  '<sop>',
]
const headers: readonly string[] = [
  '<|im_start|>assistant',
  '<|start_header_id|>assistant<|end_header_id|>',
  '<|start_of_role|>assistant<|end_of_role|>',
  '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
  '<start_of_turn>model',
  '<|turn>model',
  '<|assistant|>',
  '<｜Assistant｜>',
]
/** End of the previous turn, which a model may repeat before its header. */
const ends: readonly string[] = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|end_of_text|>',
  '<|endoftext|>',
  '<｜end▁of▁sentence｜>',
  '<end_of_turn>',
  '<turn|>',
  '</s>',
]
const starts = [...openings, ...headers]
const tokens = [...starts, ...ends]
const maxStart = 200

/**
 * Returns the end of a template token at `at`, before the first text of an output. The token is the beginning of a
 * text, the header of the assistant's turn, or the end of the previous turn. `'partial'` if more input may complete the
 * token.
 */
export function matchReplyStart(text: string, at: number): number | 'partial' | undefined {
  let rest = text.slice(at, at + maxStart)
  let first: string | undefined
  for (;;) {
    const token = tokens.find((each) => rest.startsWith(each))
    if (token === undefined)
      return tokens.some((each) => each.startsWith(rest)) ? 'partial' : undefined
    first ??= token
    if (starts.includes(token)) return at + first.length
    rest = rest.slice(token.length).trimStart()
  }
}

/** Tokens around the text of a reply. Outside code, they are always dropped. */
const frames = [
  // Cohere
  '<|START_RESPONSE|>',
  '<|END_RESPONSE|>',
  '<|START_TEXT|>',
  '<|END_TEXT|>',
  '<|END_OF_TURN_TOKEN|>',
  // Apriel
  '[END FINAL RESPONSE]',
  // Kimi K3
  '<|open|>response<|sep|>',
  '<|close|>response<|sep|>',
  '<|close|>message<|sep|>',
  // Solar
  '<|begin|>assistant<|content|>',
  // Inkling
  '<|message_model|><|content_text|>',
  '<|content_model_end_sampling|>',
] as const
/** The end of one message, followed by the next one's header. */
const betweenMessages =
  /^<\|(?:end|return|call|end_message|eom)\|>\s*<\|(?:start|begin|channel|message_model)\|>/
const maxTail = 600

export type Frame =
  | { readonly type: 'frame'; readonly end: number; readonly endsLine?: boolean }
  /** The turn is over. The text after it doesn't belong to the reply. */
  | { readonly type: 'turn-end' }

/** Returns the token around a reply that starts at `at`; `'partial'` if more input may complete it. */
export function matchFrame(text: string, at: number): Frame | 'partial' | undefined {
  const frame = frames.find((each) => text.startsWith(each, at))
  if (frame !== undefined) return { type: 'frame', end: at + frame.length }
  const window = text.slice(at, at + 40)
  return frames.some((each) => each.startsWith(window)) ? 'partial' : undefined
}

/**
 * Returns the token at `at` that ends a message or the turn. Only white space, more such tokens and a header may
 * follow. `'partial'` if that depends on more input.
 */
export function matchEnding(text: string, at: number): Frame | 'partial' | undefined {
  const tail = text.slice(at, at + maxTail)
  if (betweenMessages.test(tail)) return { type: 'frame', end: at + tail.indexOf('>') + 1 }
  const ending = matchTurnEnd(tail)
  return ending === 'next-turn' ? { type: 'turn-end' } : ending
}

/** Whether the output ends inside a reasoning tag, a frame or a header, which is neither shown nor a call. */
export function isCutFrame(cut: string, foreign: ForeignDetector | undefined): boolean {
  if (!/^[<[◁]|<\|/.test(cut)) return false
  if (matchReasoning(cut, 0, { opens: true, lineStart: true })) return true
  if (matchHeader(cut, 0, true) && !/^<.*[ >]to=/.test(cut)) return true
  // A complete token doesn't open a call by itself.
  const isWhole = /^<\|[^<>|]+\|>$/.test(cut)
  if (!isWhole && cut.length >= 4 && foreign?.mayMark(cut)) return false
  return (matchFrame(cut, 0) ?? matchEnding(cut, 0) ?? matchReplyStart(cut, 0)) !== undefined
}
