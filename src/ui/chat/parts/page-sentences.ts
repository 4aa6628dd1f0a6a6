import { visibleText } from '../../../conversation/index.ts'
import type { JsonObject, JsonValue, PendingCall } from '../../../index.ts'
import type { PageCallWords } from '../words/words.ts'
import { isObject, isRecord } from './input-fields.ts'
import { type PageCall, type PageSentence, withoutRefs } from './page-call.ts'

interface Said {
  readonly text: string
  /** The text covers the whole input. */
  readonly isWhole: boolean
}

interface ActedOn {
  readonly input: JsonObject
  /** Names of the elements that the call acts on, in order, if they are known. */
  readonly names: readonly string[]
}

type Sentence = (call: ActedOn, words: PageCallWords) => string | null

interface Rule {
  readonly say: Sentence
  /** Input fields that the sentence covers, or leaves out because they have no effect. */
  readonly says: readonly string[]
}

/** Longer sentences are cut, so they don't cover the whole input. Characters. */
const LONGEST = 160

/** See `pageSentence`. */
export function sentenceOf(
  call: PageCall | PendingCall,
  words: PageCallWords,
): PageSentence | null {
  const { toolName, input } = call
  if (!isObject(input)) return null
  const said = sentenceFrom(toolName, { input, names: namesIn(call.about?.data) }, words)
  return said ? fitting(said) : reported(call, input, words)
}

function fitting({ text, isWhole }: Said): PageSentence {
  const line = oneLine(text)
  const isShort = line.length <= LONGEST
  return { text: isShort ? line : `${line.slice(0, LONGEST)}…`, isWhole: isWhole && isShort }
}

/** Returns the first line of the tool's own report. A form's report names the first field and counts the others. */
function reported(
  call: PageCall | PendingCall,
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

/** Returns the names of the elements in the approval request, as the tool keeps them. Empty for other data. */
function namesIn(data: unknown): readonly string[] {
  const uses = isRecord(data) ? data['uses'] : undefined
  if (!Array.isArray(uses)) return []
  return uses.map((use: unknown) => {
    const { name, role } = isRecord(use) ? use : {}
    if (typeof name === 'string' && name !== '') return `"${name}"`
    return typeof role === 'string' ? role : ''
  })
}

/** Returns a sentence about a call, by its tool. Null if elements are unknown, or if the title says it all. */
function sentenceFrom(toolName: string, call: ActedOn, words: PageCallWords): Said | null {
  const rule = Object.hasOwn(RULES, toolName) ? RULES[toolName] : undefined
  const text = rule?.say(call, words) ?? null
  if (rule === undefined || text === null) return null
  return { text, isWhole: Object.keys(call.input).every((name) => rule.says.includes(name)) }
}

const RULES: Readonly<Record<string, Rule>> = {
  click: { say: click, says: ['ref', 'kind'] },
  type_text: { say: type, says: ['ref', 'text', 'mode', 'enter'] },
  fill_form: { say: fill, says: ['fields'] },
  select_option: { say: choose, says: ['ref', 'options'] },
  set_checked: { say: check, says: ['ref', 'checked'] },
  press_key: { say: press, says: ['key', 'ref', 'times'] },
  drag: { say: drag, says: ['ref', 'to', 'x', 'y'] },
  navigate: { say: goTo, says: ['url'] },
  find: { say: find, says: ['role', 'name', 'text', 'limit'] },
  wait_for: { say: waitFor, says: ['text', 'role', 'name', 'gone', 'timeoutMs'] },
}

function click({ input, names: [what] }: ActedOn, words: PageCallWords): string | null {
  if (!what) return null
  if (input['kind'] === 'double') return words.doubleClick(what)
  return input['kind'] === 'right' ? words.rightClick(what) : words.click(what)
}

function type({ input, names: [what] }: ActedOn, words: PageCallWords): string | null {
  const { text, mode, enter } = input
  if (!what || typeof text !== 'string') return null
  const said = mode === 'append' ? words.add(quoted(text), what) : words.type(quoted(text), what)
  return enter === true ? words.thenEnter(said) : said
}

function fill({ input, names }: ActedOn, words: PageCallWords): string | null {
  const { fields } = input
  if (!Array.isArray(fields) || fields.length !== names.length) return null
  const all = fields.map((field, at) => {
    const value = isObject(field) ? field['value'] : undefined
    const name = names[at]
    return name && isPlain(value) ? `${name}: ${plain(value)}` : null
  })
  return all.includes(null) ? null : words.fill(all.join('; '))
}

function choose({ input, names: [what] }: ActedOn, words: PageCallWords): string | null {
  const { options } = input
  if (!what || !isTexts(options)) return null
  return words.choose(options.map(quoted).join(', '), what)
}

function check({ input, names: [what] }: ActedOn, words: PageCallWords): string | null {
  if (!what) return null
  return input['checked'] === false ? words.uncheck(what) : words.check(what)
}

function press({ input, names: [what] }: ActedOn, words: PageCallWords): string | null {
  const { key, ref, times } = input
  if (typeof key !== 'string' || (ref !== undefined && !what)) return null
  const said = what ? words.pressOn(key, what) : words.press(key)
  return typeof times === 'number' && times > 1 ? words.times(said, String(times)) : said
}

function drag({ input, names: [what, target] }: ActedOn, words: PageCallWords): string | null {
  const { to, x = 0, y = 0 } = input
  if (!what) return null
  if (to === undefined) return words.dragBy(what, `${plain(x)}, ${plain(y)}`)
  return target ? words.drag(what, target) : null
}

function goTo({ input: { url } }: ActedOn, words: PageCallWords): string | null {
  return typeof url === 'string' ? words.goTo(url) : null
}

function find({ input }: ActedOn, words: PageCallWords): string | null {
  const what = conditionOf(input)
  return what === '' ? null : words.find(what)
}

function waitFor({ input }: ActedOn, words: PageCallWords): string | null {
  const what = conditionOf(input)
  if (what === '') return null
  return input['gone'] === true ? words.waitGone(what) : words.waitFor(what)
}

function conditionOf({ role, name, text }: JsonObject): string {
  const parts = [
    typeof role === 'string' ? role : '',
    ...[name, text].map((each) => (typeof each === 'string' ? quoted(each) : '')),
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function quoted(text: string): string {
  return `"${text}"`
}

function plain(value: JsonValue): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

function isPlain(value: JsonValue | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
