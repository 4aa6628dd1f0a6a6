import type { ShownCall } from '../../index.ts'

export interface PageSentence {
  readonly text: string
  /** All that the input says is said. */
  readonly isWhole: boolean
}

export type PageCall = Pick<
  ShownCall,
  'toolCallId' | 'toolName' | 'title' | 'source' | 'input' | 'about' | 'output'
>

/** Leaves out the refs that built-in page tools put into their texts for models. Texts of other sources stay as they are. */
export function withoutRefs({ source }: Pick<ShownCall, 'source'>, text: string): string {
  return source === undefined ? text.replace(REFS, '') : text
}

const REFS = / \[ref=e\d+\]/g
