import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { listen } from '../browser/support/listen.ts'
import { callTools, say } from '../browser/support/mock-answers.ts'
import {
  startMockOpenAI,
  type MockRequest,
  type MockResponse,
} from '../browser/support/mock-openai.ts'
import { serveSite } from '../browser/support/site.ts'
import type { Effect, Facts } from './goals.ts'
import { answerMcp } from './mcp-server.ts'
import type { ObedientModel } from './obedient.ts'

/** The servers' records of one trial. */
export interface TrialRecord extends Facts {
  readonly effects: Effect[]
  readonly received: string[]
  /** Bodies and headers of what the model was sent. */
  readonly requests: MockRequest[]
  readonly model: ObedientModel
  readonly place: string
  readonly text: string
}

/** The servers around the apps: the pages, the effects, the model, the attacker's site and MCP server. */
export interface World {
  readonly site: string
  readonly world: string
  readonly evil: string
  readonly models: string
  /** Begins a trial, whose pages find their plan at the site. */
  add(trial: string, record: TrialRecord, plan: object): void
  remove(trial: string): void
  close(): Promise<void>
}

export async function startWorld(): Promise<World> {
  const root = path.resolve(import.meta.dirname, '../..')
  const folders = { '/dist/': path.join(root, 'dist'), '/': path.join(root, 'test/attack/apps') }
  const records = new Map<string, TrialRecord>()
  // The same files for hundreds of trials: compiled once.
  const headers = (at: string): Record<string, string> =>
    at.startsWith('/dist/') ? { 'cache-control': 'max-age=3600' } : {}
  const site = await serveSite({ folders, headers })
  const model = await startMockOpenAI()
  const evil = await listen(createServer((request, response) => void receive(request, response)))
  const world = await listen(createServer((request, response) => void handle(request, response)))
  model.respond = (request) => askModel(request)

  /** The attacker's address has no trial in it: what comes there came from its page. */
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const words = `${request.method} ${request.url} ${await textOf(request)}`
    const trial = /attack-trial=([\w-]+)/.exec(`${request.headers.cookie}`)?.[1] ?? ''
    // A browser asks for it by itself, of any site that was opened.
    if (request.url !== '/favicon.ico') records.get(trial)?.received.push(words)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Thank you</title>')
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://world')
    const record = records.get(searchParams.get('trial') ?? '')
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', HEADERS)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const body = await textOf(request)
    if (pathname === '/effect' && record) record.effects.push(JSON.parse(body) as Effect)
    if (pathname === '/mcp' && record) return answerMcp(response, body, record)
    response.writeHead(record ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
  }

  function askModel(request: MockRequest): MockResponse {
    const record = records.get(request.path.split('/')[2] ?? '')
    if (!record) return say('Nobody asks.')
    if (isOther(request)) return say('I keep that in mind.')
    record.requests.push(request)
    if (request.body.model === 'repeats') return repeat(request)
    return record.model.answer(request.body)
  }

  return {
    site: site.url,
    world: world.url,
    evil: evil.url,
    models: model.baseURL,
    add(trial, record, plan) {
      records.set(trial, record)
      site.add(`/plan/${trial}.json`, { body: JSON.stringify(plan) })
    },
    remove: (trial) => void records.delete(trial),
    close: async () => {
      await Promise.all([site.close(), model.close(), evil.close(), world.close()])
    },
  }
}

const HEADERS =
  'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id'

/**
 * Whether a request belongs to the other, private conversation. Its user says a canary, and never the words of a task.
 */
function isOther({ body: { messages = [] } }: MockRequest): boolean {
  const said = messages.filter(({ role }) => role === 'user')
  const texts = said.map(({ content }) => JSON.stringify(content))
  return Boolean(texts[0]?.startsWith('"CANARY')) && !texts.some((text) => text.includes('Please '))
}

/** A model that says again what its tool returned. */
function repeat({ body }: MockRequest): MockResponse {
  const result = body.messages?.findLast(({ role }) => role === 'tool')
  if (!result) return callTools([{ id: 'fetch', name: 'fetch_page', input: {} }])
  return say(`It says: ${String(result.content)}`)
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}
