import { createServer } from 'node:http'
import { listen } from '../browser/support/listen.ts'

export interface Effect {
  readonly tool: string
  /** Which call of the plan it is. */
  readonly n: string
  /** The call's idempotency key. */
  readonly key: string
}

/**
 * Records the effects of tools. An effect happens when its request arrives, whether or not anyone gets the response.
 */
export interface EffectServer {
  readonly url: string
  readonly effects: readonly Effect[]
  close(): Promise<void>
}

export async function startEffects(): Promise<EffectServer> {
  const effects: Effect[] = []
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    const url = new URL(request.url ?? '/', 'http://effects')
    if (url.pathname === '/happened') {
      const key = url.searchParams.get('key')
      return void response.end(JSON.stringify(effects.some((effect) => effect.key === key)))
    }
    let text = ''
    request.setEncoding('utf8').on('data', (part) => (text += String(part)))
    request.on('end', () => {
      const { delayMs, ...effect } = JSON.parse(text) as Effect & { readonly delayMs: number }
      effects.push(effect)
      setTimeout(() => response.end(`done ${effect.n}`), delayMs)
    })
  })
  return { ...(await listen(server)), effects }
}
