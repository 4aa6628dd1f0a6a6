import { withSingleSystemMessage } from '../engines/single-system-message.ts'
import { OffstageError } from '../protocol/error.ts'
import { asRecord, asText } from '../providers/core/read-json.ts'
import { chatMessages, type ChatMessage } from '../providers/openai/messages.ts'
import { compatible } from '../providers/openai/presets.ts'
import type { ModelRequest } from '../providers/provider.ts'
import type { Prompt, PromptPart } from './language-model.ts'

/** The conversation in the form of the Prompt API: a system prompt first, then turns of both sides. */
export function toPrompts(request: ModelRequest): Prompt[] {
  const turns: ModelRequest = { ...withSingleSystemMessage(request), toolMode: 'action' }
  return chatMessages(turns, { providerId: 'prompt-api', rules: compatible }).map(toPrompt)
}

function toPrompt({ role, content }: ChatMessage): Prompt {
  return {
    role: role === 'tool' ? 'user' : role,
    content: typeof content === 'string' ? content : (content ?? []).map(toPart),
  }
}

function toPart(part: unknown): PromptPart {
  const record = asRecord(part)
  const text = asText(record?.['text'])
  if (text !== undefined) return { type: 'text', value: text }
  const url = asText(asRecord(record?.['image_url'])?.['url'])
  if (url !== undefined) return { type: 'image', value: toBlob(url) }
  throw new OffstageError('bad-request', 'The browser’s model takes text and images only.')
}

function toBlob(dataUrl: string): Blob {
  const [, type = '', data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(dataUrl) ?? []
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type })
}
