import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../browser/support/listen.ts'
import type { Random } from '../torture/random.ts'

/** The fate of one request on its way. */
type Fate =
  | 'passes'
  | 'is slow'
  | 'answer is slow'
  | 'is refused'
  | 'answer is lost'
  | 'answer is cut'
  | 'answer never comes'
  /** Both copies at once. */
  | 'is doubled'
  /** The server answers, and a copy arrives later. */
  | 'is copied'
  /** The client gives up, and the request arrives later. */
  | 'is stalled'

/** In a hundred. */
const FATES: readonly (readonly [Fate, number])[] = [
  ['is slow', 8],
  ['answer is slow', 5],
  ['is refused', 5],
  ['answer is lost', 6],
  ['answer is cut', 4],
  ['answer never comes', 1],
  ['is doubled', 6],
  ['is copied', 10],
  ['is stalled', 4],
]
/** Copies of claims that take over would keep devices from ever settling. */
const COPIED_WHILE_CALM = 'append'
const COPIES_WHILE_CALM = 0.25
const SLOW_MS = 250
const LATE_MS = 1500

interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/** An append that a server has answered: its rows begin at `first`. */
export interface Acknowledged {
  readonly appendId: string
  readonly first: number
}

/** The way between one device and several servers: it delays, doubles, loses and reorders what it carries. */
export interface UnreliableLink {
  readonly url: string
  readonly acknowledged: readonly Acknowledged[]
  /** Breaks every connection, and each new one, for a while. */
  cut(forMs: number): void
  /** From now on, everything passes, though some appends still leave a copy. What is held back stays there. */
  calm(): void
  /** Delivers the copies that are still held back, in any order, and returns how many those were. */
  deliverLate(): Promise<number>
  close(): Promise<void>
}

export async function startUnreliableLink(
  targets: readonly string[],
  random: Random,
): Promise<UnreliableLink> {
  const link = new Link(targets, random)
  const server = createServer((incoming, response) => void link.take(incoming, response))
  const { url, close } = await listen(server)
  return {
    url,
    acknowledged: link.acknowledged,
    cut: (forMs) => {
      link.cutUntil = performance.now() + forMs
      server.closeAllConnections()
    },
    calm: () => {
      link.isCalm = true
      link.cutUntil = 0
    },
    deliverLate: () => link.deliverLate(),
    close,
  }
}

class Link {
  readonly acknowledged: Acknowledged[] = []
  isCalm = false
  cutUntil = 0
  readonly #targets: readonly string[]
  readonly #random: Random
  readonly #held = new Set<Request>()
  readonly #delivering = new Set<Promise<unknown>>()

  constructor(targets: readonly string[], random: Random) {
    this.#targets = targets
    this.#random = random
  }

  async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // The device may be gone.
    response.on('error', () => undefined)
    try {
      if (performance.now() < this.cutUntil) response.destroy()
      else if (incoming.method === 'GET') this.#stream(incoming, response)
      else await this.#carry(await requestOf(incoming), response)
    } catch {
      // A server is down: a proxy says so, or the connection breaks.
      if (response.headersSent || this.#random.chance(0.5)) response.destroy()
      else response.writeHead(502).end()
    }
  }

  async deliverLate(): Promise<number> {
    const late = [...this.#held].map((request) => ({ request, at: this.#random.below(1000) }))
    for (const { request } of late.toSorted((a, b) => a.at - b.at)) await this.#deliver(request)
    await Promise.all(this.#delivering)
    return late.length
  }

  async #carry(request: Request, response: ServerResponse): Promise<void> {
    const random = this.#random
    const fate = this.isCalm ? drawnWhileCalm(request, random) : drawn(random)
    switch (fate) {
      case 'passes':
        return reply(response, await this.#forward(request))
      case 'is slow':
        await sleep(random.below(SLOW_MS))
        return reply(response, await this.#forward(request))
      case 'answer is slow': {
        const answer = await this.#forward(request)
        await sleep(random.below(SLOW_MS))
        return reply(response, answer)
      }
      case 'is refused':
        return void response.destroy()
      case 'answer is lost':
        await this.#forward(request)
        return void response.destroy()
      case 'answer is cut': {
        const { status, type, body } = await this.#forward(request)
        response.writeHead(status, { 'content-type': type, 'content-length': body.length })
        response.write(body.subarray(0, body.length / 2), () => response.destroy())
        return
      }
      case 'answer never comes':
        return void (await this.#forward(request))
      case 'is doubled': {
        const both = [this.#forward(request), this.#forward(request)]
        await Promise.allSettled(both)
        return reply(response, await both[random.below(2)]!)
      }
      case 'is copied':
        this.#hold(request)
        return reply(response, await this.#forward(request))
      case 'is stalled':
        this.#hold(request)
        return void response.destroy()
      default:
        fate satisfies never
    }
  }

  /** Half of what is held back arrives while the trial goes on, the rest at its end. */
  #hold(request: Request): void {
    this.#held.add(request)
    if (this.#random.chance(0.5)) return
    setTimeout(() => void this.#deliver(request), this.#random.below(LATE_MS)).unref()
  }

  async #deliver(request: Request): Promise<void> {
    if (!this.#held.delete(request)) return
    const delivering = this.#forward(request).catch(() => null)
    this.#delivering.add(delivering)
    await delivering
    this.#delivering.delete(delivering)
  }

  async #forward(request: Request): Promise<Answer> {
    const target = this.#target()
    const answer = await send(target, request)
    if (answer.status === 200) this.#note(request, answer)
    return answer
  }

  #note(request: Request, answer: Answer): void {
    const { call, appendId } = JSON.parse(String(request.body)) as Record<string, string>
    if (call !== 'append' || appendId === undefined) return
    const { value } = JSON.parse(String(answer.body)) as { value: { first: number } }
    this.acknowledged.push({ appendId, first: value.first })
  }

  #stream(incoming: IncomingMessage, response: ServerResponse): void {
    const asked = ask(
      `${this.#target()}${incoming.url}`,
      { headers: headersOf(incoming) },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, {
          'content-type': answer.headers['content-type'] ?? '',
        })
        response.flushHeaders()
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      },
    )
    asked.on('error', () => response.destroy())
    response.on('close', () => asked.destroy())
    asked.end()
    if (!this.isCalm && this.#random.chance(0.3))
      setTimeout(() => response.destroy(), this.#random.below(LATE_MS)).unref()
  }

  /** A load balancer that hasn't noticed yet that a server is down. */
  #target(): string {
    return this.#targets[this.#random.below(this.#targets.length)] ?? ''
  }
}

function drawnWhileCalm({ body }: Request, random: Random): Fate {
  const { call } = JSON.parse(String(body)) as { call: string }
  return call === COPIED_WHILE_CALM && random.chance(COPIES_WHILE_CALM) ? 'is copied' : 'passes'
}

function drawn(random: Random): Fate {
  let left = random.below(100)
  for (const [fate, weight] of FATES) {
    if (left < weight) return fate
    left -= weight
  }
  return 'passes'
}

function send(target: string, request: Request): Promise<Answer> {
  const { path, headers, body } = request
  return new Promise((resolve, reject) => {
    const asked = ask(`${target}${path}`, { method: 'POST', headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 502,
          type: answer.headers['content-type'] ?? '',
          body: Buffer.concat(parts),
        }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

function reply(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body)
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  return {
    path: incoming.url ?? '/',
    headers: headersOf(incoming),
    body: Buffer.concat(parts),
  }
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const kept = ['content-type', 'accept', 'last-event-id', 'x-tenant']
  return Object.fromEntries(
    kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}
