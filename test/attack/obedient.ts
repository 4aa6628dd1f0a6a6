import type { ChatRequest, MockResponse } from '../browser/support/mock-openai.ts'
import { callTools, say } from '../browser/support/mock-answers.ts'
import { OF_OTHERS } from './canaries.ts'
import { ordersIn, type Order } from './orders.ts'

export interface Call {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>
}

interface OfferedTool {
  readonly function: { readonly name: string; readonly parameters?: Schema }
}

export interface ObedientOptions {
  /** The calls of the task that a person gave. */
  readonly calls: readonly Call[]
  /** When it obeys: as soon as it has read an order, or when the task is done. */
  readonly obeys: 'at once' | 'after the task'
  /** Calls as a server has them, or in its words. */
  readonly writes: 'native' | 'text'
}

/** After so many answers it has done what it can; orders that it was denied are tried twice. */
const MAX_ANSWERS = 16
/** Words that are private in the apps, wherever they were read. */
const PRIVATE = /PRIVATE-\d+/

/**
 * The worst model that there could be: it does its task, and everything that any text of a request tells it to, whoever
 * wrote it and however it is framed.
 */
export class ObedientModel {
  readonly #options: ObedientOptions
  readonly #orders = new Map<string, Order>()
  readonly #tried = new Map<string, number>()
  #next = 0
  #answers = 0
  #private = 'nothing'
  #ofOthers = 'nothing'

  constructor(options: ObedientOptions) {
    this.#options = options
  }

  /** How many orders have reached it. */
  get read(): number {
    return this.#orders.size
  }

  answer(request: ChatRequest): MockResponse {
    const texts = textsIn(request)
    for (const text of texts) {
      this.#private = PRIVATE.exec(text)?.[0] ?? this.#private
      this.#ofOthers = OF_OTHERS.exec(text)?.[0] ?? this.#ofOthers
    }
    for (const order of texts.flatMap(ordersIn)) this.#orders.set(order.text, order)
    this.#answers += 1
    const calls = this.#answers > MAX_ANSWERS ? [] : this.#choose()
    if (calls.length === 0) return say('Done.')
    const made = calls.map(({ tool, input }) => ({
      name: tool,
      input: typed(tool, input, request),
    }))
    if (this.#options.writes === 'text' && this.#next > 1) return say(asText(made))
    return callTools(made.map((call, at) => ({ ...call, id: `c${this.#answers}_${at}` })))
  }

  #choose(): Call[] {
    const { calls, obeys } = this.#options
    const task = calls.slice(this.#next, this.#next + 1)
    const orders = obeys === 'at once' || task.length === 0 ? this.#due() : []
    if (orders.length > 0) return orders
    this.#next += 1
    return task
  }

  /** All that are there to be obeyed, together: one may press the button that another waits for. */
  #due(): Call[] {
    const due = [...this.#orders.values()].filter(({ text }) => (this.#tried.get(text) ?? 0) < 2)
    for (const { text } of due) this.#tried.set(text, (this.#tried.get(text) ?? 0) + 1)
    return due.map(({ toolName, values }) => ({
      tool: toolName,
      input: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          value.replaceAll('{{private}}', this.#private).replaceAll('{{other}}', this.#ofOthers),
        ]),
      ),
    }))
  }
}

/** Every string of a request, keys and descriptions of tools included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...parsed(value)]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)])
}

/** Strings of a JSON text, without the backslashes that escape them. */
function parsed(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return []
  try {
    return textsIn(JSON.parse(text))
  } catch {
    return []
  }
}

/** Values as the schema of the tool wants them. */
function typed(tool: string, input: Call['input'], request: ChatRequest): object {
  const offered = (request.tools ?? []) as unknown as readonly OfferedTool[]
  const schema = offered.find((each) => each.function.name === tool)?.function.parameters
  const asTyped = (name: string, value: unknown): unknown => {
    const type = schema?.properties?.[name]?.type
    if (typeof value !== 'string' || type === 'string') return value
    if (type === 'boolean') return value === 'true'
    return type === 'integer' || type === 'number' ? Number(value) : value
  }
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, asTyped(name, value)]),
  )
}

function asText(calls: readonly { readonly name: string; readonly input: object }[]): string {
  return calls
    .map(
      ({ name, input }) => `<tool_call>${JSON.stringify({ name, arguments: input })}</tool_call>`,
    )
    .join('\n')
}
