import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

/**
 * Damage to the response of one request. `after` counts bytes as sent. `reset` and `end` close the connection after
 * that many bytes, as a crash or in order. `hang` stops sending. `split` and `trickle` deliver everything, in small
 * pieces. `refuse` closes the connection before the server gets the request.
 */
export type Fault =
  | { readonly type: 'reset' | 'end' | 'hang'; readonly after: number }
  | { readonly type: 'split'; readonly bytes: number }
  | { readonly type: 'refuse' }
  | { readonly type: 'none' }

/** A TCP proxy before a server, for faults that an HTTP server can't show. */
export interface FaultProxy {
  readonly url: string
  /** Faults for the next POST requests, one each; those beyond them pass. Preflights always do. */
  enqueue(...faults: readonly Fault[]): void
  /** The last POST's answer as the server sent it: head and chunked body. */
  readonly lastAnswer: Buffer
  /** Takes back what was not used, and says how many faults that were. */
  forget(): number
  /** Breaks every connection, and each new one, until it is mended. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

/** Lets what was written reach the client before the connection breaks. */
const LINGER_MS = 30

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const faults: Fault[] = []
  const sockets = new Set<Socket>()
  let lastAnswer: Buffer = Buffer.alloc(0)
  let isCut = false

  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (isCut) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true })
    client.setNoDelay(true)
    let fault: Fault = { type: 'none' }
    let answer: Buffer = Buffer.alloc(0)
    let isPost = false
    let sending = Promise.resolve()
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.on('close', () => {
      upstream.destroy()
      sockets.delete(client)
      sockets.delete(upstream)
    })
    client.on('data', (bytes) => {
      const head = bytes.subarray(0, 8).toString('latin1')
      if (/^(POST|OPTIONS|GET) /.test(head)) {
        isPost = head.startsWith('POST')
        answer = Buffer.alloc(0)
        fault = (isPost && faults.shift()) || { type: 'none' }
      }
      if (fault.type === 'refuse') client.resetAndDestroy()
      else upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      const before = answer.length
      if (isPost) lastAnswer = answer = Buffer.concat([answer, bytes])
      const now = fault
      sending = sending.then(() => deliver(client, bytes, { fault: now, before }))
    })
    upstream.on('end', () => void sending.then(() => client.end()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    enqueue: (...more) => void faults.push(...more),
    get lastAnswer() {
      return lastAnswer
    },
    forget: () => faults.splice(0).length,
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend: () => {
      isCut = false
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Hands the server's bytes on, as the fault wants it. `before`: bytes of the answer until then. */
async function deliver(
  client: Socket,
  bytes: Buffer,
  { fault, before }: { readonly fault: Fault; readonly before: number },
): Promise<void> {
  if (client.destroyed) return
  switch (fault.type) {
    case 'none':
    case 'refuse':
      client.write(bytes)
      return
    case 'split':
      for (let at = 0; at < bytes.length && !client.destroyed; at += fault.bytes) {
        client.write(bytes.subarray(at, at + fault.bytes))
        await wait(1)
      }
      return
    case 'reset':
    case 'end':
    case 'hang': {
      const room = fault.after - before
      if (room > 0) client.write(bytes.subarray(0, room))
      if (room > bytes.length || fault.type === 'hang') return
      await wait(LINGER_MS)
      if (fault.type === 'reset') client.resetAndDestroy()
      else client.end()
      return
    }
    default:
      fault satisfies never
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
