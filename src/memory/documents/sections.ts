/** A heading, or a paragraph (level 0). */
export interface DocumentBlock {
  /** Level of a heading, 1 to 6. 0 for a paragraph. */
  readonly level: number
  readonly text: string
}

export interface Section {
  /** Headings above the section, outermost first. */
  readonly headings: readonly string[]
  readonly text: string
}

/** Sections with text, in order. */
export function* sectionsOf(blocks: Iterable<DocumentBlock>): Generator<Section> {
  let headings: readonly { readonly level: number; readonly text: string }[] = []
  let paragraphs: string[] = []
  const section = (): Section => ({
    headings: headings.map(({ text }) => text),
    text: paragraphs.join('\n\n'),
  })
  for (const { level, text } of blocks) {
    if (level === 0) {
      paragraphs.push(text)
      continue
    }
    if (paragraphs.length > 0) yield section()
    paragraphs = []
    headings = [...headings.filter((each) => each.level < level), { level, text }]
  }
  if (paragraphs.length > 0) yield section()
}

const HEADING = /^#{1,6}\s/

/** Paragraphs of a plain text, and Markdown headings such as `# Returns`. Headings in code fences are ignored. */
export function* blocksOfText(text: string): Generator<DocumentBlock> {
  let lines: string[] = []
  let isFenced = false
  const paragraph = (): DocumentBlock[] => {
    const block = { level: 0, text: lines.join('\n').trim() }
    lines = []
    return block.text === '' ? [] : [block]
  }
  for (const line of text.split(/\r\n?|\n/)) {
    if (/^(?:```|~~~)/.test(line)) isFenced = !isFenced
    const isHeading = !isFenced && HEADING.test(line)
    if (isHeading || (!isFenced && line.trim() === '')) yield* paragraph()
    if (isHeading) {
      const level = line.search(/\s/)
      yield { level, text: line.slice(level).trim() }
    } else lines.push(line)
  }
  yield* paragraph()
}
