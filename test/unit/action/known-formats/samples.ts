import type { ToolDefinition } from '../../../../src/protocol/tool.ts'
import { tool } from '../harness.ts'

export type Input = Readonly<Record<string, unknown>>

/** A call that a sample holds: a tool's name and its input. */
export interface WrittenCall {
  readonly name: string
  readonly input: Input
}

/** An output, and the result that the reader must produce. */
export interface Sample {
  readonly output: string
  readonly calls: readonly WrittenCall[]
  readonly text: string
}

/** A format of calls: how its models write them. */
export interface CallFormat {
  /** The first cell of its row in docs/action.md. */
  readonly row: string
  readonly write: (calls: readonly WrittenCall[]) => string
  /** Tokens that end the turn and that a server may leave in the text. */
  readonly ends?: readonly string[]
  /** Forms beside the usual one: markers left out or spelled differently, wrappers of the reply. */
  readonly variants?: Readonly<Record<string, Sample>>
  /** The format allows one call a turn. */
  readonly single?: true
  /** The format can't say these: nested values, strings with line breaks and quotation marks. */
  readonly flat?: true
  /** Prose can't stand before: a call is the whole turn. */
  readonly alone?: true
}

const string = { type: 'string' }

export const hotelTools: readonly ToolDefinition[] = [
  tool(
    'find_hotel',
    {
      city: string,
      nights: { type: 'integer' },
      quiet: { type: 'boolean' },
      tags: { type: 'array', items: string },
      near: {
        type: 'object',
        properties: { place: string, metres: { type: 'number' } },
      },
    },
    ['city'],
  ),
  tool('book_room', { room: string, guests: { type: 'integer' } }, ['room']),
  tool('list_rooms', {}),
]

export const lyon: WrittenCall = { name: 'find_hotel', input: { city: 'Lyon', nights: 2 } }
export const room: WrittenCall = { name: 'book_room', input: { room: '007', guests: 1 } }
export const rooms: WrittenCall = { name: 'list_rooms', input: {} }
const hard: WrittenCall = {
  name: 'find_hotel',
  input: { city: 'Aix "Vieux", {a}: [b] & it\'s a < b,\nsecond line' },
}
const nested: WrittenCall = {
  name: 'find_hotel',
  input: {
    city: 'Łódź 北京',
    quiet: true,
    tags: ['sea, view', 'old "town"'],
    near: { place: 'port', metres: 1.5 },
  },
}

/** The situations that every format is read in, by name. */
export function samplesOf(format: CallFormat): Map<string, Sample> {
  const { write, ends = [], variants = {}, single, flat, alone } = format
  const samples = new Map<string, Sample>()
  const add = (name: string, calls: readonly WrittenCall[], around = ['', '']): void => {
    const [before = '', after = ''] = around
    samples.set(name, { output: before + write(calls) + after, calls, text: before.trim() })
  }
  add('one call', [lyon])
  add('a call without arguments', [rooms])
  if (!single) add('two calls', [lyon, room])
  if (!single) add('three calls', [lyon, rooms, room])
  if (!alone) add('prose before', [lyon], ['I look for one.\n\n', ''])
  if (!flat) add('a string of many characters', [hard])
  if (!flat) add('nested values', [nested])
  for (const end of ends) add(`followed by ${JSON.stringify(end)}`, [lyon], ['', end])
  for (const [name, sample] of Object.entries(variants)) samples.set(name, sample)
  return samples
}

/** A sample of the one call `lyon`, without prose. */
export const oneCall = (output: string): Sample => ({ output, calls: [lyon], text: '' })

/** A sample of the calls `lyon` and `room`, without prose. */
export const twoCalls = (output: string): Sample => ({ output, calls: [lyon, room], text: '' })

/** `{"name": …, "arguments": …}`, as most chat templates write a call, with other keys if given. */
export function json(call: WrittenCall, keys = ['name', 'arguments']): string {
  const [name = 'name', args = 'arguments'] = keys
  return `{"${name}": ${JSON.stringify(call.name)}, "${args}": ${JSON.stringify(call.input)}}`
}

/** The calls as a JSON list. */
export const jsonList = (calls: readonly WrittenCall[], keys?: string[]): string =>
  `[${calls.map((call) => json(call, keys)).join(', ')}]`

/** A value as tags hold it: a string raw, anything else as JSON. */
export const tagValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Each argument of a call, written by `write`. */
export const args = (call: WrittenCall, write: (key: string, value: unknown) => string): string =>
  Object.entries(call.input)
    .map(([key, value]) => write(key, value))
    .join('')

/** A Python literal. */
export function literal(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null || value === undefined) return 'None'
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, entry]) => `${JSON.stringify(key)}: ${literal(entry)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}

/** `name(key=value, …)`. */
export const pythonCall = (call: WrittenCall, write = literal): string =>
  `${call.name}(${Object.entries(call.input)
    .map(([key, value]) => `${key}=${write(value)}`)
    .join(', ')})`
