import { backtick, isTagStart, tilde } from './char-codes.ts'
import { CodeTracker, maxInlineCode } from './code-tracker.ts'
import { matchReasoning } from './scan/reasoning-marks.ts'

/** Any character of a word: what follows a section is not at the start of the line. */
export const letter = 120

export interface Walk {
  readonly text: string
  /** The line goes on here. */
  readonly from: number
  /** What stands at a position outside of thoughts and comments: after it, or undefined for a character of the text. */
  readonly step: (at: number, tracker: CodeTracker) => number | undefined
}

/** Walks through a text, outside of thoughts and comments. Where a thought ends that was never opened, or undefined. */
export function walkText({ text, from, step }: Walk): number | undefined {
  const tracker = new CodeTracker()
  if (from > 0) tracker.feed(letter)
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at)
    // Further ones may belong to the same run.
    if (code !== backtick && code !== tilde) tracker.flush()
    const thought = endOfThought(text, at, tracker)
    if (thought === at) return at
    const next = thought ?? endOfComment(text, at, tracker) ?? step(at, tracker)
    tracker.feed(next === undefined ? code : letter)
    at = next ?? at + 1
  }
  return undefined
}

/** Where a thought that starts at `at` ends; `at`, where only its end stands. Undefined in code. */
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

/** Where a comment that starts at `at` ends: one that is never closed goes on to the end. Undefined in code. */
function endOfComment(text: string, at: number, tracker: CodeTracker): number | undefined {
  if (tracker.fenced || !text.startsWith('<!--', at) || isInlineCode(text, at, tracker))
    return undefined
  const end = text.indexOf('-->', at + 2)
  return end < 0 ? text.length : end + 3
}

/** The run that is open is closed behind the position, on its line and not too far. */
function isInlineCode(text: string, at: number, { inRun, openRun }: CodeTracker): boolean {
  if (!inRun) return false
  const [line = ''] = text.slice(at, at + maxInlineCode).split('\n', 1)
  return line.includes('`'.repeat(openRun))
}
