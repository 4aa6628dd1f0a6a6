import type { StreamPart } from '../protocol/stream-part.ts'
import { CodeTracker } from './code-tracker.ts'

export interface ThinkSplitterOptions {
  /** The prompt template already opened the reasoning, so the output starts inside it. */
  readonly reasoningPrefilled?: boolean
}

export interface ThinkSplitter {
  /** The parts this piece settles. Only what could still become a tag is held back. */
  push(text: string): StreamPart[]
  /** What was held back, once the output is over. */
  end(): StreamPart[]
}

const openers = ['<think>', '<thinking>'] as const
const closers = ['</think>', '</thinking>'] as const
const allTags: readonly string[] = [...openers, ...closers]
/** No inline code is this long: past it, an open backtick run doesn't hold a tag back any more. */
const doubtLimit = 2000

/**
 * Splits inline reasoning (`<think>…</think>`, `<thinking>…</thinking>`) from the text around it,
 * whatever the chunking. Tags in inline code and fences are text. A closer without an opener is
 * dropped from the text; reasoning never closed stays reasoning.
 */
export function createThinkSplitter(options: ThinkSplitterOptions = {}): ThinkSplitter {
  return new Splitter(options.reasoningPrefilled ?? false)
}

class Splitter implements ThinkSplitter {
  #reasoning: boolean
  #held = ''
  #tracker = new CodeTracker()
  /** Position in `#held` of a tag that stands after an unclosed backtick run, and the state there. */
  #doubt: { readonly at: number; readonly tracker: CodeTracker } | undefined
  #scanned = 0
  #parts: StreamPart[] = []
  /** White space right after the reasoning is layout. */
  #trimNext = false

  constructor(reasoning: boolean) {
    this.#reasoning = reasoning
  }

  push(text: string): StreamPart[] {
    this.#held += text
    this.#scan(false)
    return this.#take()
  }

  end(): StreamPart[] {
    this.#scan(true)
    this.#emit(this.#held)
    this.#held = ''
    return this.#take()
  }

  #take(): StreamPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  #scan(final: boolean): void {
    let at = this.#scanned
    for (;;) {
      if (at >= this.#held.length) {
        if (!final || !this.#doubt) break
        at = this.#settleDoubt()
        continue
      }
      const code = this.#held.charCodeAt(at)
      if (code === 60) this.#tracker.settle()
      if (code === 60 && !this.#tracker.fenced && !this.#doubt) {
        const tag = matchTag(this.#held, at)
        if (tag === 'partial' && !final) break
        if (tag !== 'partial' && tag !== undefined) {
          if (this.#tracker.openRun === 0) {
            at = this.#switch(at, tag)
            continue
          }
          this.#doubt = { at, tracker: this.#tracker.clone() }
        }
      }
      if (this.#doubt && (code === 10 || at - this.#doubt.at > doubtLimit)) {
        at = this.#settleDoubt()
        continue
      }
      this.#tracker.feed(code)
      at++
      if (this.#doubt && code !== 96 && this.#tracker.openRun === 0) this.#doubt = undefined
    }
    this.#release(at)
  }

  /** The run was not closed on its line: the tag counts, so reading goes on from it. */
  #settleDoubt(): number {
    const doubt = this.#doubt
    if (!doubt) return this.#held.length
    this.#doubt = undefined
    this.#tracker = doubt.tracker
    this.#tracker.ignoreRunsOnLine()
    return doubt.at
  }

  #switch(at: number, tag: string): number {
    this.#emit(this.#held.slice(0, at))
    this.#held = this.#held.slice(at + tag.length)
    this.#trimNext = tag.startsWith('</')
    this.#reasoning = !this.#trimNext
    this.#tracker = new CodeTracker()
    return 0
  }

  /** Hands out what precedes `at`, or the tag in doubt. */
  #release(at: number): void {
    const until = this.#doubt?.at ?? at
    this.#emit(this.#held.slice(0, until))
    this.#held = this.#held.slice(until)
    this.#scanned = at - until
    if (this.#doubt) this.#doubt = { at: 0, tracker: this.#doubt.tracker }
  }

  #emit(text: string): void {
    const delta = this.#trimNext ? text.trimStart() : text
    if (delta === '') return
    this.#trimNext = false
    this.#parts.push({ type: this.#reasoning ? 'reasoning-delta' : 'text-delta', delta })
  }
}

/** The tag at `at`, `'partial'` when more input may make one, undefined when it is none. */
function matchTag(text: string, at: number): string | undefined {
  const rest = text.slice(at, at + 12)
  for (const tag of allTags) {
    if (rest.startsWith(tag)) return tag
    if (rest.length < tag.length && tag.startsWith(rest)) return 'partial'
  }
  return undefined
}
