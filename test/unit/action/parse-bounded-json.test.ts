import { expect, test } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { parseBoundedJson } from '../../../src/action/call-arguments.ts'

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

test('JSON is read exactly, including brackets in strings', () => {
  const text = JSON.stringify({ a: `"\\"${'['.repeat(1000)}`, b: [[1]] })
  expect(parseBoundedJson(text)).toEqual(JSON.parse(text))
  expect(parseBoundedJson('{')).toBeUndefined()
  expect(parseBoundedJson(nested(500))).toBeDefined()
})

test('JSON nested too deeply to traverse is rejected', () => {
  expect(parseBoundedJson(nested(501))).toBeUndefined()
  const inputSchema = { type: 'object', properties: { v: { type: 'object' } } } as const
  const tools = [{ name: 'save', description: 'Saves.', inputSchema }]
  for (const block of [`<v>${nested(20_000)}</v>`, `{"v":${nested(20_000)}}`]) {
    const { error } = parseAction(`<ACTION><save>${block}</save></ACTION>`, tools)
    expect(error?.code).toMatch(/invalid_params|malformed/)
  }
})
