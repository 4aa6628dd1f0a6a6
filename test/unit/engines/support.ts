import { onTestFinished } from 'vitest'
import type { EngineDefinition } from '../../../src/engines/engine-definition.ts'
import { EngineConnection, type ConnectionOptions } from '../../../src/engines/engine-connection.ts'
import { serveEngine } from '../../../src/engines/serve-engine.ts'
import { servePort } from '../../../src/engines/serve-port.ts'
import type { EngineWorker } from '../../../src/engines/worker-engine.ts'
import type { EngineLine } from '../../../src/protocol/engine.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'

export const config = { provider: 'mine', model: 'tiny' }

export function ask(text: string): ModelRequest {
  return { messages: [{ role: 'user', parts: [{ type: 'text', text }] }], tools: [] }
}

export const say = (delta: string): StreamPart[] => [{ type: 'text-delta', delta }]
export const finish: StreamPart[] = [{ type: 'finish', finishReason: 'stop' }]

/** An engine that says these words, one a batch. */
export function saying(...words: string[]): EngineDefinition {
  return {
    id: 'mine',
    async *stream() {
      for (const word of words) yield say(word)
      yield finish
    },
  }
}

/** An engine whose `stream` is given. */
export function streaming(stream: EngineDefinition['stream']): EngineDefinition {
  return { id: 'mine', stream }
}

/** Both ends of a line, in this process. */
export function connect(
  definition: EngineDefinition,
  options: Partial<ConnectionOptions> & { readonly watch?: EngineLine['watch'] } = {},
): { readonly connection: EngineConnection; readonly closeEngine: () => void } {
  const { port1, port2 } = new MessageChannel()
  const closeEngine = servePort(definition, port1)
  const { watch = 'none', ...rest } = options
  const connection = new EngineConnection(
    { port: port2, instance: 'first', watch },
    { onProgress: () => undefined, onLost: () => undefined, ...rest },
  )
  onTestFinished(() => {
    connection.close({ code: 'disposed', message: 'The test is over.', retryable: false })
    closeEngine()
  })
  return { connection, closeEngine }
}

export async function all(parts: AsyncIterable<readonly StreamPart[]>): Promise<StreamPart[]> {
  const read: StreamPart[] = []
  for await (const batch of parts) read.push(...batch)
  return read
}

export function text(parts: readonly StreamPart[]): string {
  return parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
}

/** Lets messages of both directions arrive. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 2))
}

export interface TestWorker extends EngineWorker {
  readonly terminated: boolean
  /** Types of the messages that reached the page. */
  readonly heard: readonly string[]
}

/** A worker of an engine, in this process: its global scope is the other end of a channel. */
export function engineWorker(
  define: EngineDefinition | ((options: never) => EngineDefinition),
): TestWorker {
  const { port1, port2 } = new MessageChannel()
  const heard: string[] = []
  let terminated = false
  port1.addEventListener('message', ({ data }) => heard.push((data as { type: string }).type))
  serveEngine(define, {
    postMessage: (message) => port2.postMessage(message),
    addEventListener: (type, listener) => port2.addEventListener(type, listener),
  })
  port1.start()
  port2.start()
  const end = (): void => {
    terminated = true
    port1.close()
    port2.close()
  }
  onTestFinished(end)
  return {
    postMessage: (message, transfer) => port1.postMessage(message, transfer),
    addEventListener: (type, listener) => port1.addEventListener(type, listener),
    removeEventListener: (type, listener) => port1.removeEventListener(type, listener),
    terminate: end,
    heard,
    get terminated() {
      return terminated
    },
  }
}
