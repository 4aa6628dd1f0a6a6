/** Largest width of a part, in characters. Chinese, Japanese and Korean ones say more, so they count twice. */
const MOST = 1_200

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/gu

/** Ways to cut a text, from large to small pieces. The pieces joined equal the text. */
const CUTS: readonly ((text: string) => Iterable<string>)[] = [
  (text) => text.split(/(?<=\n\n)/),
  (text) => segments(text, 'sentence'),
  (text) => segments(text, 'word'),
  (text) => text.match(/[^]{1,500}/gu) ?? [],
]

/** Cuts a text into parts of bounded width: at paragraphs, else sentences, else words. */
export function* cut(text: string): Generator<string> {
  let part = ''
  let width = 0
  for (const piece of fitting(text)) {
    const added = widthOf(piece)
    if (width > 0 && width + added > MOST) {
      yield part.trim()
      part = ''
      width = 0
    }
    part += piece
    width += added
  }
  if (part.trim() !== '') yield part.trim()
}

function* fitting(text: string, depth = 0): Generator<string> {
  const pieces = CUTS[depth]
  if (!pieces || widthOf(text) <= MOST) return void (yield text)
  for (const piece of pieces(text)) yield* fitting(piece, depth + 1)
}

/** Width of a text. Long texts aren't counted, since they are too wide anyway. */
function widthOf(text: string): number {
  return text.length > MOST ? text.length : text.length + (text.match(WIDE)?.length ?? 0)
}

const SENTENCES = /[^.!?。！？…]*[.!?。！？…]*\s*/gu
const WORDS = /\S*\s*/gu

function* segments(text: string, granularity: 'sentence' | 'word'): Generator<string> {
  // Older browsers lack `Intl.Segmenter`.
  if (!('Segmenter' in Intl))
    return yield* text.match(granularity === 'word' ? WORDS : SENTENCES) ?? []
  for (const { segment } of new Intl.Segmenter(undefined, { granularity }).segment(text))
    yield segment
}
