import { visibleText } from '../../conversation/index.ts'

/**
 * What a model, a tool or a file says, with what shows nothing, or turns what is around it, made visible. Lines stay lines. In a
 * file that anybody has written, what is to be a text may be none.
 */
export function said(text: unknown): string {
  return visibleText(String(text)).replaceAll('⏎\n', '\n')
}
