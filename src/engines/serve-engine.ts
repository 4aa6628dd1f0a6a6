import type { EngineDefinition } from './engine-definition.ts'
import { holdLifeLock } from '../lib/life-lock.ts'
import { type EngineCommand, type EngineReply, servePort } from './serve-port.ts'

/** The parts of a worker's global scope that an engine needs. */
export interface EngineScope {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

/**
 * Turns the current worker into an engine, to which the page connects with `workerEngine`. Call it once, at the top of
 * the worker's own file. If `define` is a function, it gets the page's `options` when the engine is first opened.
 * Nothing is loaded before.
 */
export function serveEngine<Options = undefined>(
  define: EngineDefinition | ((options: Options) => EngineDefinition),
  scope: EngineScope = globalThis as unknown as EngineScope,
): void {
  const closers = new Map<string, () => void>()
  let definition: EngineDefinition | undefined
  let lock: Promise<boolean> | undefined
  const reply = (message: EngineReply): void => scope.postMessage(message)

  function close(client: string): void {
    closers.get(client)?.()
    closers.delete(client)
  }

  async function open(command: Extract<EngineCommand, { opening: number }>): Promise<void> {
    const { client, instance, opening, options, port } = command
    definition ??= typeof define === 'function' ? define(options as Options) : define
    close(client)
    closers.set(client, servePort(definition, port))
    lock ??= holdLifeLock(instance)
    reply({ type: 'offstage-engine-ready', opening, holdsLock: await lock })
  }

  async function dispose(): Promise<void> {
    for (const client of closers.keys()) close(client)
    try {
      await definition?.dispose?.()
    } finally {
      reply({ type: 'offstage-engine-disposed' })
    }
  }

  scope.addEventListener('message', ({ data }: MessageEvent<EngineCommand | null>) => {
    switch (data?.type) {
      case 'offstage-engine-open':
        return void open(data)
      case 'offstage-engine-release':
        return close(data.client)
      case 'offstage-engine-dispose':
        return void dispose()
      default:
      // The message isn't meant for the engine.
    }
  })
}
