import type { CallContext } from '../../protocol/page-calls.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'

/** Asks a tool which values of an input are secret, as JSON pointers. Null if the tool can't say. Never rejects. */
export async function secretsIn(
  entry: PreparedTool | undefined,
  { runId, conversationId, toolCallId, toolName, input }: CallContext,
  warn: (message: string) => void,
): Promise<readonly string[] | null> {
  // The tool that declared `secretsIn` is no longer registered.
  if (!entry?.tool.secretsIn) return null
  try {
    const info = { runId, conversationId, toolCallId }
    const pointers: unknown = await entry.tool.secretsIn(input, info)
    if (!Array.isArray(pointers) || !pointers.every(isPointer))
      throw new TypeError('secretsIn() must return JSON pointers.')
    return pointers
  } catch {
    // The warning leaves out the thrown error, which may hold the secret.
    warn(`secretsIn of ${toolName} failed: its whole input is kept secret, and needs approval.`)
    return null
  }
}

function isPointer(value: unknown): value is string {
  return typeof value === 'string' && (value === '' || value.startsWith('/'))
}
