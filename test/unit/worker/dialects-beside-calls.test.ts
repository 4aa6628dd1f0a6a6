import { describe, expect, it } from 'vitest'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { TurnReader } from '../../../src/worker/model/turn-reader.ts'
import { click, search } from '../action/dialect-situations.ts'
import { dialectTable } from '../action/dialect-table.ts'
import { cut, tools } from '../action/harness.ts'

function read(parts: readonly StreamPart[], textCalls: boolean): unknown[] {
  let ids = 0
  const reader = new TurnReader({
    toolMode: 'native',
    tools,
    textCalls,
    partPrefix: '1.1.',
    emit: () => {},
    raw: false,
    newId: (prefix) => `${prefix}${++ids}`,
    isUsedId: () => false,
  })
  for (const part of parts) reader.read(part)
  const calls = reader.end()?.parts.filter(({ type }) => type === 'tool-call') ?? []
  return calls.map((part) =>
    part.type === 'tool-call' && 'input' in part
      ? [part.toolName, part.input, part.rescued === true]
      : part,
  )
}

const native: StreamPart = {
  type: 'tool-call',
  toolCallId: 'native',
  toolName: click.toolName,
  input: click.input,
}
const finish: StreamPart = { type: 'finish', finishReason: 'stop' }

describe('a call in the text beside a native call', () => {
  for (const dialect of dialectTable) {
    it(`is read, marked as rescued (Q5), and switched off with calls in text (Q1), in ${dialect.name}`, () => {
      const text = `I do both.\n${dialect.write([search])}`
      for (const size of [Infinity, 3]) {
        const deltas = cut(text, size).map((delta): StreamPart => ({ type: 'text-delta', delta }))
        const nativeCall = [click.toolName, click.input, false]
        const textCall = [search.toolName, search.input, true]
        expect(read([native, ...deltas, finish], true)).toEqual([nativeCall, textCall])
        expect(read([...deltas, native, finish], true)).toEqual([nativeCall, textCall])
        expect(read([...deltas, native, finish], false)).toEqual([nativeCall])
      }
    })
  }
})
