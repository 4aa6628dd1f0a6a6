import { isRecord } from '../lib/shape.ts'
import type { Body } from './wire-format.ts'

/** Types of items, parts, sources and choices that need nothing beside the request. */
const TYPES = new Set(
  `message function_call function_call_output custom_tool_call custom_tool_call_output reasoning
  text input_text output_text refusal summary_text reasoning_text thinking redacted_thinking
  reasoning.text reasoning.summary reasoning.encrypted url_citation char_location page_location
  image image_url input_image video_url audio_url input_audio file input_file document base64 content
  tool_use tool_result server_tool_use function custom ephemeral auto any tool none allowed_tools`.split(
    /\s+/,
  ),
)
const REFERENCE_TYPES = new Set(['item_reference', 'url', 'video'])

/** Fields of text, where an address is only words. */
const TEXTS = new Set(
  `text content output system instructions thinking reasoning reasoning_content summary refusal
  title context name filename id call_id tool_call_id tool_use_id`.split(/\s+/),
)
/** Arguments of tools have names of the page's own. */
const ARGUMENTS = new Set(['arguments', 'input'])

/**
 * Without one of these, an id stands for what the vendor has stored: an item_reference, of which the `type` may be left
 * out, or `{ id, type: 'reasoning' }`. Its `summary`, a list, is not what the model gets.
 */
const CONTENTS = 'content encrypted_content name function output text data signature'.split(' ')

/** URL parsers ignore control characters and spaces before the scheme, and some of them inside. Prose has a space after a colon. */
const ADDRESS = /^[\0- ]*(?!data:)[a-z][a-z\d+.\-\t\n\r]*:\S/i

export interface ReferenceRules {
  readonly toolTypes: ReadonlySet<unknown>
  readonly references: boolean
}

interface Place {
  readonly key: string
  readonly value: unknown
  readonly parent: Body
  /** Inside an item of a tool that the relay allows. */
  readonly isTool: boolean
}

/**
 * The first thing in a body that the request doesn't hold itself: an item of another type, an id of what is stored at the
 * vendor, which anybody with the same key can read, or an address, which the model's server would fetch from where it is.
 */
export function findReference(body: Body, rules: ReferenceRules): string | undefined {
  for (const place of placesOf(body, (type) => belongsToTool(type, rules.toolTypes)))
    if (isType(place) ? !isAllowed(place, rules) : !rules.references && isReference(place))
      return place.key === 'type' ? `${String(place.value)}`.slice(0, 60) : place.key
  return undefined
}

/** Every field of messages, items and their parts at any depth. No recursion: a body may be nested deeper than the call stack. */
export function placesOf(
  body: Body,
  isToolType: (type: unknown) => boolean = () => false,
): Place[] {
  const { messages, input, system, instructions, tool_choice: choice } = body
  const places: Place[] = Object.entries({
    messages,
    content: input,
    system,
    instructions,
    choice,
  }).map(([key, value]) => ({ key, value, parent: {}, isTool: false }))
  // The list grows as it is walked through.
  for (const { key, value, parent, isTool } of places) {
    if (Array.isArray(value))
      for (const each of value as readonly unknown[])
        places.push({ key, value: each, parent, isTool })
    else if (isRecord(value)) {
      const isOwn = key !== 'tools' && (isTool || isToolType(value['type']))
      for (const [name, each] of Object.entries(value))
        if (!ARGUMENTS.has(name))
          places.push({ key: name, value: each, parent: value, isTool: isOwn })
    }
  }
  return places
}

/** `web_search_call` and `web_search_tool_result` belong to `web_search_20250305`. */
function belongsToTool(type: unknown, toolTypes: ReadonlySet<unknown>): boolean {
  if (toolTypes.has(type)) return true
  return [...toolTypes].some((tool) =>
    `${String(type)}`.startsWith(`${String(tool).split('_')[0]}_`),
  )
}

function isType({ key }: Place): boolean {
  return key === 'type'
}

function isAllowed({ value, isTool }: Place, { references }: ReferenceRules): boolean {
  return (
    isTool || TYPES.has(value as string) || (references && REFERENCE_TYPES.has(value as string))
  )
}

function isReference({ key, value, parent, isTool }: Place): boolean {
  if (key === 'id')
    return !isTool && !CONTENTS.some((name) => isFull(parent[name])) && !isSummary(parent)
  if (TEXTS.has(key)) return false
  if (/_ids?$/.test(key)) return true
  if (key === 'url' && (isTool || parent['type'] === 'url_citation')) return false
  if (key === 'data' && parent['type'] === 'text') return false
  if (key.endsWith('url') && !(key !== 'url' && isRecord(value)))
    return !(typeof value === 'string' && /^data:/i.test(value))
  return typeof value === 'string' && ADDRESS.test(value)
}

function isFull(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : (value ?? '') !== ''
}

/** OpenRouter's `reasoning.summary`. */
function isSummary({ summary }: Body): boolean {
  return typeof summary === 'string'
}
