import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  Foreign,
  TextPart,
  ToolOutput,
  ToolResultPart,
} from '../../protocol/message.ts'
import { invalidHistory, type Shape } from './place.ts'
import { DENIED, DENIED_WHY, errorWords } from './read-content.ts'

/** Writes a result as text. `errors`: whether the format marks errors, or the text has to say so. */
export function resultText(
  output: Exclude<ToolOutput, { readonly type: 'content' }>,
  errors: 'marked' | 'in-words',
): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value)
    case 'error':
      return errors === 'marked' ? output.message : errorWords(output.code) + output.message
    case 'denied':
      return output.reason === undefined ? DENIED : DENIED_WHY + output.reason
    default:
      return output satisfies never
  }
}

/** Extension fields for everything that the result's text can't express. */
export function resultExtension(
  { output, note, foreign }: ToolResultPart,
  target: Target,
): { readonly [name: string]: JsonValue | undefined } {
  return { note, ...meaning(output, target), ...otherForeign(foreign, target) }
}

function meaning(
  output: ToolOutput,
  { shape }: Target,
): { readonly output?: string; readonly code?: string } {
  switch (output.type) {
    case 'text':
      return {}
    case 'json':
    case 'denied':
      return { output: output.type }
    case 'error':
      return shape === 'anthropic' && output.code === 'failed'
        ? {}
        : { output: 'error', code: output.code }
    case 'content': {
      const [first] = output.value
      return output.value.length === 1 && first && isBare(first) ? { output: output.type } : {}
    }
    default:
      return output satisfies never
  }
}

function isBare(part: ToolOutput | TextPart | { readonly type: 'file' }): boolean {
  return part.type === 'text' && !('foreign' in part && part.foreign)
}

type Part = AssistantMessage['parts'][number]

/**
 * The order of an assistant message's parts, for formats that separate text, reasoning and calls. `t` (text) and
 * `r` (reasoning) are followed by a length in UTF-16 units. `c` is a call, `f` a file.
 */
export function orderOf(parts: readonly Part[]): string[] {
  return parts.map((part) => {
    switch (part.type) {
      case 'tool-call':
        return 'c'
      case 'file':
        return 'f'
      case 'text':
        return `t${part.text.length}`
      case 'reasoning':
        return `r${part.text.length}`
      default:
        return part satisfies never
    }
  })
}

/** Restores an order from `orderOf`. If it doesn't fit the parts (any more), they stay as they are. */
export function arranged(parts: readonly Part[], order: unknown): readonly Part[] {
  if (!Array.isArray(order)) return parts
  const texts = new Cutter('text', parts)
  const thoughts = new Cutter('reasoning', parts)
  const calls = parts.filter((part) => part.type === 'tool-call')
  const files = parts.filter((part) => part.type === 'file')
  const arrangement = order.map((entry: unknown): Part | undefined => {
    const [, kind, length] = /^([trcf])(\d{0,9})$/.exec(String(entry)) ?? []
    if (kind === 'c') return calls.shift()
    if (kind === 'f') return files.shift()
    return (kind === 't' ? texts : thoughts).take(Number(length || NaN))
  })
  const isWhole = calls.length + files.length === 0 && texts.isDone && thoughts.isDone
  const known = arrangement.filter((part) => part !== undefined)
  return isWhole && known.length === arrangement.length ? known : parts
}

/** Joins all texts of one type and cuts them at other lengths. */
class Cutter {
  readonly #type: 'text' | 'reasoning'
  readonly #parts: readonly Part[]
  readonly #text: string
  #at = 0
  #taken = 0

  constructor(type: 'text' | 'reasoning', parts: readonly Part[]) {
    this.#type = type
    this.#parts = parts.filter((part) => part.type === type)
    this.#text = this.#parts.map((part) => ('text' in part ? part.text : '')).join('')
  }

  get isDone(): boolean {
    return this.#at === this.#text.length
  }

  take(length: number): Part | undefined {
    const text = this.#text.slice(this.#at, this.#at + length)
    if (text.length !== length) return undefined
    this.#at += length
    const same = this.#parts[this.#taken++]
    return same && 'text' in same && same.text === text ? same : { type: this.#type, text }
  }
}

/**
 * How to treat data that a format can't express. `keep` (default): write it to `offstage` fields, which are read
 * back, but which a vendor's API may refuse. `omit`: leave it out. `refuse`: throw `invalid-history`.
 */
export type Extensions = 'keep' | 'omit' | 'refuse'

/** Options of `toOpenAI`, `toResponses` and `toAnthropic`. */
export interface ToHistoryOptions {
  /** Treatment of data that the format can't express. Default `'keep'`. Use `'omit'` for a vendor's API. */
  readonly extensions?: Extensions
}

type Fields = { readonly [name: string]: JsonValue | undefined }

/** Output format, and how to treat data that it can't express. */
export interface Target {
  readonly shape: Shape
  readonly extensions: Extensions
  /** Index of the message, for errors. */
  readonly index: number
}

/** Returns the defined fields as an `offstage` extension; an empty object if there are none. */
export function extension(
  { extensions, index }: Target,
  fields: Fields,
): { offstage?: JsonObject } {
  const kept = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  if (kept.length === 0 || extensions === 'omit') return {}
  if (extensions === 'keep') return { offstage: Object.fromEntries(kept) }
  const names = kept.map(([name]) => name).join(', ')
  throw invalidHistory(
    `messages[${index}]`,
    `has fields that the format lacks: ${names}. Pass extensions: 'keep' or 'omit'`,
  )
}

/** Returns the `foreign` fields that belong to other formats. */
export function otherForeign(foreign: Foreign | undefined, { shape }: Target): Fields {
  const { [shape]: _, ...others } = foreign ?? {}
  return { foreign: Object.keys(others).length > 0 ? others : undefined }
}

/** Writes a file as a text placeholder, with the file itself as an extension. */
export function fileWords(
  { mediaType, data, filename, foreign }: FilePart,
  target: Target,
): { type: 'text'; text: string; offstage?: JsonObject } {
  return {
    ...foreign?.[target.shape],
    type: 'text',
    text: `[file: ${filename ?? mediaType}]`,
    ...extension(target, {
      file: { mediaType, data, ...(filename !== undefined && { filename }) },
      ...otherForeign(foreign, target),
    }),
  }
}

/** Returns a single bare text block as a string, and any other list unchanged. */
export function contentOf<Block extends { readonly type: string }>(
  blocks: Block[],
): string | Block[] {
  const [first] = blocks
  if (blocks.length !== 1 || !first || !('text' in first)) return blocks
  const { text } = first
  return typeof text === 'string' && Object.keys(first).length === 2 ? text : blocks
}
