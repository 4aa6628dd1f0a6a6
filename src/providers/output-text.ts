import { describePart } from '../action/format-observation.ts'
import type { FilePart, ToolOutput } from '../protocol/message.ts'

/** A tool's output as the text of a tool message. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value)
    case 'content':
      return output.value.map(describePart).join('\n')
    case 'error':
      return `Error (${output.code}): ${output.message}`
    case 'denied':
      return output.reason ? `Denied by the person: ${output.reason}` : 'Denied by the person.'
    default:
      return output satisfies never
  }
}

/** Files of an output, for vendors that don't accept files in tool messages. */
export function outputFiles(output: ToolOutput): FilePart[] {
  return output.type === 'content' ? output.value.filter((part) => part.type === 'file') : []
}
