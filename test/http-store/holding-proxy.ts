import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy between a client and PostgreSQL that can hold back a reply until the server ends the connection. */
export interface HoldingProxy {
  readonly port: number
  /**
   * Holds back the nth reply from now on and calls `onHeld`. When the server ends that connection, the client gets the
   * reply and all that followed in one packet, so `pg` reads the end before anybody got the reply.
   */
  hold(nth: number, onHeld: () => void): void
  /** True once, if a reply was held. */
  wasHeld(): boolean
  close(): Promise<void>
}

export async function startHoldingProxy(serverPort: number): Promise<HoldingProxy> {
  let left = 0
  let held = false
  let onHeld = (): void => undefined
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    const upstream = connect(serverPort, '127.0.0.1')
    const kept: Buffer[] = []
    client.pipe(upstream, { end: false })
    upstream.on('data', (chunk: Buffer) => {
      // A whole reply ends with ReadyForQuery: `Z`, a length of 5, and the state.
      const isReply = chunk.at(-6) === 'Z'.charCodeAt(0)
      if (isReply && left > 0 && --left === 0) {
        held = true
        kept.push(chunk)
        return onHeld()
      }
      if (kept.length > 0) kept.push(chunk)
      else client.write(chunk)
    })
    upstream.on('close', () => client.end(Buffer.concat(kept)))
    client.on('close', () => {
      clients.delete(client)
      upstream.destroy()
    })
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hold: (nth, then) => {
      left = nth
      onHeld = then
    },
    wasHeld: () => {
      left = 0
      const was = held
      held = false
      return was
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const client of clients) client.destroy()
      }),
  }
}
