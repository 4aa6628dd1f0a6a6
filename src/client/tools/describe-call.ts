import type { CallDescription, DescribeCall } from '../../protocol/page-calls.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { describeThrown } from '../../protocol/error.ts'
import { errorOutput, stringify, truncate } from '../execution/format-output.ts'
import type { PreparedTool } from './prepare-tool.ts'

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
