import { connectMcp, type McpDiagnostic, type McpOptions } from '../../../src/connect/mcp/index.ts'
import { contextOf } from './support.ts'

export interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly name?: string; readonly cursor?: string }
}

export type Answers = {
  readonly [method: string]:
    | object
    | ((message: Message, signal: AbortSignal) => Response | Promise<Response>)
}

const DISCOVERED = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'evil', version: '1' } },
}

export function tool(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more }
}

export function result(id: number | undefined, value: object): Response {
  return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...value } })
}

/** A server of 2026-07-28 that answers as the test says. */
export async function connected(answers: Answers, options: Partial<McpOptions> = {}) {
  const said: McpDiagnostic[] = []
  const sent: { readonly message: Message; readonly request: RequestInit }[] = []
  const server = await connectMcp({
    url: 'https://evil.example/mcp',
    onDiagnostic: (diagnostic) => said.push(diagnostic),
    fetch: async (_url, request) => {
      const message = JSON.parse(String(request.body)) as Message
      sent.push({ message, request })
      const answer = answers[message.method] ?? (message.method === 'server/discover' && DISCOVERED)
      if (typeof answer === 'function') return answer(message, request.signal as AbortSignal)
      return answer ? result(message.id, answer) : new Response('', { status: 404 })
    },
    ...options,
  })
  const call = (name: string, signal = new AbortController().signal): unknown => {
    const found = server.tools.find((one) => one.name === `evil__${name}`)
    if (!found || !('execute' in found)) throw new Error(`no ${name}`)
    return found.execute({} as never, contextOf({ signal }))
  }
  return { server, said, sent, call, names: () => server.tools.map(({ name }) => name) }
}

export function stream(
  signal: AbortSignal,
  write: (send: (text: string) => void, close: () => void) => void,
): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener('abort', () => controller.error(signal.reason))
      write(
        (text) => controller.enqueue(new TextEncoder().encode(text)),
        () => controller.close(),
      )
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
