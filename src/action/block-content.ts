import { readBlock } from './block-reader.ts'
import type { CallsRead } from './block-reader.ts'
import { skipElements } from './foreign/dialects/wrapped.ts'
import { LiteralReader } from './foreign/literal-reader.ts'
import { readForeignBlock } from './foreign/read-foreign.ts'
import { walkText } from './own-text.ts'
import type { ToolIndex } from './tool-index.ts'
import { endsAnswer } from './trailing-text.ts'

/** Returns the calls of a block. `ignored`: text after calls in another format. */
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

/** Returns where reasoning without an opener ends in an unclosed block, outside of its calls (R5). */
export function findThoughtEnd(content: string, index: ToolIndex): number | undefined {
  const foreign = readForeignBlock(content, index)
  if (foreign) return foreign.thoughtEnd
  const reader = new LiteralReader(content)
  const end = walkText({
    text: content,
    from: 0,
    step(at, { fenced, inRun }) {
      if (fenced || inRun || content[at] !== '<') return undefined
      reader.at = at
      skipElements(reader)
      return reader.at > at ? reader.at : undefined
    },
  })
  if (end === undefined) return undefined
  // The closer may be part of a value in unreadable content.
  return readBlock(content.slice(0, end), index).problem?.code === 'malformed' ? undefined : end
}
