import { backtick, isTagStart, tilde } from './char-codes.ts'
import { CodeTracker, maxInlineCode } from './code-tracker.ts'
import { matchReasoning } from './scan/reasoning-marks.ts'

/** A letter that trackers get in place of a section, so that text after it isn't at the start of a line. */
export const letter = 120

export interface Walk {
  readonly text: string
  /** Start position. A position above 0 counts as the middle of a line, even at a line's start. */
  readonly from: number
  /**
   * Handles a position outside of reasoning and comments. Returns the position to continue from, or undefined for plain
   * text.
   */
  readonly step: (at: number, tracker: CodeTracker) => number | undefined
}

/**
 * Walks through a text outside of reasoning and comments. Returns the end of reasoning without an opener, or undefined.
 */
export function walkText({ text, from, step }: Walk): number | undefined {
  const tracker = new CodeTracker()
  if (from > 0) tracker.feed(letter)
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at)
    // Further backticks or tildes may belong to the same run.
    if (code !== backtick && code !== tilde) tracker.flush()
    const thought = endOfThought(text, at, tracker)
    if (thought === at) return at
    const next = thought ?? endOfComment(text, at, tracker) ?? step(at, tracker)
    tracker.feed(next === undefined ? code : letter)
    at = next ?? at + 1
  }
  return undefined
}

/** Returns the end of reasoning that starts at `at`, or `at` itself if only a closer is there. Undefined in code. */
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

/** Returns whether the open run is closed after the position, on the same line and near enough. */
function isInlineCode(text: string, at: number, { inRun, openRun }: CodeTracker): boolean {
  if (!inRun) return false
  const [line = ''] = text.slice(at, at + maxInlineCode).split('\n', 1)
  return line.includes('`'.repeat(openRun))
}
