import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

export interface Reply {
  readonly status?: number
  readonly json?: unknown
  readonly html?: string
  /** Events of a stream, `[DONE]` included. */
  readonly sse?: string
  readonly headers?: { readonly [name: string]: string }
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly [name: string]: unknown }
}

export type Route = (asked: Asked) => Reply | undefined

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** A server on a free port; what `route` leaves out is a 404. Stopped after the test. */
export async function serve(
  route: Route,
): Promise<{ readonly origin: string; readonly asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      asked.push(one)
      answer(response, route(one) ?? { status: 404, json: { error: { message: 'Not Found' } } })
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

async function read(request: IncomingMessage): Promise<Asked> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += String(piece)
  const body = text === '' ? {} : (JSON.parse(text) as Asked['body'])
  return { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
}

function answer(response: ServerResponse, reply: Reply): void {
  const { status = 200, json, html, sse, headers } = reply
  const type = sse ? 'text/event-stream' : html ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(sse ?? html ?? JSON.stringify(json ?? {}))
}

/** A stream of deltas, as Chat Completions servers send it. */
export function chatStream(deltas: readonly object[], finish = 'stop'): string {
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
  ]
  return chunks
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat('data: [DONE]\n\n')
    .join('')
}

/** A call as servers stream it that parse it themselves. */
export function callStream(name: string, input: string): string {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: '' } }
  return chatStream(
    [
      { role: 'assistant', content: null, tool_calls: [call] },
      { tool_calls: [{ index: 0, function: { arguments: input } }] },
    ],
    'tool_calls',
  )
}

const inActionMode = ({ body }: Asked): boolean =>
  JSON.stringify(body['messages']).includes('<ACTION>')

const actionBlock = 'I report it. <ACTION><report_number><value>7</value></report_number></ACTION>'

/** A model that does what the doctor asks. */
export const obedient: Route = (asked) => {
  if (asked.body['tools']) return { sse: callStream('report_number', '{"value":7}') }
  return { sse: chatStream([{ content: inActionMode(asked) ? actionBlock : 'OK' }]) }
}

interface ChatRouteOptions {
  readonly base?: string
  /** `owned_by` of the models. */
  readonly owner?: string
  readonly answer?: Route
}

/** A Chat Completions server with these models. `answer` returns their replies. */
export function chatRoute(
  models: readonly string[],
  { base = '/v1', owner = '', answer = obedient }: ChatRouteOptions = {},
): Route {
  return (asked) => {
    const { path, body } = asked
    if (path === `${base}/models`) {
      const data = models.map((id) => ({ id, object: 'model', owned_by: owner }))
      return { json: { object: 'list', data } }
    }
    if (path !== `${base}/chat/completions`) return undefined
    if (!Array.isArray(body['messages'])) {
      return { status: 400, json: { error: { message: 'messages must be an array' } } }
    }
    if (!models.includes(String(body['model']))) {
      const message = `The model '${String(body['model'])}' does not exist`
      return { status: 404, json: { error: { message, code: 'model_not_found' } } }
    }
    return answer(asked)
  }
}
