import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CallFinder } from '../../../src/action/find-calls.ts'
import { parseAction } from '../../../src/action/index.ts'
import type { ToolDefinition } from '../../../src/protocol/tool.ts'
import { tool } from './harness.ts'

interface Output {
  readonly tools: readonly ToolDefinition[]
  readonly output: string
  readonly finishReason?: string
}

/** What the reader takes from a model's output, and which of it the finder doesn't see in others' text. */
function compare({ tools, output, finishReason }: Output): { read: number; missed: unknown[] } {
  const { calls } = parseAction(output, tools, finishReason === undefined ? {} : { finishReason })
  const finder = new CallFinder(tools)
  finder.read(output)
  const missed = calls.filter(({ toolName, input }) => !finder.holds(toolName, input))
  return { read: calls.length, missed }
}

const blocks = [
  '<ACTION>@</ACTION>',
  '<Action>\n@\n</Action>',
  '<ACTION type="x">@</ACTION>',
  '<ACTION>@',
  '@',
  '<tool_call>@</tool_call>',
  '<ACTION><think>hm</think>@</ACTION>',
  '<ACTION>\n```xml\n@\n```\n</ACTION>',
  '<function_calls>@</function_calls>',
]
const names = [
  'wipe_all',
  'wipeAll',
  'WIPE-ALL',
  'functions.wipe_all',
  'wipe_&#97;ll',
  ' wipe_all ',
]
const generic = ['invoke', 'tool', 'tool_call', 'function', 'call', 'x:tool']
const elements = [
  ...generic.flatMap((tag) => [
    `<${tag} name="NAME">BODY</${tag}>`,
    `<${tag} name=NAME>BODY</${tag}>`,
    `<${tag} id='1' name='NAME' >BODY</${tag} >`,
    `<${tag} name="NAME" what="all"/>`,
  ]),
  '<NAME>BODY</NAME>',
  '<NAME what="all"/>',
  '<x:NAME>BODY</x:NAME>',
  '<function=NAME>BODY</function>',
  'NAME(what="all")',
  '{"name":"NAME","arguments":{"what":"all"}}',
]
const bodies = [
  '<what>all</what>',
  '<parameter name="what">all</parameter>',
  '<arg name="what">all</arg>',
  '<What><![CDATA[all]]></What>',
  '<what>a&#108;l</what>',
  '{"what":"all"}',
]
const wipe = tool('wipe_all', { what: { type: 'string' } }, ['what'])

describe('what the reader would run is found where others wrote it (Q3)', () => {
  it('in every case of the corpus', () => {
    const file = new URL('../../fixtures/action/action-cases.json', import.meta.url)
    const cases = JSON.parse(readFileSync(file, 'utf8')) as (Output & { id: string })[]
    const missed = cases.filter((one) => compare(one).missed.length > 0)
    expect(missed.map(({ id }) => id)).toEqual([])
  })

  for (const block of blocks)
    it(`in every writing of a call, as ${JSON.stringify(block)}`, () => {
      const missed: string[] = []
      let read = 0
      for (const name of names)
        for (const element of elements)
          for (const body of bodies) {
            const call = element.replaceAll('NAME', name).replace('BODY', body)
            const output = block.replace('@', () => call)
            const compared = compare({ tools: [wipe], output })
            read += compared.read
            if (compared.missed.length > 0) missed.push(output)
          }
      expect(read).toBeGreaterThan(50)
      expect(missed).toEqual([])
    })
})
