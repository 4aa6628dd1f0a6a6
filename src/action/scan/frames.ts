import type { ForeignDetector } from '../foreign/foreign-detector.ts'
import { endOfTurn } from '../stop-tokens.ts'
import { matchHeader } from './harmony.ts'
import { matchReasoning } from './reasoning-marks.ts'
import { matchReplyStart } from './reply-start.ts'

/** Tokens around the text of a reply. They are dropped everywhere outside code. */
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

/** The token around a reply that starts at `at`. `'partial'`: more input may complete it. */
export function matchFrame(text: string, at: number): Frame | 'partial' | undefined {
  const frame = frames.find((each) => text.startsWith(each, at))
  if (frame !== undefined) return { type: 'frame', end: at + frame.length }
  const window = text.slice(at, at + 40)
  return frames.some((each) => each.startsWith(window)) ? 'partial' : undefined
}

/**
 * The token at `at` that ends a message or the turn. Only white space, more such tokens and a header may
 * follow it. `'partial'` until that is known.
 */
export function matchEnding(text: string, at: number): Frame | 'partial' | undefined {
  const tail = text.slice(at, at + maxTail)
  if (betweenMessages.test(tail)) return { type: 'frame', end: at + tail.indexOf('>') + 1 }
  const ending = endOfTurn(tail)
  return ending === 'next-turn' ? { type: 'turn-end' } : ending
}

/** Whether the output ends within a reasoning tag, a frame or a header: never shown, and no call. */
export function isCutFrame(cut: string, foreign: ForeignDetector | undefined): boolean {
  if (!/^[<[◁]|<\|/.test(cut)) return false
  if (matchReasoning(cut, 0, { opens: true, lineStart: true })) return true
  if (matchHeader(cut, 0, true) && !/^<.*[ >]to=/.test(cut)) return true
  // A complete token alone opens no call.
  const isWhole = /^<\|[^<>|]+\|>$/.test(cut)
  if (!isWhole && cut.length >= 4 && foreign?.mayMark(cut)) return false
  return (matchFrame(cut, 0) ?? matchEnding(cut, 0) ?? matchReplyStart(cut, 0)) !== undefined
}
