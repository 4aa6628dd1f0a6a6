import type { CallsRead } from './block-reader.ts'
import type { ToolIndex } from './tool-index.ts'

export function readForeignBlock(_content: string, _index: ToolIndex): CallsRead | undefined {
  return undefined
}
