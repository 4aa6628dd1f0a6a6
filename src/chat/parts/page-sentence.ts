import { visibleText } from '../../conversation/index.ts'
import type { JsonObject, PendingCall, ShownCall } from '../../index.ts'
import type { PageCallWords } from '../words/page-call-words.ts'
import type { Words } from '../words/words.ts'
import { isObject, isRecord } from './is-record.ts'
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
  const isBuiltIn = source === undefined && Object.hasOwn(TITLES, toolName)
  if (!isBuiltIn || TITLES[toolName] !== title || !isObject(input)) return null
  const said = sentenceFrom(toolName, { input, names: namesIn(call.about?.data) }, words.pageCalls)
  return said ? fitting(said) : reported(call, input, words.pageCalls)
}

/** What a tool says without the refs of page tools, which are for models. What is of others stays as it is. */
export function withoutRefs({ source }: Pick<ShownCall, 'source'>, text: string): string {
  return source === undefined ? text.replace(REFS, '') : text
}

const REFS = / \[ref=e\d+\]/g

function fitting({ text, isWhole }: Said): PageSentence {
  const line = oneLine(text)
  const isShort = line.length <= LONGEST
  return { text: isShort ? line : `${line.slice(0, LONGEST)}…`, isWhole: isWhole && isShort }
}

/** The first line of what the tool says that it did; of a form, that is the first field, and how many more there are. */
function reported(
  call: Call | PendingCall,
  { fields }: JsonObject,
  words: PageCallWords,
): PageSentence | null {
  const output = 'output' in call ? call.output : undefined
  if (output?.type !== 'text') return null
  const [line = ''] = output.value.split('\n', 1)
  const first = withoutRefs(call, line)
  if (first.trim() === '') return null
  const more = Array.isArray(fields) ? fields.length - 1 : 0
  const text = more > 0 ? words.andMore(first.replace(/\.$/, ''), String(more)) : first
  return fitting({ text, isWhole: false })
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
