import { escapeMarks, quote } from '../clean-text.ts'
import type { TextItem } from '../outline/outline-node.ts'
import { MASKED } from '../privacy.ts'
import type { Unseen } from '../sight/reasons.ts'
import { unseenReason } from '../sight/unseen.ts'

/** A text of a page, with the mark that says why nobody sees it; empty for visible text. */
interface Told {
  readonly text: string
  readonly mark: string
}

/** Returns `[sr-only]` or `[hidden: too small to see]`; empty for visible text. */
export function markOf(reason: Unseen | null): string {
  if (reason === null) return ''
  return reason === 'sr-only' ? '[sr-only]' : `[hidden: ${reason}]`
}

function told({ text, visuallyHidden, holder }: TextItem): Told {
  if (text === MASKED || holder.masked) return { text, mark: '' }
  const reason = visuallyHidden ? 'sr-only' : unseenReason(holder.element)
  return { text, mark: markOf(reason) }
}

/** The text without its mark, for lines whose texts share one mark. */
export function textOf(item: TextItem): string {
  return told(item).text
}

/** The mark that all texts share; empty when their marks differ. */
export function commonMark(items: readonly TextItem[]): string {
  const marks = new Set(items.map((item) => told(item).mark))
  const [mark = ''] = marks
  return marks.size === 1 ? mark : ''
}

/** Joins texts on one line. Texts that nobody sees are in quotes, after the reason. */
export function markedTexts(items: readonly TextItem[]): string {
  return joinTold(items.map(told))
}

/** Joins texts; neighbours with the same mark become one text. */
export function joinTold(parts: readonly Told[]): string {
  const joined: Told[] = []
  for (const { text, mark } of parts) {
    const last = joined.at(-1)
    if (last?.mark === mark) joined[joined.length - 1] = { text: `${last.text} ${text}`, mark }
    else if (text) joined.push({ text, mark })
  }
  return joined
    .map(({ text, mark }) => (mark ? `${mark} ${quote(text)}` : escapeMarks(text)))
    .join(' ')
}
