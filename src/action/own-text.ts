import { CodeTracker, maxInlineCode } from './code-tracker.ts'
import { matchReasoning } from './scan/reasoning-marks.ts'

/** Any character of a word: what follows a section is not at the start of the line. */
export const letter = 120

export interface Walk {
  readonly text: string
  /** The line goes on here. */
  readonly from: number
  /** What stands at a position outside of thoughts: after it, or undefined for a character of the text. */
  readonly step: (at: number, tracker: CodeTracker) => number | undefined
}

/** Walks through a text, outside of thoughts. Where one ends that was never opened, or undefined. */
export function walkText({ text, from, step }: Walk): number | undefined {
  const tracker = new CodeTracker()
  if (from > 0) tracker.feed(letter)
  for (let at = from; at < text.length;) {
    tracker.flush()
    const thought = endOfThought(text, at, tracker)
    if (thought === at) return at
    const next = thought ?? step(at, tracker)
    tracker.feed(next === undefined ? text.charCodeAt(at) : letter)
    at = next ?? at + 1
  }
  return undefined
}

/** Where a thought that starts at `at` ends; `at`, where only its end stands. Undefined in code. */
function endOfThought(text: string, at: number, tracker: CodeTracker): number | undefined {
  const { fenced, inRun, lineStart, openRun } = tracker
  if (fenced || !/[<[◁]/.test(text[at] ?? '')) return undefined
  const tag = matchReasoning(text, at, { opens: true, lineStart })
  if (typeof tag !== 'object') return undefined
  const [line = ''] = text.slice(at, at + maxInlineCode).split('\n', 1)
  if (inRun && line.includes('`'.repeat(openRun))) return undefined
  if (tag.type === 'thought-end') return at
  const end = text.indexOf(tag.closer, tag.end)
  return end < 0 ? text.length : end + tag.closer.length
}
