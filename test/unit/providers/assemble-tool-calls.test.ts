import { expect, test } from 'vitest'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { createToolCallAssembler } from '../../../src/providers/core/assemble-tool-calls.ts'

const callsOf = (parts: readonly StreamPart[]) => parts.filter((part) => part.type === 'tool-call')

function assembles(length: number, deltasOf: (input: string) => readonly string[]): void {
  const input = JSON.stringify({ code: 'x = "1";\n'.repeat(length / 9) })
  const assembler = createToolCallAssembler([])
  for (const args of deltasOf(input)) assembler.push({ index: 0, id: 'a', name: 'write', args })
  const [call] = callsOf(assembler.finish('complete'))
  expect(JSON.stringify(call?.input) === input).toBe(true)
}

// Reading the whole input again with each delta would take hours.
test('long streamed input is scanned only once', () => {
  assembles(1_000_000, (input) => {
    const cut: string[] = []
    for (let at = 0; at < input.length; at += 4) cut.push(input.slice(at, at + 4))
    return cut
  })
})

// Searching all calls with each delta would take minutes.
test('many calls are looked up by key', () => {
  const assembler = createToolCallAssembler([])
  for (let index = 0; index < 100_000; index++)
    assembler.push({ index, id: `id-${index}`, name: 'ping', args: '{}' })
  expect(assembler.finish('complete')).toHaveLength(100_000)
})

test('cumulative input deltas are assembled, too', () => {
  assembles(20_000, (input) => {
    const grown: string[] = []
    for (let at = 50; at < input.length; at += 50) grown.push(input.slice(0, at))
    return [...grown, input]
  })
})

test('F36 input that is too long or too deep is refused before it is parsed', () => {
  for (const args of [
    `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    `{"a":"${'x'.repeat(10_000_000)}"}`,
  ]) {
    const assembler = createToolCallAssembler([])
    assembler.push({ id: 'a', name: 'write', args })
    expect(assembler.finish('complete')).toMatchObject([{ error: { code: 'invalid-json' } }])
  }
})

test('when arguments belong to no call, a call without arguments does not run', () => {
  const assembler = createToolCallAssembler([])
  assembler.push({ index: 0, id: 'a', name: 'delete_all' })
  assembler.push({ index: 7, args: '{"older_than":"1y"}' })
  const calls = callsOf(assembler.finish('complete'))
  expect(calls.map((call) => call.error?.code)).toEqual(['malformed', 'malformed'])
})

test('the streamed input deltas add up to the arguments', () => {
  const assembler = createToolCallAssembler([])
  const parts = [
    assembler.push({ index: 0, id: 'a', args: '{"n"' }),
    assembler.push({ index: 0, name: 'write', args: ':' }),
    assembler.push({ index: 0, args: '1}' }),
  ].flat()
  expect(parts).toEqual([
    { type: 'tool-input-delta', toolCallId: 'a', delta: '' },
    { type: 'tool-input-start', toolCallId: 'a', toolName: 'write' },
    { type: 'tool-input-delta', toolCallId: 'a', delta: '{"n"' },
    { type: 'tool-input-delta', toolCallId: 'a', delta: ':' },
    { type: 'tool-input-delta', toolCallId: 'a', delta: '1}' },
  ])
})

test('a late provider id is kept, while the call keeps its own id', () => {
  const assembler = createToolCallAssembler([])
  const [begun] = assembler.push({ index: 0, name: 'ping' })
  assembler.push({ index: 0, id: 'late', args: '{}' })
  const [call] = callsOf(assembler.finish('complete'))
  expect(call).toMatchObject({ providerCallId: 'late', input: {} })
  expect(begun).toMatchObject({ toolCallId: call?.toolCallId })
})

test("a nameless `{}` beside a call without arguments is not one of its own (LiteLLM's Bedrock)", () => {
  const assembler = createToolCallAssembler([])
  assembler.push({ index: 0, id: 'a', name: 'ping', args: '' })
  assembler.push({ index: 1, args: '{}' })
  expect(callsOf(assembler.finish('complete'))).toMatchObject([{ toolName: 'ping', input: {} }])
})
