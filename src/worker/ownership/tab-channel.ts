import { isNumber, isText, shape } from '../../lib/shape.ts'

/** The part of `BroadcastChannel` that a channel uses. */
export interface TabPort {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void
  close(): void
}

/** Opens a port. Undefined without `BroadcastChannel`. */
export type OpenTabPort = (name: string) => TabPort | undefined

export const openTabPort: OpenTabPort = (name) => {
  try {
    return typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(name)
  } catch {
    // Some browsers throw where they refuse storage.
    return undefined
  }
}

/** Check for each type of message: whether its body has the shape that handlers rely on. */
export type TabShapes<M extends object> = { readonly [T in keyof M]: (body: unknown) => boolean }

/**
 * Messages between the tabs (more precisely: the workers) that use one store. Delivery is best effort:
 * a message can be lost, late, repeated or out of order, and never comes back to its sender.
 */
export interface TabChannel<M extends object> {
  /** Random id, sent as `from` with each message posted here. */
  readonly tabId: string
  /** False where the browser has no `BroadcastChannel`: nothing is sent or received. */
  readonly isOpen: boolean
  post<T extends keyof M & string>(type: T, body: M[T]): void
  /** Returns a function that removes the handler. */
  on<T extends keyof M & string>(type: T, handler: TabHandler<M[T]>): () => void
  close(): void
}

export type TabHandler<B> = (body: B, from: string) => unknown

export interface TabChannelOptions<M extends object> {
  /** Identifies the store. */
  readonly scope: string
  readonly tabId: string
  readonly openPort: OpenTabPort
  readonly shapes: TabShapes<M>
}

/** Increased when a message's envelope or the meaning of a message type changes. */
export const TAB_FORMAT = 1

interface Envelope {
  /** Format number. Messages without it aren't from this package. */
  readonly offstage: number
  readonly from: string
  readonly type: string
  readonly body: unknown
}

const isEnvelope = shape({ offstage: isNumber, from: isText, type: isText })

export function createTabChannel<M extends object>(options: TabChannelOptions<M>): TabChannel<M> {
  const { scope, tabId, openPort, shapes } = options
  const handlers = new Map<string, Set<TabHandler<never>>>()
  let port = openPort(`offstage:${scope}`)

  // Checks each message: any script of the origin can post anything.
  const receive = (data: unknown): void => {
    if (!isEnvelope(data)) return
    const { offstage: format, type, body, from } = data as unknown as Envelope
    // Ignores other versions of the package, whose messages may differ.
    if (format !== TAB_FORMAT) return
    if (!Object.hasOwn(shapes, type) || !shapes[type as keyof M](body)) return
    for (const handler of handlers.get(type) ?? []) handler(body as never, from)
  }
  port?.addEventListener('message', ({ data }) => receive(data))

  return {
    tabId,
    get isOpen() {
      return port !== undefined
    },
    post: (type, body) => {
      const envelope: Envelope = { offstage: TAB_FORMAT, from: tabId, type, body }
      port?.postMessage(envelope)
    },
    on: (type, handler) => {
      const listeners = handlers.get(type) ?? new Set()
      handlers.set(type, listeners.add(handler))
      return () => void listeners.delete(handler)
    },
    close: () => {
      port?.close()
      port = undefined
    },
  }
}
