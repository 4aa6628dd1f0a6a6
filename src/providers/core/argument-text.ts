import { createJsonScan } from '../../lib/json-scan.ts'

/** Deeper or longer arguments are refused before they are parsed. */
const MAX_DEPTH = 256
const MAX_LENGTH = 8_000_000

/** The argument text of one call, gathered from deltas. */
export interface ArgumentText {
  /** Takes a delta; returns what is new in it, for showing. */
  push(delta: string): string
  isEmpty(): boolean
  /** A whole JSON value has arrived. */
  isComplete(): boolean
  /** The text is `{}`, which some servers send before the real arguments. */
  isPlaceholder(): boolean
  /** The text ends in the middle of a value. */
  isCut(): boolean
  isTooLarge(): boolean
  /** The delta repeats the text received so far. */
  repeats(delta: string): boolean
  /** Returns possible texts: the deltas joined, or the last one if each repeated those before it. */
  candidates(): string[]
}

/** After so many deltas that each begin with the previous one, they count as repetitions. */
const CERTAIN_REPEATS = 8

/**
 * Most servers send pieces. Some send all arguments again with each delta, and some a placeholder (`{}`) before the
 * real ones. A new value after a complete one replaces it. While each delta begins with the previous one, both
 * readings stay open. They can't both be valid JSON, since a prefix of an object leaves brackets open. Each character
 * is read a constant number of times.
 */
export function createArgumentText(): ArgumentText {
  let deltas: string[] = []
  let length = 0
  /** The delta that the next one begins with, if deltas are repetitions. */
  let last: string | undefined
  let repeats = 0
  let scan = createJsonScan()

  function restart(): void {
    deltas = []
    length = 0
    last = undefined
    repeats = 0
    scan = createJsonScan()
  }

  function pushPiece(delta: string): string {
    if (repeats > 0) {
      // The deltas are pieces after all, so text skipped as repeated belongs to them.
      scan = createJsonScan()
      for (const piece of deltas) scan.push(piece)
      repeats = 0
    }
    last = isBlank(deltas) && beginsObject(delta) ? delta : undefined
    return add(delta, delta)
  }

  function pushRepeat(delta: string, known: string): string {
    repeats++
    last = delta
    if (repeats >= CERTAIN_REPEATS) {
      deltas = []
      length = 0
    }
    return add(delta, delta.slice(known.length))
  }

  function add(delta: string, news: string): string {
    deltas.push(delta)
    length += delta.length
    scan.push(news)
    return news
  }

  function candidates(): string[] {
    const joined = deltas.join('')
    return repeats > 0 && last !== undefined ? [last, joined] : [joined]
  }

  return {
    push(delta) {
      if (delta === '' || length > MAX_LENGTH) return ''
      if (last !== undefined && delta.startsWith(last)) return pushRepeat(delta, last)
      if (scan.isComplete() && beginsObject(delta)) restart()
      return pushPiece(delta)
    },
    isEmpty: () => isBlank(deltas),
    isComplete: () => scan.isComplete(),
    isPlaceholder: () => scan.isComplete() && /^\s*\{\s*\}\s*$/.test(deltas.join('')),
    isCut: () => scan.isOpen(),
    isTooLarge: () => length > MAX_LENGTH || scan.maxDepth() > MAX_DEPTH,
    repeats: (delta) =>
      scan.isComplete() && candidates().some((text) => text.trim() === delta.trim()),
    candidates,
  }
}

function beginsObject(text: string): boolean {
  return text.trimStart()[0] === '{'
}

function isBlank(deltas: readonly string[]): boolean {
  return deltas.every((delta) => delta.trim() === '')
}
