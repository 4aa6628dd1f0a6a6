import { describe, expect, it } from 'vitest'
import { dialectTable } from './dialect-table.ts'
import { canonical, cut, stream, tool, toOutcome } from './harness.ts'

const string = { type: 'string' }
const names = ['get_user2', 'get-user', 'browser.search', 'suche_größe', '検索', 'Поиск']
const tools = names.map((name) => tool(name, { query: string, größe: string }, ['query']))

describe('a tool named in any script', () => {
  for (const dialect of dialectTable) {
    it(`is called in ${dialect.name}`, () => {
      for (const toolName of names) {
        const calls = [{ toolName, input: { query: 'cats', größe: 'groß' } }]
        const output = `Look:\n${dialect.write(calls)}`
        for (const rescue of [false, true]) {
          for (const pieces of [[output], cut(output, 1)]) {
            const read = toOutcome(stream(pieces, tools, { rescue }))
            const got = { calls: read.calls.map(canonical), error: read.error, text: read.text }
            const message = `rescue ${rescue}, ${pieces.length} pieces, of ${JSON.stringify(output)}`
            expect(got, message).toEqual({
              calls: calls.map(canonical),
              error: null,
              text: 'Look:',
            })
          }
        }
      }
    })
  }
})
