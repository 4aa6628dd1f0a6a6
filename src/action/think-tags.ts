/** A tag that opens or closes reasoning, or opens a comment. */
export interface TagMark {
  readonly type: 'think' | 'think-end' | 'comment'
  readonly end: number
}

const thinkTags = ['<think>', '<thinking>'] as const
const thinkEndTags = ['</think>', '</thinking>'] as const

/** The think tag or comment that starts at `at`; `'partial'` while more input may make one. */
export function matchTag(
  text: string,
  at: number,
  where: { readonly reasoning: boolean; readonly reasoningStart: boolean },
): TagMark | 'partial' | undefined {
  const { reasoning, reasoningStart } = where
  const window = text.slice(at, at + 12)
  const marks = reasoning
    ? { comment: [], think: reasoningStart ? thinkTags : [], 'think-end': thinkEndTags }
    : { comment: ['<!--'], think: thinkTags, 'think-end': thinkEndTags }
  let partial = false
  for (const type of ['think', 'think-end', 'comment'] as const) {
    for (const tag of marks[type]) {
      if (window.startsWith(tag)) return { type, end: at + tag.length }
      partial ||= tag.startsWith(window)
    }
  }
  return partial ? 'partial' : undefined
}
