import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

/** An app server with sessions. Pages reach the model through it and never see the API key. */
export interface SessionProxy {
  readonly url: string
  /** CSRF tokens of the model requests that were let through. */
  readonly admitted: readonly string[]
  /** From now on requests need another token; the page has to ask for it. */
  rotate(): void
  close(): Promise<void>
}

export interface SessionProxyOptions {
  /** Address that serves pages and scripts. */
  readonly site: string
  /** Address of the actual model; ends in `/v1`. */
  readonly modelURL: string
  /** The model's API key. No page ever gets it. */
  readonly upstreamKey: string
}

const SESSION = 'session=s3ss10n'
const STRICT = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
].join('; ')

/** Serves the site under a strict policy, with cookie and CSRF checks before the model. */
export async function startSessionProxy(options: SessionProxyOptions): Promise<SessionProxy> {
  let token = 'csrf-token-1'
  const admitted: string[] = []
  const server = createServer((request, response) => {
    void handle(request, response).catch((error) => response.writeHead(502).end(String(error)))
  })
  const { url, close } = await listen(server)
  return {
    url,
    admitted,
    rotate: () => (token = `csrf-token-${admitted.length + 2}`),
    close,
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    if (!path.startsWith('/api/')) return servePage(path, response)
    if (request.headers.cookie !== SESSION) return refuse(response, 403, 'No session')
    if (path === '/api/csrf') return void response.end(token)
    const given = String(request.headers['x-csrf-token'])
    if (given !== token) return refuse(response, 401, `The token ${given} is no good any more`)
    if (request.headers.authorization) return refuse(response, 400, 'Whence a key?')
    admitted.push(given)
    await forward(request, response, path.slice('/api'.length))
  }

  async function servePage(path: string, response: ServerResponse): Promise<void> {
    const file = await fetch(options.site + path)
    response.writeHead(file.status, {
      'content-type': file.headers.get('content-type') ?? 'text/plain',
      'content-security-policy': STRICT,
      'set-cookie': `${SESSION}; HttpOnly; SameSite=Strict; Path=/`,
    })
    response.end(Buffer.from(await file.arrayBuffer()))
  }

  async function forward(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += String(piece)
    const answer = await fetch(new URL(path, options.modelURL), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${options.upstreamKey}`,
      },
      body,
    })
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/event-stream',
    })
    for await (const piece of answer.body ?? []) response.write(piece)
    response.end()
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message } }))
}
