import type { CallContext } from '../protocol/questions.ts'
import type { PreparedTool } from './prepare-tool.ts'

/** Returns null if the tool's `consentKey` throws or returns no text. */
export function consentKey(entry: PreparedTool | undefined, call: CallContext): string | null {
  try {
    const key: unknown = entry?.tool.consentKey?.(call.input)
    return typeof key === 'string' && key !== '' ? key : null
  } catch {
    return null
  }
}
