import { dropOuterLines } from '../../xml-text.ts'
import { callsOfJson } from '../json-calls.ts'
import { findTool, resolveCalls } from '../foreign-call.ts'
import type { LiteralReader } from '../literal-reader.ts'
import { Unreadable } from '../literal-reader.ts'
import { toolName } from '../names.ts'
import { readTaggedValue } from '../tagged-value.ts'
import type { Dialect } from './dialect.ts'
import { lazyPattern, once } from '../../../lib/once.ts'

const name = lazyPattern(() => `\\s*["']?(${toolName})["']?\\s*>\\s*`, 'uy')
const parameter = /\s*<parameter=\s*["']?([^<>"'\s]+)["']?\s*>/y
const marks =
  /<\/parameter\s*>(\s*(?:<parameter=|<\/function\s*>|<\/tool_call\s*>))?|(<\/function\s*>(?![ \t]*[^\s<]|\s*<\/parameter))|(<function=[^<>]{1,100}>\s*<parameter=)|<parameter=\s*["']?([^<>"'\s]+)["']?\s*>/g

/** Qwen3-Coder: `<function=name><parameter=x>…` with raw text, not decoded. Functionary and Llama put JSON inside. */
export const functionTags: Dialect = {
  openers: [['<function=', '</function>']],
  after: once(() => ({
    whole: new RegExp(`^\\s*["']?${toolName}["']?\\s*>`, 'u'),
    partial: new RegExp(`^\\s*["']?(?:${toolName})?["']?\\s*$`, 'u'),
  })),
  closers: ['</parameter>'],
  read({ reader, index }) {
    const tool = reader.match(name())?.[1]
    if (tool === undefined) throw new Unreadable('cut off')
    if (reader.text[reader.at] === '{') {
      const args = reader.value()
      endFunction(reader)
      return resolveCalls(callsOfJson({ name: tool, arguments: args }, index, true) ?? [], index)
    }
    const known = findTool(tool, index)?.input.properties
    const isName = (given: string): boolean => known?.has(given) === true
    const texts: [string, string][] = []
    for (let found = reader.match(parameter); found; found = reader.match(parameter))
      texts.push([found[1] ?? '', dropOuterLines(readTaggedValue(reader, { marks, isName }))])
    endFunction(reader)
    return resolveCalls([{ name: tool, texts }], index)
  },
}

function endFunction(reader: LiteralReader): void {
  if (reader.match(/\s*<\/function\s*>|\s*(?=<\/tool_call\s*>)/y)) return
  throw new Unreadable(reader.text.includes('</function', reader.at) ? 'not a literal' : 'cut off')
}
