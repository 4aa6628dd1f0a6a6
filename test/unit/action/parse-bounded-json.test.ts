import { expect, test } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { parseBoundedJson } from '../../../src/action/call-arguments.ts'

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

test('JSON is read as it is, brackets in strings included', () => {
  const text = JSON.stringify({ a: `"\\"${'['.repeat(1000)}`, b: [[1]] })
  expect(parseBoundedJson(text)).toEqual(JSON.parse(text))
  expect(parseBoundedJson('{')).toBeUndefined()
  expect(parseBoundedJson(nested(500))).toBeDefined()
})

test('JSON that is nested too deep to be walked through is no input', () => {
  expect(parseBoundedJson(nested(501))).toBeUndefined()
  const inputSchema = { type: 'object', properties: { v: { type: 'object' } } } as const
  const tools = [{ name: 'save', description: 'Saves.', inputSchema }]
  for (const block of [`<v>${nested(20_000)}</v>`, `{"v":${nested(20_000)}}`]) {
    const { error } = parseAction(`<ACTION><save>${block}</save></ACTION>`, tools)
    expect(error?.code).toMatch(/invalid_params|malformed/)
  }
})
