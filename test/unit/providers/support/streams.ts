import { expect } from 'vitest'
import { Line, Unended, type StreamFixture } from '../../../fixtures/providers/openai.ts'
import { collect, type CollectedTurn } from '../../../../src/providers/collect.ts'
import { createAnswerReader } from '../../../../src/providers/core/read-answer.ts'
import type { HttpProviderDefinition } from '../../../../src/providers/provider.ts'
import type { StreamPart } from '../../../../src/protocol/message.ts'
import { eachNth } from '../../more.ts'
import { askWeather } from './replay.ts'

const encoder = new TextEncoder()

export interface SseStyle {
  readonly lineEnd: '\n' | '\r\n' | '\r'
  /** After `data:`. */
  readonly space: string
  /** `event:` lines with the type of the data. */
  readonly events?: boolean
}

export const styles: readonly SseStyle[] = [
  { lineEnd: '\n', space: ' ' },
  { lineEnd: '\r\n', space: ' ' },
  { lineEnd: '\r', space: ' ' },
  { lineEnd: '\n', space: '' },
]

/** The fixture's events as text, one string an event. */
export function eventsOf(fixture: StreamFixture, style: SseStyle): string[] {
  return fixture.chunks.map((chunk) => {
    if (chunk instanceof Line)
      return `${chunk.text.replaceAll('\n', style.lineEnd)}${style.lineEnd}${style.lineEnd}`
    if (chunk instanceof Unended) return `data:${style.space}${chunk.data}`
    const data = typeof chunk === 'string' ? chunk : JSON.stringify(chunk)
    const type = typeof chunk === 'object' && chunk !== null && 'type' in chunk ? chunk.type : ''
    const event = style.events && type ? `event:${style.space}${String(type)}${style.lineEnd}` : ''
    return `${event}data:${style.space}${data}${style.lineEnd}${style.lineEnd}`
  })
}

/** The parts that these bytes come to, in pieces of these sizes in turn, without a network. */
export function readParts(
  definition: HttpProviderDefinition<unknown>,
  bytes: Uint8Array,
  { sizes, raw = false }: { readonly sizes: readonly number[]; readonly raw?: boolean },
): StreamPart[] {
  const config = { provider: definition.id, model: 'm' }
  const state = definition.start(askWeather, config, new Set())
  const reader = createAnswerReader(definition, state, { contentType: 'text/event-stream', raw })
  const parts: StreamPart[] = []
  for (let at = 0, piece = 0; at < bytes.length && reader.isOpen(); piece++) {
    const size = sizes[piece % sizes.length] || bytes.length
    parts.push(...reader.push(bytes.subarray(at, at + size)))
    at += size
  }
  if (reader.isOpen()) parts.push(...reader.end())
  parts.push(...reader.close(undefined))
  return parts
}

/** The turn that these bytes come to, in pieces of this size. */
export function readTurn(
  definition: HttpProviderDefinition<unknown>,
  bytes: Uint8Array,
  pieceSize = 0,
): Promise<CollectedTurn> {
  return collect(toAsync(readParts(definition, bytes, { sizes: [pieceSize] })))
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield item
}

export function expectTurn(turn: CollectedTurn, { expected }: StreamFixture): void {
  expect(turn.text).toBe(expected.text ?? '')
  expect(turn.reasoning).toBe(expected.reasoning ?? '')
  const calls = turn.toolCalls.map((call) => [call.toolName, call.error?.code ?? call.input])
  expect(calls).toEqual(expected.calls ?? [])
  expect(turn.error?.code).toBe(expected.error)
  if (expected.words) expect(turn.error?.message).toContain(expected.words)
  if (expected.finishReason) expect(turn.finishReason).toBe(expected.finishReason)
  if (expected.usage) expect(turn.usage).toEqual(expected.usage)
  if (expected.providerMetadata) expect(turn.providerMetadata).toEqual(expected.providerMetadata)
  const files = turn.files?.map(({ mediaType, data }) => [mediaType, data])
  expect(files).toEqual(expected.files)
  const ids = turn.toolCalls.map((call) => call.toolCallId)
  expect(new Set(ids).size).toBe(ids.length)
}

/** Cut anywhere before its proof, a stream has an error and nothing of it may run. */
export async function expectCutsHarmless(
  definition: HttpProviderDefinition<unknown>,
  fixture: StreamFixture,
  style: SseStyle,
): Promise<void> {
  const events = eventsOf(fixture, style).map((event) => encoder.encode(event))
  const lengths = events.map((event) => event.length)
  const proofEnd = lengths
    .slice(0, (fixture.proof ?? fixture.chunks.length) + 1)
    .reduce((sum, length) => sum + length, 0)
  const bytes = encoder.encode(eventsOf(fixture, style).join(''))
  for (const cut of eachNth(15, [...bytes.keys()])) {
    const turn = await readTurn(definition, bytes.subarray(0, cut))
    if (cut < proofEnd - style.lineEnd.length) {
      expect(turn.error, `cut at ${cut}`).toBeDefined()
      expect(turn.toolCalls.filter((call) => call.error === undefined)).toEqual([])
    }
  }
}
