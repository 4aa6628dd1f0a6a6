import type { ShownCall } from '../../../index.ts'

/** Line that tells people what a call of a built-in page tool does. Cut after 160 characters. */
export interface PageSentence {
  readonly text: string
  /** True if the text covers everything in the input. */
  readonly isWhole: boolean
}

export type PageCall = Pick<
  ShownCall,
  'toolCallId' | 'toolName' | 'title' | 'source' | 'input' | 'about' | 'output'
>

/**
 * Removes the `[ref=e1]` marks that built-in page tools add for models. Texts of other tools are returned unchanged.
 */
export function withoutRefs({ source }: Pick<ShownCall, 'source'>, text: string): string {
  return source === undefined ? text.replace(REFS, '') : text
}

const REFS = / \[ref=e\d+\]/g
