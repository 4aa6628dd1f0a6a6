import { describe, expect, it } from 'vitest'
import { filesBelow, read } from './sources.ts'

// How comments and documents are written: CONTRIBUTING.md, "Words".

const SOURCES = ['src', 'test', 'scripts', 'demo', 'bench'].flatMap((folder) =>
  ['.ts', '.tsx', '.mjs'].flatMap((ending) => filesBelow(folder, ending)),
)
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SKILL.md',
  ...filesBelow('docs', '.md'),
]
/** A comment that opens so has its subject elsewhere. */
const OPENERS = 'Of That Those Whose As It Its One So Such What Who Absent'.split(' ')
const OPENING = new RegExp(`^(?:${OPENERS.join('|')})\\b`)
/** Phrases of this project's past that readers had to learn. */
const RETIRED =
  /\b(?:goes on with|takes up|taken up|left open|left runs|sealed text|awaited runs?|of whom|said of|told of|comes to|words of others|what stands|person['’]s word)\b/i
const MOST_WORDS_OF_PAGE = 1500
const MOST_WORDS_OF_SENTENCE = 30
const MEAN_WORDS_OF_SENTENCE = 16
/** Reference and specifications: read in parts. */
const LONG_PAGES = ['docs/format.md', 'docs/action-spec.md']

/** The first line of each comment, with its place. */
function* comments(file: string): Generator<{ readonly place: string; readonly text: string }> {
  let inBlock = false
  let wasLine = false
  for (const [index, line] of read(file).split('\n').entries()) {
    const text = /^\s*(?:\/\*\*|\/\/)\s*(\S.*)$/.exec(line)?.[1]
    const isLine = /^\s*\/\//.test(line)
    const first = inBlock ? /^\s*\*\s+(\S.*)$/.exec(line)?.[1] : text
    if (first !== undefined && !(isLine && wasLine))
      yield { place: `${file}:${index + 1}`, text: first }
    inBlock = /^\s*\/\*\*\s*$/.test(line)
    wasLine = isLine
  }
}

/** A page without code and comments. */
function proseOf(page: string): string {
  return read(page)
    .replaceAll(/^```[^]*?^```/gm, '')
    .replaceAll(/<!--[^]*?-->/g, '')
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Sentences of paragraphs, list items and headings. Tables aren't sentences. */
function sentencesOf(page: string): string[] {
  return proseOf(page)
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((block) => !/^\s*\|/.test(block))
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?:])\s+/))
    .filter((sentence) => wordsIn(sentence) > 0)
}

describe('comments', () => {
  it('open with their subject', () => {
    const found = SOURCES.flatMap((file) =>
      [...comments(file)].filter(({ text }) => OPENING.test(text)).map(({ place }) => place),
    )
    expect(found).toEqual([])
  })

  it('use no retired phrase', () => {
    const found = SOURCES.flatMap((file) =>
      [...comments(file)].filter(({ text }) => RETIRED.test(text)).map(({ place }) => place),
    )
    expect(found).toEqual([])
  })
})

describe.each(PAGES)('%s', (page) => {
  it('has sentences that are clear at first reading', () => {
    const sentences = sentencesOf(page)
    const long = sentences.filter((sentence) => wordsIn(sentence) > MOST_WORDS_OF_SENTENCE)
    expect(long).toEqual([])
    const mean = sentences.reduce((sum, one) => sum + wordsIn(one), 0) / sentences.length
    expect(mean).toBeLessThanOrEqual(MEAN_WORDS_OF_SENTENCE)
  })

  it('uses no retired phrase', () => {
    expect(RETIRED.exec(proseOf(page))?.[0]).toBeUndefined()
  })

  it.skipIf(LONG_PAGES.includes(page))('is short', () => {
    const prose = proseOf(page).replaceAll(/^\s*\|.*$/gm, '')
    expect(wordsIn(prose)).toBeLessThanOrEqual(MOST_WORDS_OF_PAGE)
  })
})
