import { visibleText } from '../../conversation/index.ts'
import type { JsonObject, JsonValue, PendingCall, ShownCall } from '../../index.ts'
import type { Words } from '../words/words.ts'
import { sentenceFrom, type Said } from './page-sentences.ts'

export interface PageSentence {
  readonly text: string
  /** All that the input says is said. */
  readonly isWhole: boolean
}

type Call = Pick<ShownCall, 'toolName' | 'title' | 'source' | 'input' | 'about' | 'output'>

/** By name, what the built-in page tools are called for people: a tool of the app's with such a name is another one. */
const TITLES: Readonly<Record<string, string>> = {
  click: 'Click',
  hover: 'Hover',
  drag: 'Drag',
  scroll: 'Scroll',
  type_text: 'Type',
  fill_form: 'Fill in a form',
  select_option: 'Choose',
  set_checked: 'Check or uncheck',
  press_key: 'Press a key',
  navigate: 'Go to an address',
  find: 'Find on the page',
  wait_for: 'Wait',
}

/** Longer ones are cut, and are not all that the input says. Characters. */
const LONGEST = 160

/**
 * What a call of a built-in page tool does, in a sentence; of one that nobody was asked about, what it said that it did. Null
 * for all other calls, and where the title says as much.
 */
export function pageSentence(call: Call | PendingCall, words: Words): PageSentence | null {
  const { toolName, title, source, input } = call
  if (source !== undefined || title === undefined) return null
  if (!Object.hasOwn(TITLES, toolName) || TITLES[toolName] !== title) return null
  if (!isObject(input)) return null
  const said = sentenceFrom(toolName, { input, names: namesIn(call.about?.data) }, words.pageCalls)
  return said ? fitting(said) : reported(call)
}

function fitting({ text, isWhole }: Said): PageSentence {
  const line = oneLine(text)
  const isShort = line.length <= LONGEST
  return { text: isShort ? line : `${line.slice(0, LONGEST)}…`, isWhole: isWhole && isShort }
}

/** The first line of what the tool says that it did. */
function reported(call: Call | PendingCall): PageSentence | null {
  const output = 'output' in call ? call.output : undefined
  if (output?.type !== 'text') return null
  const [first = ''] = output.value.split('\n', 1)
  return first.trim() === '' ? null : fitting({ text: first, isWhole: false })
}

function oneLine(text: string): string {
  return visibleText(text).replaceAll('\n', '').trim()
}

/** The elements that a person was asked about, as the tool keeps them. Of anything else, none. */
function namesIn(data: unknown): readonly string[] {
  const uses = isRecord(data) ? data['uses'] : undefined
  if (!Array.isArray(uses)) return []
  return uses.map((use: unknown) => {
    const { name, role } = isRecord(use) ? use : {}
    if (typeof name === 'string' && name !== '') return `"${name}"`
    return typeof role === 'string' ? role : ''
  })
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
