import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { isRecord } from '../../lib/shape.ts'
import type { FromMcpClientOptions, McpClientLike } from './options.ts'
import { badAnswer } from './failures.ts'
import {
  type CallOptions,
  type McpConnection,
  readServerInfo,
  type RequestOptions,
  type Round,
  type ServerInfo,
  type ToolRequest,
} from './connection.ts'
import { type McpServer, createMcpServer } from './server.ts'
import type { Fields } from './wire.ts'

/** The client's method for each MCP method. */
const METHODS = {
  'tools/list': 'listTools',
  'resources/list': 'listResources',
  'resources/templates/list': 'listResourceTemplates',
  'resources/read': 'readResource',
  'prompts/list': 'listPrompts',
  'prompts/get': 'getPrompt',
} as const

export function serveClient(
  client: McpClientLike,
  { source, ...options }: FromMcpClientOptions,
): Promise<McpServer> {
  return createMcpServer(new ClientConnection(client, source), options, { address: source })
}

class ClientConnection implements McpConnection {
  readonly source: string
  readonly info: ServerInfo
  readonly #client: McpClientLike

  constructor(client: McpClientLike, source: string) {
    this.source = source
    this.#client = client
    this.info = readServerInfo(client.getServerVersion(), {
      protocolVersion: 'of the client',
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions?.(),
    })
  }

  async request(method: string, params: Fields, { signal }: RequestOptions): Promise<Fields> {
    const name = METHODS[method as keyof typeof METHODS]
    return this.#callClient(() => this.#client[name]?.(params as never, { signal } as never))
  }

  async call({ name, input }: ToolRequest, { signal, progress }: CallOptions): Promise<Round> {
    const options = { signal, onprogress: progress, timeout: MAX_TIMEOUT } as never
    const params = { name, arguments: input } as never
    // Version 1 of the SDK takes a result schema as its second argument.
    const isVersion1 = this.#client.callTool.length < 2
    const result = await this.#callClient(
      () =>
        isVersion1
          ? this.#client.callTool(params, undefined as never, options)
          : this.#client.callTool(params, options),
      true,
    )
    return { type: 'done', result }
  }

  listen(): void {}

  async close(): Promise<void> {
    await this.#client.close()
  }

  async #callClient(send: () => Promise<unknown> | undefined, isCall = false): Promise<Fields> {
    let result: unknown
    try {
      result = await send()
    } catch (thrown) {
      const reason = describeThrown(thrown)
      const message =
        isCall && (!isRefusal(thrown) || /output schema|structured content/i.test(reason))
          ? `The call to ${this.source} failed: ${reason} It may or may not have taken effect.`
          : `${this.source} refused: ${reason}`
      throw new OffstageError('mcp-error', message, { cause: thrown })
    }
    if (!isRecord(result)) throw badAnswer(this.source, 'answered without a result.')
    return result
  }
}

/** Error codes of version 1 for a lost connection and a timeout. */
const CLIENT_ERROR_CODES: readonly number[] = [-32_000, -32_001]

/**
 * Whether the server refused the call: its error codes are negative. Errors of the client itself have HTTP statuses,
 * words, or codes for lost connections and timeouts.
 */
function isRefusal(thrown: unknown): boolean {
  const code = isRecord(thrown) ? thrown.code : undefined
  return typeof code === 'number' && code < 0 && !CLIENT_ERROR_CODES.includes(code)
}

/** Maximum timer delay, in milliseconds. The tool's own time limit ends a call. */
const MAX_TIMEOUT = 2 ** 31 - 1
