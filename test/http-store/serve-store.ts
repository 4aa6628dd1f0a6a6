import { createServer } from 'node:http'
import {
  createStoreHandler,
  type SqlDatabase,
  type StoreHandler,
  type StoreHandlerOptions,
} from '../../src/http-store/server/index.ts'
import { listen } from '../browser/support/listen.ts'
import { nodeListener } from './node-listener.ts'

export interface StoreServer {
  /** The address of the store. */
  readonly url: string
  close(): Promise<void>
}

/** The tenant that a request names, as a host's session would: nobody without one. */
export function tenantOf(request: Request): { tenant: string } | Response {
  const tenant = request.headers.get('x-tenant')
  return tenant === null ? new Response('Log in.', { status: 401 }) : { tenant }
}

/** Adds the headers that let pages of other origins use the store, as a host would. */
async function withOrigins(request: Request, handler: StoreHandler): Promise<Response> {
  const allowed = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'content-type, last-event-id, x-tenant',
  }
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: allowed })
  const response = await handler(request)
  for (const [name, value] of Object.entries(allowed)) response.headers.set(name, value)
  return response
}

/** A store over real HTTP. */
export async function serveStore(
  database: SqlDatabase,
  options: Partial<StoreHandlerOptions> = {},
): Promise<StoreServer> {
  const handler = createStoreHandler({ database, authorize: tenantOf, pollMs: 100, ...options })
  const listener = nodeListener((request) => withOrigins(request, handler))
  const server = createServer((request, response) => void listener(request, response))
  const { url, close } = await listen(server)
  return { url: `${url}/history`, close }
}
