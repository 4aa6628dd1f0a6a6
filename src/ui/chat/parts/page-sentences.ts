import { visibleText } from '../../../conversation/index.ts'
import type { JsonObject, JsonValue, PendingCall } from '../../../index.ts'
import type { PageCallWords } from '../words/words.ts'
import { isObject, isRecord } from './input-fields.ts'
import { type PageCall, type PageSentence, withoutRefs } from './page-call.ts'

interface WholeSentence {
  readonly text: string
  /** The text covers the whole input. */
  readonly isWhole: boolean
}

interface DescribedCall {
  readonly input: JsonObject
  /** Names of the elements that the call acts on, in order, if they are known. */
  readonly names: readonly string[]
}

type Describe = (call: DescribedCall, words: PageCallWords) => string | null

interface Rule {
  readonly text: Describe
  /** Input fields that the sentence covers, and fields that have no effect. */
  readonly covers: readonly string[]
}

/** Maximum length of a sentence, in characters. A cut sentence doesn't cover the whole input. */
const LONGEST = 160

/** See `pageSentence`. */
export function sentenceOf(
  call: PageCall | PendingCall,
  words: PageCallWords,
): PageSentence | null {
  const { toolName, input } = call
  if (!isObject(input)) return null
  const sentence = sentenceFrom(toolName, { input, names: namesIn(call.about?.data) }, words)
  return sentence ? shorten(sentence) : reportedSentence(call, input, words)
}

function shorten({ text, isWhole }: WholeSentence): PageSentence {
  const line = oneLine(text)
  const isShort = line.length <= LONGEST
  return { text: isShort ? line : `${line.slice(0, LONGEST)}…`, isWhole: isWhole && isShort }
}

/** Returns the first line of the tool's own report. A form's report names the first field and counts the others. */
function reportedSentence(
  call: PageCall | PendingCall,
  { fields }: JsonObject,
  words: PageCallWords,
): PageSentence | null {
  const output = 'output' in call ? call.output : undefined
  if (output?.type !== 'text') return null
  const [line = ''] = output.value.split('\n', 1)
  const first = withoutRefs(call, line)
  if (first.trim() === '') return null
  const otherCount = Array.isArray(fields) ? fields.length - 1 : 0
  const text = otherCount > 0 ? words.andMore(first.replace(/\.$/, ''), String(otherCount)) : first
  return shorten({ text, isWhole: false })
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
function sentenceFrom(
  toolName: string,
  call: DescribedCall,
  words: PageCallWords,
): WholeSentence | null {
  const rule = Object.hasOwn(RULES, toolName) ? RULES[toolName] : undefined
  const text = rule?.text(call, words) ?? null
  if (rule === undefined || text === null) return null
  return { text, isWhole: Object.keys(call.input).every((name) => rule.covers.includes(name)) }
}

const RULES: Readonly<Record<string, Rule>> = {
  click: { text: click, covers: ['ref', 'kind'] },
  type_text: { text: type, covers: ['ref', 'text', 'mode', 'enter'] },
  fill_form: { text: fill, covers: ['fields'] },
  select_option: { text: choose, covers: ['ref', 'options'] },
  set_checked: { text: check, covers: ['ref', 'checked'] },
  press_key: { text: press, covers: ['key', 'ref', 'times'] },
  drag: { text: drag, covers: ['ref', 'to', 'x', 'y'] },
  navigate: { text: goTo, covers: ['url'] },
  find: { text: find, covers: ['role', 'name', 'text', 'limit'] },
  wait_for: { text: waitFor, covers: ['text', 'role', 'name', 'gone', 'timeoutMs'] },
}

function click({ input, names: [element] }: DescribedCall, words: PageCallWords): string | null {
  if (!element) return null
  if (input['kind'] === 'double') return words.doubleClick(element)
  return input['kind'] === 'right' ? words.rightClick(element) : words.click(element)
}

function type({ input, names: [element] }: DescribedCall, words: PageCallWords): string | null {
  const { text, mode, enter } = input
  if (!element || typeof text !== 'string') return null
  const sentence =
    mode === 'append' ? words.add(quoted(text), element) : words.type(quoted(text), element)
  return enter === true ? words.thenEnter(sentence) : sentence
}

function fill({ input, names }: DescribedCall, words: PageCallWords): string | null {
  const { fields } = input
  if (!Array.isArray(fields) || fields.length !== names.length) return null
  const values = fields.map((field, at) => {
    const value = isObject(field) ? field['value'] : undefined
    const name = names[at]
    return name && isPrimitive(value) ? `${name}: ${toText(value)}` : null
  })
  return values.includes(null) ? null : words.fill(values.join('; '))
}

function choose({ input, names: [element] }: DescribedCall, words: PageCallWords): string | null {
  const { options } = input
  if (!element || !isStringList(options)) return null
  return words.choose(options.map(quoted).join(', '), element)
}

function check({ input, names: [element] }: DescribedCall, words: PageCallWords): string | null {
  if (!element) return null
  return input['checked'] === false ? words.uncheck(element) : words.check(element)
}

function press({ input, names: [element] }: DescribedCall, words: PageCallWords): string | null {
  const { key, ref, times } = input
  if (typeof key !== 'string' || (ref !== undefined && !element)) return null
  const sentence = element ? words.pressOn(key, element) : words.press(key)
  return typeof times === 'number' && times > 1 ? words.times(sentence, String(times)) : sentence
}

function drag(
  { input, names: [element, target] }: DescribedCall,
  words: PageCallWords,
): string | null {
  const { to, x = 0, y = 0 } = input
  if (!element) return null
  if (to === undefined) return words.dragBy(element, `${toText(x)}, ${toText(y)}`)
  return target ? words.drag(element, target) : null
}

function goTo({ input: { url } }: DescribedCall, words: PageCallWords): string | null {
  return typeof url === 'string' ? words.goTo(url) : null
}

function find({ input }: DescribedCall, words: PageCallWords): string | null {
  const condition = conditionOf(input)
  return condition === '' ? null : words.find(condition)
}

function waitFor({ input }: DescribedCall, words: PageCallWords): string | null {
  const condition = conditionOf(input)
  if (condition === '') return null
  return input['gone'] === true ? words.waitGone(condition) : words.waitFor(condition)
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

function toText(value: JsonValue): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

function isPrimitive(value: JsonValue | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isStringList(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
