import type { JsonObject } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'

// How `formatAction` and the instructions write a block: the opener on a line of its own.
const opener = '<ACTION>\n'

/** Names that are their own tags in a block; others stand there under an alias. */
const legalName = /^(?!action$)[\p{L}_][\p{L}\p{N}_.-]*$/iu

/**
 * WebLLM's `response_format` that lets text run free until an ACTION block begins, and then admits calls
 * of these tools, closed, and the block's closing tag. What stands inside a call stays free. Undefined
 * when the tools can't be distinguished that way: a name that is no XML name, or one that may also be an
 * element inside its own call, whose closing tag would end the call too early.
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
