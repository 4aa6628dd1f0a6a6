import type { ToolOutput } from '../protocol/message.ts'
import type { ToolOutcome } from '../protocol/questions.ts'
import type { PreparedTool } from './prepare-tool.ts'

/** Characters. A tool's report on its own action is shorter. */
const LONG = 1_000

const known = new WeakSet<PreparedTool>()

/** Warns the app's author once per tool: long output may be untrusted content, and the tool doesn't say. */
export function unmarkedContent(prepared: PreparedTool, outcome: ToolOutcome): string | null {
  const { name, tool } = prepared
  if (tool.remote || tool.annotations?.untrustedContent !== undefined || known.has(prepared))
    return null
  if (outcome.status !== 'succeeded' || lengthOf(outcome.output) <= LONG) return null
  known.add(prepared)
  return `The tool ${name} returned more than ${LONG} characters, and has no annotations.untrustedContent. Set it to true if others may have written them (pages, mails, reviews, files), else to false.`
}

function lengthOf(output: ToolOutput): number {
  switch (output.type) {
    case 'text':
      return output.value.length
    case 'json':
      return JSON.stringify(output.value).length
    case 'content':
      return output.value.reduce(
        (sum, part) => sum + (part.type === 'text' ? part.text.length : 0),
        0,
      )
    case 'error':
    case 'denied':
      return 0
    default:
      return output satisfies never
  }
}
