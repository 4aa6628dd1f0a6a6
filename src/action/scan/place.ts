import type { CaptureContext } from '../block-capture.ts'
import type { Opener } from '../block-opener.ts'
import { space } from '../char-codes.ts'
import type { ConstructMatcher } from '../foreign/construct-matcher.ts'
import type { CodeContext } from './code-context.ts'
import type { Detectors } from './detectors.ts'
import type { Frame } from './frames.ts'
import type { Header } from './harmony.ts'
import type { ReasoningTag } from './reasoning-marks.ts'
import type { Reply } from './reply.ts'
import type { Window } from './window.ts'

/** What ends one state and begins another: the machine's transitions, as values. */
export type Mark =
  | { readonly type: 'comment' }
  | { readonly type: 'block'; readonly opener: Opener }
  | { readonly type: 'call'; readonly matcher: ConstructMatcher }
  | { readonly type: 'message'; readonly header: Header }
  /** What stands before the reply. */
  | { readonly type: 'reply-start'; readonly end: number }
  | ReasoningTag
  | Frame
  /** The model goes on in somebody else's name (R4). */
  | { readonly type: 'made-up' }
  /** The same in a reply without a call: what follows is shown, and no call in it counts. */
  | { readonly type: 'others-turn' }

/** A state of the machine that reads text: where its next character stands. */
export interface Place {
  readonly name: CaptureContext
  /** The mark at the window's position, if it counts here; `'partial'` while more input may make one. */
  look(code: number): Mark | 'partial' | undefined
  /** Takes the character at the window's position; where the next one stands. */
  take(code: number): Place
}

/** What the places share. */
export interface Scan extends Detectors {
  readonly window: Window
  readonly code: CodeContext
  readonly reply: Reply
}

/** The opener of a block at the window's position. */
export function lookForBlock({ window, code, blocks }: Scan): Mark | 'partial' | undefined {
  const { text, at, plainUntil } = window
  const opener = at < plainUntil ? undefined : blocks?.match(text, at, code.tracker.lineStart)
  return typeof opener === 'object' ? { type: 'block', opener } : opener
}

/** Whether a mark may start with this character and the next one; `'partial'` where that is still to come. */
export function mayStartMark({ text, at }: Window): boolean | 'partial' {
  if (at + 1 >= text.length) return 'partial'
  const next = text.charCodeAt(at + 1)
  return next > space && next !== text.charCodeAt(at)
}
