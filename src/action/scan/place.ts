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

/** A mark in the text: a transition of the machine, as a value. */
export type Mark =
  | { readonly type: 'comment' }
  | { readonly type: 'block'; readonly opener: Opener }
  | { readonly type: 'call'; readonly matcher: ConstructMatcher }
  | { readonly type: 'message'; readonly header: Header }
  /** Template tokens before the reply. */
  | { readonly type: 'reply-start'; readonly end: number }
  | ReasoningTag
  | Frame
  /** The model starts to write as somebody else (R4). */
  | { readonly type: 'made-up' }
  /** A `made-up` mark in a reply without a call: the following text is shown, and no call in it counts. */
  | { readonly type: 'others-turn' }

/** A state of the machine for reading text: the context of the next character. */
export interface Place {
  readonly name: CaptureContext
  /** Returns the mark at the window's position, if it counts here; `'partial'` if more input may complete one. */
  look(code: number): Mark | 'partial' | undefined
  /** Consumes the character at the window's position. Returns the place of the next one. */
  take(code: number): Place
}

/** State that all places share. */
export interface Scan extends Detectors {
  readonly window: Window
  readonly code: CodeContext
  readonly reply: Reply
}

/** Returns the opener of a block at the window's position. */
export function lookForBlock({ window, code, blocks }: Scan): Mark | 'partial' | undefined {
  const { text, at, plainUntil } = window
  const opener = at < plainUntil ? undefined : blocks?.match(text, at, code.tracker.lineStart)
  return typeof opener === 'object' ? { type: 'block', opener } : opener
}

/** Returns whether a mark may start with this character and the next one; `'partial'` if the next one is missing. */
export function mayStartMark({ text, at }: Window): boolean | 'partial' {
  if (at + 1 >= text.length) return 'partial'
  const next = text.charCodeAt(at + 1)
  return next > space && next !== text.charCodeAt(at)
}
