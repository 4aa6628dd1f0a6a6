import { backtick, isBlank, isTagStart, newline, tilde } from './char-codes.ts'
import { matchReasoning } from './scan/reasoning-marks.ts'

/**
 * Trackers get this letter instead of a skipped section, so that text after the section isn't at the start of a line.
 */
export const letter = 120

interface Walk {
  readonly text: string
  /** Start position. Any position above 0 is treated as the middle of a line, even if a line starts there. */
  readonly from: number
  /**
   * Handles a position outside of reasoning and comments. Returns the position to continue from, or undefined for plain
   * text.
   */
  readonly step: (at: number, tracker: CodeTracker) => number | undefined
}

/**
 * Walks through a text, skipping reasoning and comments. Returns the position of a closing reasoning tag without an
 * opening tag, if any.
 */
export function walkText({ text, from, step }: Walk): number | undefined {
  const tracker = new CodeTracker()
  if (from > 0) tracker.feed(letter)
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at)
    // Another backtick or tilde may continue the same run.
    if (code !== backtick && code !== tilde) tracker.flush()
    const thought = endOfThought(text, at, tracker)
    if (thought === at) return at
    const next = thought ?? endOfComment(text, at, tracker) ?? step(at, tracker)
    tracker.feed(next === undefined ? code : letter)
    at = next ?? at + 1
  }
  return undefined
}

/**
 * Returns the end of the reasoning whose opening tag is at `at`, or `at` itself if a closing tag is there. Undefined if
 * neither tag is at `at`, or if `at` is inside a code block or inline code.
 */
function endOfThought(text: string, at: number, tracker: CodeTracker): number | undefined {
  const { fenced, lineStart } = tracker
  if (fenced || !isTagStart(text.charCodeAt(at))) return undefined
  const tag = matchReasoning(text, at, { opens: true, lineStart })
  if (typeof tag !== 'object' || isInlineCode(text, at, tracker)) return undefined
  if (tag.type === 'thought-end') return at
  const marks = /[<[◁]/g
  marks.lastIndex = tag.end
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    const end = matchReasoning(text, mark.index, {
      opens: false,
      lineStart: false,
      closer: tag.closer,
    })
    if (typeof end === 'object') return end.end
  }
  return text.length
}

/** Returns the end of a comment that starts at `at`. An unclosed comment extends to the end. Undefined in code. */
function endOfComment(text: string, at: number, tracker: CodeTracker): number | undefined {
  if (tracker.fenced || !text.startsWith('<!--', at) || isInlineCode(text, at, tracker))
    return undefined
  const end = text.indexOf('-->', at + 2)
  return end < 0 ? text.length : end + 3
}

/** Returns whether the open backtick run is closed on the same line and within `maxInlineCode` characters. */
function isInlineCode(text: string, at: number, { inRun, openRun }: CodeTracker): boolean {
  if (!inRun) return false
  const [line = ''] = text.slice(at, at + maxInlineCode).split('\n', 1)
  return line.includes('`'.repeat(openRun))
}

/** Maximum distance between a marker and the end of the backtick run before it. */
const maxInlineCode = 2000

/** Start of a list item or a blockquote. Fences may also begin after it. */
const container = /^(?:\s*(?:>|(?:[-*+]|\d{1,9}[.)])\s))+\s*$/
const quote = /^[\s>]*$/
/** Maximum length of this start. */
const maxHead = 40

/** Markdown context of a character: prose, an open backtick run, or a fenced block. */
export interface CodeState {
  /** Length of the open backtick run on this line; 0 if there is none. */
  readonly openRun: number
  readonly fenced: boolean
  /** Only white space precedes the character on this line. */
  readonly lineStart: boolean
}

/**
 * Tracks Markdown code one character at a time (CommonMark). A fence is three or more backticks or tildes at the start
 * of a line, list item or blockquote. Inline code is a backtick run closed on the same line. Its closer or the end of
 * the line decides whether an `openRun` is code.
 */
export class CodeTracker implements CodeState {
  openRun = 0
  fenced = false
  lineStart = true
  #run = 0
  #runChar = 0
  #runAtStart = false
  #fenceChar = 0
  #fenceLength = 0
  /**
   * Length of a fence line's marker while its info string is read. A backtick in the info string makes it inline code.
   */
  #pendingFence = 0
  #closing = false
  #ignoreRuns = false
  /** Beginning of the line. */
  #head = ''
  /** The fence is in a blockquote, so lines of its code may begin with `>`. */
  #inQuote = false

  /** Feeds the next character's code unit. */
  feed(code: number): void {
    if (code === newline) return this.#endLine()
    if (code === this.#runChar && this.#run > 0) {
      this.#run++
      return
    }
    if (this.#run > 0) this.#endRun()
    if (code === backtick || (code === tilde && (this.lineStart || this.#mayBeginFence))) {
      this.#run = 1
      this.#runChar = code
      this.#runAtStart = this.lineStart || this.#mayBeginFence
      this.lineStart = false
      this.#closing = false
      return
    }
    if (this.#head.length < maxHead) this.#head += String.fromCharCode(code)
    if (isBlank(code)) return
    this.lineStart = false
    this.#closing = false
  }

  /** A fence may still begin on this line. */
  get mayOpenFence(): boolean {
    return !this.fenced && (this.#pendingFence > 0 || (this.#run > 0 && this.#runAtStart))
  }

  /** Whether inline code is open on this line, or would be after one more backtick on a fence line. */
  get inRun(): boolean {
    return this.openRun > 0 || (this.#pendingFence > 0 && this.#fenceChar === backtick)
  }

  /** Ignores backtick runs until the end of the line, because the open run started no code. */
  ignoreRunsOnLine(): void {
    this.openRun = 0
    this.#run = 0
    this.#pendingFence = 0
    this.#ignoreRuns = true
  }

  /** Ends the backtick or tilde run before this position, so that `openRun` and `fenced` are up to date. */
  flush(): void {
    if (this.#run > 0) this.#endRun()
  }

  clone(): CodeTracker {
    const copy = new CodeTracker()
    copy.openRun = this.openRun
    copy.fenced = this.fenced
    copy.lineStart = this.lineStart
    copy.#run = this.#run
    copy.#runChar = this.#runChar
    copy.#runAtStart = this.#runAtStart
    copy.#fenceChar = this.#fenceChar
    copy.#fenceLength = this.#fenceLength
    copy.#pendingFence = this.#pendingFence
    copy.#closing = this.#closing
    copy.#ignoreRuns = this.#ignoreRuns
    copy.#head = this.#head
    copy.#inQuote = this.#inQuote
    return copy
  }

  /** Only the start of a list item or blockquote precedes the character on this line. */
  get #mayBeginFence(): boolean {
    if (this.#head.length >= maxHead) return false
    return this.fenced ? this.#inQuote && quote.test(this.#head) : container.test(this.#head)
  }

  #endRun(): void {
    const length = this.#run
    this.#run = 0
    if (this.fenced) {
      this.#closing =
        this.#runAtStart && this.#runChar === this.#fenceChar && length >= this.#fenceLength
      return
    }
    if (this.#runAtStart && length >= 3) {
      this.#pendingFence = length
      this.#fenceChar = this.#runChar
      return
    }
    if (this.#runChar !== backtick || this.#ignoreRuns) return
    if (this.#pendingFence > 0 && this.#fenceChar === backtick) {
      this.openRun = this.#pendingFence
      this.#pendingFence = 0
    }
    if (this.openRun === 0) this.openRun = length
    else if (this.openRun === length) this.openRun = 0
  }

  #endLine(): void {
    if (this.#run > 0) this.#endRun()
    // A blank line ends a blockquote and the fence in it.
    if (this.fenced && (this.#closing || (this.#inQuote && this.lineStart))) this.fenced = false
    else if (this.#pendingFence > 0) {
      this.fenced = true
      this.#fenceLength = this.#pendingFence
      this.#inQuote = this.#head.includes('>')
    }
    this.#head = ''
    this.#pendingFence = 0
    this.#closing = false
    this.openRun = 0
    this.#ignoreRuns = false
    this.lineStart = true
  }
}

const maxFenceLine = 200

/** A position from which text is held back, and the tracker's state before it. */
interface Checkpoint {
  at: number
  readonly tracker: CodeTracker
}

interface Marker extends Checkpoint {
  /** The marker begins or ends reasoning. */
  readonly isReasoning: boolean
}

/**
 * Tracks whether the scan is in Markdown code (R3), and which text must be held back until that is known. Held back are
 * a marker after a backtick run that might never be closed, and a fence line that may precede a block. Positions are
 * relative to the held text.
 */
export class CodeContext {
  tracker: CodeTracker = new CodeTracker()
  /** State at the start of the reasoning. */
  #suspended = new CodeTracker()
  #pendingMarker: Marker | undefined
  /** The backtick run is too long to wait for its end, so no call in it runs. */
  #isLong = false
  #fence: Checkpoint | undefined

  /** Start of the fence line that may belong to a block. */
  get fenceStart(): number | undefined {
    return this.#fence?.at
  }

  /** A marker is held back until the preceding backtick run ends. */
  get isMarkerPending(): boolean {
    return this.#pendingMarker !== undefined
  }

  /** Feeds the character at a position. `holdsFences`: a block may follow a fence line here. */
  feed(at: number, code: number, holdsFences: boolean): void {
    const { fenced, lineStart } = this.tracker
    const isFenceMark = lineStart && (code === backtick || code === tilde)
    if (isFenceMark && holdsFences && !this.#fence && !fenced)
      this.#fence = { at, tracker: this.tracker.clone() }
    this.tracker.feed(code)
    if (code !== backtick && !this.tracker.inRun) {
      this.#pendingMarker = undefined
      this.#isLong = false
    }
    if (this.#fence && !this.#mayHoldFence(this.#fence, at, code)) this.#fence = undefined
  }

  /** Resets the state: the following text starts a line outside of code. */
  restart(): void {
    this.tracker = new CodeTracker()
    this.#fence = undefined
  }

  /** Starts reasoning. Code is tracked separately in it. */
  beginReasoning(): void {
    this.#suspended = this.tracker
  }

  /** Ends reasoning, and continues the line on which it started. */
  endReasoning(): void {
    this.tracker = this.#suspended
  }

  /** Holds back a marker after an open backtick run. The end of the run decides whether the marker is in code. */
  holdMarker(at: number, isReasoning: boolean): void {
    if (isReasoning || !this.#isLong)
      this.#pendingMarker = { at, tracker: this.tracker.clone(), isReasoning }
  }

  /**
   * Returns the position to rescan from, once it is known whether the pending marker is valid. The marker is valid if
   * the backtick run before it isn't closed on the same line. If the line is too long to wait for, a reasoning marker
   * is valid and a call's marker isn't. Therefore no quoted call runs, and no call in reasoning. `code`: the next
   * character; undefined at the end of the output.
   */
  dueMarker(at: number, code: number | undefined): number | undefined {
    // A backtick run at the end of the line or output may close the run before the marker.
    const isLineOver = code === undefined || code === newline
    if (isLineOver) this.tracker.flush()
    const marker = this.#pendingMarker
    if (!marker) return undefined
    const isDue = isLineOver ? this.tracker.inRun : at - marker.at > maxInlineCode
    if (isDue || isLineOver) this.#pendingMarker = undefined
    if (!isDue) return undefined
    this.tracker = marker.tracker
    this.#isLong = !isLineOver && !marker.isReasoning
    if (!this.#isLong) this.tracker.ignoreRunsOnLine()
    return marker.at
  }

  /** If a fence was opened just before a block, restores the state before the fence line. Returns that line's start. */
  leaveFence(): number | undefined {
    if (!this.#fence || !this.tracker.fenced) return undefined
    this.tracker = this.#fence.tracker
    return this.#fence.at
  }

  dropFence(): void {
    this.#fence = undefined
  }

  /** Returns the length of the text before `at` that need not be held back. Positions shift by this length. */
  release(at: number): number {
    const length = Math.min(at, this.#pendingMarker?.at ?? at, this.#fence?.at ?? at)
    if (this.#pendingMarker) this.#pendingMarker.at -= length
    if (this.#fence) this.#fence.at -= length
    return length
  }

  #mayHoldFence(fence: Checkpoint, at: number, code: number): boolean {
    if (at - fence.at > maxFenceLine) return false
    return this.tracker.mayOpenFence || (this.tracker.fenced && code <= 32)
  }
}
