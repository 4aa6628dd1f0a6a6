import { readBlock } from './block-reader.ts'
import type { CallsRead } from './block-reader.ts'
import { CodeTracker } from './code-tracker.ts'
import { skipElements } from './foreign/dialects/wrapped.ts'
import { LiteralReader } from './foreign/literal-reader.ts'
import { readForeignBlock } from './foreign/read-foreign.ts'
import { skipThought } from './scan/reasoning-marks.ts'
import type { ToolIndex } from './tool-index.ts'
import { endsAnswer } from './trailing-text.ts'

/** Any character of a word. */
const letter = 120

/** The calls of a block. `ignored`: what follows them in it, where they are in another format. */
export function readBlockContent(
  content: string,
  index: ToolIndex,
  isCut: boolean,
): CallsRead & { readonly ignored?: string } {
  const foreign = readForeignBlock(content, index, isCut)
  if (!foreign) return readBlock(content, index)
  const rest = content.slice(foreign.end)
  return { ...foreign, ...(!endsAnswer(rest) && { ignored: rest }) }
}

/** Where, in a block without a closer, reasoning ends outside of its calls that was never opened (R5). */
export function findThoughtEnd(content: string, index: ToolIndex): number | undefined {
  const foreign = readForeignBlock(content, index)
  if (foreign) return foreign.thoughtEnd
  const end = findLoneCloser(content)
  if (end === undefined) return undefined
  // Of what can't be read the closer may stand in a value.
  return readBlock(content.slice(0, end), index).problem?.code === 'malformed' ? undefined : end
}

/** Outside of elements and of code. */
function findLoneCloser(text: string): number | undefined {
  const reader = new LiteralReader(text)
  const tracker = new CodeTracker()
  while (!reader.ended) {
    tracker.flush()
    const { at } = reader
    const thought = skipThought(text, at, tracker)
    if (thought === 'lone') return at
    if (thought !== undefined) reader.at = thought
    else if (text[at] === '<' && !tracker.fenced && !tracker.inRun) skipElements(reader)
    tracker.feed(reader.at > at ? letter : text.charCodeAt(reader.at++))
  }
  return undefined
}
