import { type SkillDiagnostic, Unreadable } from './diagnostic.ts'
import { indentOf, isEmpty, Lines } from './lines.ts'
import { readFlowList, readItem, readScalar } from './scalars.ts'

export type FrontValue = string | readonly string[] | { readonly [key: string]: string }

export interface FrontMatter {
  readonly values: ReadonlyMap<string, FrontValue>
  /** Line of each field in the file, from 1. */
  readonly lines: ReadonlyMap<string, number>
  /** Text after the front matter; the whole text if there is none. */
  readonly body: string
  /** Problems with the fields that were left out. */
  readonly diagnostics: readonly SkillDiagnostic[]
}

const FENCE = /^---[ \t]*$/
const KEY = /^([A-Za-z\d_][\w./-]*)[ \t]*:(?:[ \t]+|$)/
const ITEM = /^-(?:[ \t]+|$)/

/**
 * Reads the front matter of a SKILL.md (https://agentskills.io/specification): the part of YAML 1.2 that such files
 * use. Supports plain, quoted and block texts (`|` and `>`), lists of texts, and maps of texts. Other kinds of fields
 * are left out and reported in `diagnostics`. All values are texts: `true` and `1.0` stay as written.
 */
export function readFrontMatter(text: string): FrontMatter {
  const all = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const end = FENCE.test(all[0] ?? '')
    ? all.findIndex((line, at) => at > 0 && FENCE.test(line))
    : -1
  if (end < 0) {
    const message = 'A front matter must stand at the beginning, between two lines of ---.'
    return {
      values: new Map(),
      lines: new Map(),
      body: all.join('\n'),
      diagnostics: [{ line: 1, message }],
    }
  }
  const diagnostics: SkillDiagnostic[] = []
  const found = readFields(new Lines(all.slice(1, end)), diagnostics)
  return { ...found, body: all.slice(end + 1).join('\n'), diagnostics }
}

function readFields(
  lines: Lines,
  diagnostics: SkillDiagnostic[],
): Pick<FrontMatter, 'values' | 'lines'> {
  const values = new Map<string, FrontValue>()
  const places = new Map<string, number>()
  for (lines.skipEmpty(); lines.next !== undefined; lines.skipEmpty()) {
    // Skips the opening `---`, and counts from 1.
    const line = lines.at + 2
    const text = lines.take()
    const [start, key = ''] = KEY.exec(text) ?? []
    try {
      if (start === undefined) throw new Unreadable('this is no field like name: value')
      if (values.has(key)) throw new Unreadable('it is there twice')
      values.set(key, readValue(text.slice(start.length), lines))
      places.set(key, line)
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown
      const about = key === '' ? 'A line' : `The field ${key}`
      diagnostics.push({ line, message: `${about} was left out: ${thrown.message}.` })
      lines.skipWithin(0)
    }
  }
  return { values, lines: places }
}

function readValue(first: string, lines: Lines): FrontValue {
  if (first.startsWith('[')) {
    const list = readFlowList(first)
    refuseMore(lines)
    return list
  }
  if (!isEmpty(first)) return readScalar(first, lines, 0)
  lines.skipEmpty()
  const { next } = lines
  if (next === undefined) return ''
  const indent = indentOf(next)
  const content = next.slice(indent)
  if (content.startsWith('\t')) throw new Unreadable('a line is indented by a tab')
  if (ITEM.test(content)) return readList(lines, indent)
  if (indent === 0) return ''
  if (KEY.test(content)) return readMap(lines, indent)
  if (/:(?=[ \t]|$)/.test(content) || /^[|>]/.test(content))
    throw new Unreadable('what stands under it is no list, no map and no text')
  lines.take()
  return readScalar(content, lines, 0)
}

function readList(lines: Lines, indent: number): readonly string[] {
  const items: string[] = []
  for (lines.skipEmpty(); lines.next !== undefined; lines.skipEmpty()) {
    const own = indentOf(lines.next)
    const content = lines.next.slice(own)
    const [start] = ITEM.exec(content) ?? []
    if (own < indent || (own === 0 && start === undefined)) break
    if (own > indent || start === undefined) throw new Unreadable('its items do not stand alike')
    lines.take()
    items.push(readItem(content.slice(start.length), lines, indent))
  }
  if (indent > 0) refuseMore(lines)
  return items
}

function readMap(lines: Lines, indent: number): { readonly [key: string]: string } {
  const entries = new Map<string, string>()
  for (lines.skipEmpty(); lines.next !== undefined; lines.skipEmpty()) {
    const own = indentOf(lines.next)
    if (own === 0) break
    const content = lines.take().slice(own)
    const [start, key = ''] = KEY.exec(content) ?? []
    if (own !== indent || start === undefined) throw new Unreadable('its fields do not stand alike')
    if (entries.has(key)) throw new Unreadable(`its field ${key} is there twice`)
    const first = content.slice(start.length)
    if (isEmpty(first) && hasInner(lines, indent))
      throw new Unreadable(`its field ${key} is no text`)
    entries.set(key, isEmpty(first) ? '' : readScalar(first, lines, indent))
  }
  return Object.fromEntries(entries)
}

function hasInner(lines: Lines, indent: number): boolean {
  lines.skipEmpty()
  return lines.next !== undefined && (lines.isWithin(indent) || ITEM.test(lines.next.trimStart()))
}

function refuseMore(lines: Lines): void {
  lines.skipEmpty()
  if (lines.isWithin(0)) throw new Unreadable('something is indented under it')
}
