import type { JsonObject } from '../../protocol/json.ts'
import { asObjects, asRecord } from '../core/read-json.ts'

/**
 * Converts content parts of Chat Completions to the Responses API, which has other type names and one level less.
 * `side`: `input` from the user, `output` from the model.
 */
export function toItemParts(content: unknown, side: 'input' | 'output'): JsonObject[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content)
  return parts.map(({ type, ...part }) => {
    switch (type) {
      case 'text':
        return { type: `${side}_text`, ...part }
      case 'image_url': {
        const { image_url: image, ...rest } = part
        const { url, ...inner } = asJson(image)
        return { type: 'input_image', detail: 'auto', image_url: url ?? '', ...inner, ...rest }
      }
      case 'file': {
        const { file, ...rest } = part
        return { type: 'input_file', ...asJson(file), ...rest }
      }
      default:
        return { type: type ?? '', ...part }
    }
  })
}

/** The reverse of `toItemParts`. */
export function fromItemParts(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((part: unknown) => {
    const { type, offstage, ...fields } = asJson(part)
    const kept = offstage === undefined ? {} : { offstage }
    switch (type) {
      case 'input_text':
      case 'output_text':
        return { type: 'text', ...fields, ...kept }
      case 'input_image': {
        const { image_url: url, detail, ...inner } = fields
        const isUsual = detail === undefined || detail === 'auto'
        return {
          type: 'image_url',
          image_url: { url, ...(!isUsual && { detail }), ...inner },
          ...kept,
        }
      }
      case 'input_file':
        return { type: 'file', file: fields, ...kept }
      default:
        return part
    }
  })
}

/** Whether an item belongs to the model's answer: it is neither input nor the output of a call. */
export function isAnswer({ type = 'message', role }: JsonObject): boolean {
  return type === 'message' ? role === 'assistant' : type !== 'function_call_output'
}

export function asJson(value: unknown): JsonObject {
  return (asRecord(value) ?? {}) as JsonObject
}
