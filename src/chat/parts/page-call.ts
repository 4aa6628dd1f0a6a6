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

/** What a tool says without the refs of page tools, which are for models. What is of others stays as it is. */
export function withoutRefs({ source }: Pick<ShownCall, 'source'>, text: string): string {
  return source === undefined ? text.replace(REFS, '') : text
}

const REFS = / \[ref=e\d+\]/g
