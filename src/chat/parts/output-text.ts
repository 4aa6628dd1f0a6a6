import { showInput, visibleText } from '../../conversation/index.ts'
import type { ToolOutput } from '../../index.ts'

/** What a call came to, as text for people. Nothing in it is out of sight. */
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
