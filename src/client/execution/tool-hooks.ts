import type { CallContext, CallDescription, DescribeCall } from '../../protocol/page-calls.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'
import { errorOutput, stringify, truncate } from './format-output.ts'

/** Asks a tool to describe what a call is about to act on. Never rejects: if `describe` throws, the call fails. */
export async function describeCall(
  entry: PreparedTool | undefined,
  call: DescribeCall,
): Promise<CallDescription> {
  if (!entry?.tool.describe) return { type: 'nothing' }
  const { runId, conversationId, toolCallId, input, previous } = call
  const context = {
    runId,
    conversationId,
    toolCallId,
    ...(previous !== undefined && { previous }),
  }
  try {
    const about = await entry.tool.describe(input, context)
    if (!about) return { type: 'nothing' }
    if (typeof about.text !== 'string') throw new TypeError('describe() must return a text.')
    const data = stringify(about.data)
    return {
      type: 'described',
      about: {
        text: truncate(about.text),
        ...(data !== undefined && { data: JSON.parse(data) as JsonValue }),
        ...(about.onPage && { onPage: true }),
      },
    }
  } catch (thrown) {
    return { type: 'failed', output: errorOutput('failed', describeThrown(thrown)) }
  }
}

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
