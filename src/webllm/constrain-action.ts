import type { JsonObject } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'

// How `formatAction` and the instructions write a block: the opener on a line of its own.
const opener = '<ACTION>\n'

/** Tool names that a block can use as tags. Other names appear under an alias. */
const legalName = /^(?!action$)[\p{L}_][\p{L}\p{N}_.-]*$/iu

/**
 * WebLLM's `response_format` for ACTION blocks. Text outside a block is free. Inside, only closed calls of these tools
 * and the block's closing tag are allowed; a call's content is free. Undefined if a tool's name isn't a valid XML
 * name. Also undefined if the name may be an element inside its own call, whose closing tag would end the call early.
 * Format: XGrammar's structural tags (https://xgrammar.mlc.ai/docs/).
 */
export function constrainAction(tools: readonly ToolDefinition[]): JsonObject | undefined {
  if (tools.length === 0 || !tools.every(isPlain)) return undefined
  const calls = {
    type: 'tags_with_separator',
    separator: '\n',
    at_least_one: true,
    tags: tools.flatMap(({ name }) => [
      tag(`<${name}>`, { type: 'any_text' }, `</${name}>`),
      tag(`<${name}`, { type: 'const_string', value: '/' }, '>'),
    ]),
  }
  const format = {
    type: 'triggered_tags',
    triggers: [opener],
    tags: [tag(opener, calls, '\n</ACTION>')],
  }
  return { type: 'structural_tag', structural_tag: { type: 'structural_tag', format } }
}

function tag(begin: string, content: JsonObject, end: string): JsonObject {
  return { type: 'tag', begin, content, end }
}

function isPlain({ name, inputSchema }: ToolDefinition): boolean {
  const isOwnElement = name === 'item' || JSON.stringify(inputSchema).includes(`"${name}":`)
  return legalName.test(name) && !isOwnElement
}
