import type { CallContext } from '../protocol/questions.ts'
import type { PreparedTool } from './prepare-tool.ts'

/** A function that throws, or returns no text, can't say. */
export function consentKey(entry: PreparedTool | undefined, call: CallContext): string | null {
  try {
    const key: unknown = entry?.tool.consentKey?.(call.input)
    return typeof key === 'string' && key !== '' ? key : null
  } catch {
    return null
  }
}
