import { visibleText } from '../../conversation/index.ts'

/**
 * Returns text of a model, tool or file with invisible and direction-changing characters made visible. Keeps line
 * breaks. Accepts any value: a text field of a file may hold something else.
 */
export function said(text: unknown): string {
  return visibleText(String(text)).replaceAll('⏎\n', '\n')
}
