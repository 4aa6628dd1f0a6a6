import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../browser/support/listen.ts'
import { checkChat } from '../browser/support/strict-rules.ts'
import type { PlannedCall } from './cells.ts'

/** Where a server can hold a run, and what its page tells of itself. */
export type Point =
  | 'asked'
  | 'refused'
  | 'text'
  | 'input'
  | 'hook'
  | 'starting'
  | 'effect'
  | 'delivered'
  | 'answer'
  | 'pending'
  | 'queued'
  | 'abort asked'
  | 'abort confirmed'

/** The page's reports about an abort that it requested. */
export interface AskedAbort {
  /** True if the abort was requested while the run was held in its state, so nothing else could have ended it. */
  readonly isInTime: boolean
  readonly isConfirmed: boolean
}

export interface CountedEffect {
  readonly tool: string
  readonly n: string
  readonly key: string
}

/** Number of requests that a busy model refuses at most. The SDK retries more often than that. */
const REFUSALS = 3

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

export interface WorldPlan {
  readonly steps: readonly (readonly PlannedCall[])[]
  /** The call under test. If that call asks the helper, the helper's own call. */
  readonly target: string
  readonly holds: Point | null
  readonly paceMs: number
}

/**
 * The surroundings of one trial's run. The model refuses every request that a vendor would refuse. The tools' effects
 * are counted. The run is held at one point until it is let go.
 */
export class World {
  readonly effects: CountedEffect[] = []
  /** Reasons why requests were refused. */
  readonly complaints: string[] = []
  readonly requests: ChatBody[] = []
  readonly #plan: WorldPlan
  readonly #reached = new Map<Point, () => void>()
  readonly #arrived = new Set<Point>()
  readonly #whenLetGo: Promise<void>
  #open: () => void = () => {}
  #isHolding = true
  #abort: AskedAbort = { isInTime: false, isConfirmed: false }
  #server: { readonly url: string; close(): Promise<void> } | null = null

  constructor(plan: WorldPlan) {
    this.#plan = plan
    this.#whenLetGo = new Promise((resolve) => (this.#open = resolve))
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  get abort(): AskedAbort {
    return this.#abort
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response))
    server.keepAliveTimeout = 60_000
    this.#server = await listen(server)
    return this
  }

  async stop(): Promise<void> {
    this.letGo()
    await this.#server?.close()
  }

  /** From now on nothing is held. */
  letGo(): void {
    this.#isHolding = false
    this.#open()
  }

  reached(point: Point): Promise<void> {
    if (this.#arrived.has(point)) return Promise.resolve()
    return new Promise((resolve) => this.#reached.set(point, resolve))
  }

  async #pass(point: Point): Promise<void> {
    if (point === 'abort asked' && this.#isHolding) this.#abort = { ...this.#abort, isInTime: true }
    if (point === 'abort confirmed') this.#abort = { ...this.#abort, isConfirmed: true }
    this.#arrived.add(point)
    this.#reached.get(point)?.()
    if (point === this.#plan.holds && this.#isHolding) await this.#whenLetGo
    else if (this.#plan.paceMs)
      await new Promise((resolve) => setTimeout(resolve, this.#plan.paceMs))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader(
      'access-control-allow-headers',
      request.headers['access-control-request-headers'] ?? '*',
    )
    response.setHeader('access-control-max-age', '7200')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://world')
    const text = await textOf(request)
    switch (pathname) {
      case '/v1/chat/completions':
        return this.#answer(response, JSON.parse(text) as ChatBody, this.#plan.steps)
      case '/helper/v1/chat/completions':
        return this.#answer(response, JSON.parse(text) as ChatBody, [HELPER_STEP])
      case '/effect': {
        const effect = JSON.parse(text) as CountedEffect
        this.effects.push(effect)
        if (effect.n === this.#plan.target) await this.#pass('effect')
        return void response.end(`done ${effect.n}`)
      }
      case '/happened':
        return void response.end(
          JSON.stringify(this.effects.some(({ key }) => key === searchParams.get('key'))),
        )
      case '/at': {
        await this.#pass(searchParams.get('point') as Point)
        return void response.end()
      }
      default:
        return void response.writeHead(404).end()
    }
  }

  async #answer(
    response: ServerResponse,
    body: ChatBody,
    steps: readonly (readonly PlannedCall[])[],
  ): Promise<void> {
    const isHelper = steps[0] === HELPER_STEP
    const complaint = checkChat({ messages: body.messages.map(withoutName) }, [])
    this.requests.push(body)
    if (complaint !== undefined) {
      this.complaints.push(complaint)
      response.writeHead(400, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ error: { message: complaint } }))
    }
    const { step, isNext } = placeOf(body)
    const calls = isNext ? undefined : steps[step]
    const isFirst = step === 0 && !isNext && !isHelper
    if (isFirst) {
      await this.#pass('asked')
      if (this.#plan.holds === 'refused' && this.#isHolding && this.requests.length <= REFUSALS) {
        response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '2' })
        response.end(JSON.stringify({ error: { message: 'Busy.' } }))
        this.#arrived.add('refused')
        return this.#reached.get('refused')?.()
      }
    }
    if (step === 1 && !isNext && !isHelper) await this.#pass('delivered')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    const write = (delta: object, finish: string | null = null): void => {
      const choices = [{ index: 0, delta, finish_reason: finish }]
      response.write(`data: ${JSON.stringify({ choices })}\n\n`)
    }
    write({ role: 'assistant', content: 'I see ' })
    if (isFirst) await this.#pass('text')
    if (!calls && !isNext && !isHelper) await this.#pass('answer')
    write({ content: isNext ? 'there it is.' : calls ? 'what I can do.' : 'that all is done.' })
    for (const [index, { toolName, n }] of (calls ?? []).entries()) {
      const id = `call_${n.replace('.', '_')}_${step}`
      write({
        tool_calls: [{ index, id, type: 'function', function: { name: toolName, arguments: '' } }],
      })
      const input = JSON.stringify(inputOf(toolName, n))
      write({ tool_calls: [{ index, function: { arguments: input.slice(0, 5) } }] })
      if (isFirst && index === 0) await this.#pass('input')
      write({ tool_calls: [{ index, function: { arguments: input.slice(5) } }] })
    }
    write({}, calls ? 'tool_calls' : 'stop')
    response.end('data: [DONE]\n\n')
  }
}

/** The only call of the helper's own model. It has an effect. */
export const HELPER_CALL: PlannedCall = { toolName: 'write', n: '9.0' }
const HELPER_STEP = [HELPER_CALL]

function inputOf(toolName: string, n: string): object {
  if (toolName === 'ask_helper') return { prompt: `Go for ${n}` }
  if (toolName === 'ask_user') return { question: `Which one for ${n}?` }
  return { n }
}

/** OpenAI knows no names of results; compatible servers do, and get them. */
function withoutName<Sent extends { readonly role: string; readonly name?: unknown }>(
  message: Sent,
): Omit<Sent, 'name'> {
  const { name: _name, ...rest } = message
  return message.role === 'tool' ? rest : message
}

/** Where in its script a request is: answers since the person's message count. */
function placeOf({ messages }: ChatBody): { readonly step: number; readonly isNext: boolean } {
  const wordsOf = (content: unknown): string =>
    typeof content === 'string' ? content : JSON.stringify(content ?? '')
  const isNext = messages.some(
    ({ role, content }) => role === 'user' && wordsOf(content).includes('Next'),
  )
  const begin = messages.findIndex(
    ({ role, content }) => role === 'user' && wordsOf(content).includes('Go'),
  )
  const step = messages.slice(begin).filter(({ role }) => role === 'assistant').length
  return { step, isNext }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return text
}
