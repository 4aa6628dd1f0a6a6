import { showInput, visibleText } from '../../../conversation/index.ts'
import type { ToolOutput } from '../../../index.ts'

/** Returns a call's output as text for people, with invisible characters made visible. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return visibleText(output.value)
    case 'json':
      return showInput(output.value)
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? visibleText(part.text) : `[${part.mediaType}]`))
        .join('\n')
    case 'error':
      return visibleText(output.message)
    case 'denied':
      return visibleText(output.reason ?? '')
  }
}
