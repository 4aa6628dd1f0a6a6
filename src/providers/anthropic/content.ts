import type { JsonObject } from '../../protocol/json.ts'
import type { FilePart, TextPart, ToolOutput, ToolResultPart } from '../../protocol/message.ts'
import { outputText } from '../output-text.ts'
import { fileInWords } from '../sent-files.ts'

/** Content blocks of a user message, without blank text blocks, which the API refuses. */
export function userBlocks(
  parts: readonly (TextPart | FilePart)[],
  takesFiles: boolean,
): JsonObject[] {
  return parts.flatMap((part) =>
    part.type === 'text' ? textBlocks(part.text) : [fileBlock(part, takesFiles)],
  )
}

export function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function fileBlock(part: FilePart, takesFiles: boolean): JsonObject {
  const { mediaType, data, filename } = part
  const source = { type: 'base64', media_type: mediaType, data }
  const isKnown = mediaType.startsWith('image/') || mediaType === 'application/pdf'
  if (!takesFiles || !isKnown) {
    return { type: 'text', text: fileInWords(part) }
  }
  return mediaType.startsWith('image/')
    ? { type: 'image', source }
    : { type: 'document', source, ...(filename !== undefined && { title: filename }) }
}

export function resultBlock(
  { output }: ToolResultPart,
  toolUseId: string,
  takesFiles: boolean,
): JsonObject {
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: resultContent(output, takesFiles),
    ...((output.type === 'error' || output.type === 'denied') && { is_error: true }),
  }
}

function resultContent(output: ToolOutput, takesFiles: boolean): string | JsonObject[] {
  const hasFiles = output.type === 'content' && output.value.some((part) => part.type === 'file')
  return hasFiles ? userBlocks(output.value, takesFiles) : outputText(output) || '(no output)'
}
