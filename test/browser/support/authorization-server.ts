import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './listen.ts'

/** An authorization server of OAuth 2.1, with a page on which a person presses a button. */
export interface AuthorizationServer {
  readonly issuer: string
  /** Paths of the requests, in order. */
  readonly asked: string[]
  /** Returns a different `state` than it got. */
  givesWrongState: boolean
  /** Headers of the page where a user logs in. */
  pageHeaders: Readonly<Record<string, string>>
  close(): Promise<void>
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'content-type',
}

/** `token`: what it gives for a code that comes with the right verifier. */
export async function startAuthorizationServer(token: string): Promise<AuthorizationServer> {
  const challenges = new Map<string, string>()
  const asked: string[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', state.issuer)
    const send = (status: number, value: object): void => {
      response.writeHead(status, { ...CORS, 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (request.method === 'OPTIONS') return send(200, {})
    asked.push(pathname)
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return send(200, {
          issuer: state.issuer,
          authorization_endpoint: `${state.issuer}/authorize`,
          token_endpoint: `${state.issuer}/token`,
          registration_endpoint: `${state.issuer}/register`,
          code_challenge_methods_supported: ['S256'],
        })
      case '/register':
        return send(201, { client_id: 'page' })
      case '/authorize': {
        const code = randomUUID()
        challenges.set(code, searchParams.get('code_challenge') ?? '')
        const back = new URL(searchParams.get('redirect_uri') ?? '')
        const given = searchParams.get('state') ?? ''
        back.search = `${new URLSearchParams({ code, state: state.givesWrongState ? 'another' : given })}`
        response.writeHead(200, { 'content-type': 'text/html', ...state.pageHeaders })
        response.end(`<!doctype html><a href="${back.href.replaceAll('&', '&amp;')}">Allow</a>`)
        return
      }
      case '/token': {
        const sent = new URLSearchParams(await text(request))
        const digest = createHash('sha256').update(sent.get('code_verifier') ?? '')
        const isRight = challenges.get(sent.get('code') ?? '') === digest.digest('base64url')
        challenges.delete(sent.get('code') ?? '')
        return isRight
          ? send(200, { access_token: token, token_type: 'Bearer' })
          : send(400, { error: 'invalid_grant' })
      }
      default:
        return send(404, {})
    }
  }

  const { url, close } = await listen(
    createServer((request, response) => void answer(request, response)),
  )
  const state: AuthorizationServer = {
    issuer: url,
    asked,
    givesWrongState: false,
    pageHeaders: {},
    close,
  }
  return state
}
