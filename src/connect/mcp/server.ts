import { loadPart } from '../../client/api/load-part.ts'
import { notifyAll } from '../../client/runs/snapshot-store.ts'
import type { CompositeTool, Tool } from '../../client/tools/tool.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { Catalogue } from './catalogue.ts'
import { type McpConnection, createSignalFactory } from './connection.ts'
import type { McpPrompts, McpResources, Offers } from './offers.ts'
import type { DefinitionChange, McpOptions, McpToolOptions } from './options.ts'
import type { resourceTools as makeTools } from './resource-tools.ts'
import { monotonicMs } from '../../lib/monotonic-ms.ts'

/** A connected MCP server. Its name, title, version and instructions are unverified. */
export interface McpServer {
  /** Name that the server gives itself. */
  readonly name: string
  readonly title?: string
  readonly version?: string
  /** The server's origin, or the name that the app gave it. People see it as the source of the tools. */
  readonly source: string
  /** Revision of MCP in use. */
  readonly protocolVersion: string
  /** Text that the server provides for the model. Offstage doesn't send it: read it before you send it. */
  readonly instructions?: string
  /**
   * The server's tools. The array stays the same while nothing changes. Register the tools with `useMcp`, or yourself.
   */
  readonly tools: readonly (Tool | CompositeTool)[]
  /** Tools whose definition has changed since they were first seen. Withheld until accepted. */
  readonly changes: readonly DefinitionChange[]
  readonly resources: McpResources
  readonly prompts: McpPrompts
  /**
   * Accepts a changed definition. `name`: the tool's name on the server. Resolves to false if the tool has no changed
   * definition.
   */
  accept(name: string): Promise<boolean>
  /** Lists the tools again. Called automatically if the server reports changes. */
  refresh(): Promise<void>
  /**
   * Calls the listener after a change of `tools`, `changes`, resources or prompts. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: () => void): () => void
  /** Ends the session and all open requests. Idempotent. */
  close(): Promise<void>
}

type ServeOptions = McpToolOptions & Pick<McpOptions, 'elicitation'>

/**
 * Makes a server of a connection and lists its tools. `address`: key under which definitions are pinned. `connecting`:
 * limits the time for listing, which a person's log-in may extend.
 */
export async function createMcpServer(
  connection: McpConnection,
  options: ServeOptions,
  { address, connecting }: { readonly address: string; readonly connecting?: AbortSignal },
): Promise<McpServer> {
  const part =
    options.resourceTools === true ? await loadPart(() => import('./resource-tools.ts')) : null
  const server = new ConnectedServer(connection, options, {
    address,
    makeResourceTools: part?.resourceTools,
  })
  await server.refresh(connecting)
  server.listen()
  return server
}

interface ConnectedServerOptions {
  readonly address: string
  readonly makeResourceTools: typeof makeTools | undefined
}

class ConnectedServer implements McpServer {
  readonly name: string
  readonly title?: string
  readonly version?: string
  readonly instructions?: string
  readonly source: string
  readonly protocolVersion: string
  readonly resources: McpResources
  readonly prompts: McpPrompts
  readonly #connection: McpConnection
  readonly #options: ServeOptions
  readonly #catalogue: Catalogue
  readonly #resourceTools: readonly Tool[]
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  #catalogueTools: Catalogue['tools'] | undefined
  #tools: McpServer['tools'] = []

  constructor(
    connection: McpConnection,
    options: ServeOptions,
    { address, makeResourceTools }: ConnectedServerOptions,
  ) {
    const { name, title, version, instructions, protocolVersion } = connection.info
    const { signal } = this.#closing
    this.name = name
    if (title !== undefined) this.title = title
    if (version !== undefined) this.version = version
    if (instructions !== undefined) this.instructions = instructions
    this.source = connection.source
    this.protocolVersion = protocolVersion
    this.#connection = connection
    this.#options = options
    const onChange = (): void => this.#notify()
    const newSignal = createSignalFactory(options.timeoutMs, signal)
    this.#catalogue = new Catalogue({ line: connection, address, options, newSignal, onChange })
    const loadOffers = (): Promise<Offers> =>
      loadPart(() => import('./offers.ts')).then(({ offersOf }) => offersOf(connection, newSignal))
    this.resources = {
      list: async (callOptions) => (await loadOffers()).resources.list(callOptions),
      templates: async (callOptions) => (await loadOffers()).resources.templates(callOptions),
      read: async (uri, callOptions) => (await loadOffers()).resources.read(uri, callOptions),
    }
    this.prompts = {
      list: async (callOptions) => (await loadOffers()).prompts.list(callOptions),
      get: async (prompt, values, callOptions) =>
        (await loadOffers()).prompts.get(prompt, values, callOptions),
    }
    this.#resourceTools = makeResourceTools?.(connection, this.resources, options) ?? []
  }

  get tools(): McpServer['tools'] {
    const { tools } = this.#catalogue
    if (this.#catalogueTools !== tools) this.#tools = [...tools, ...this.#resourceTools]
    this.#catalogueTools = tools
    return this.#tools
  }

  get changes(): readonly DefinitionChange[] {
    return this.#catalogue.changes
  }

  accept(name: string): Promise<boolean> {
    return this.#catalogue.accept(name)
  }

  refresh(signal?: AbortSignal): Promise<void> {
    return this.#catalogue.refresh(signal)
  }

  listen(): void {
    const { source } = this
    const { signal } = this.#closing
    const relist = throttle(() => {
      this.refresh().catch((thrown: unknown) =>
        this.#report(
          'list-failed',
          `The tools of ${source} can't be listed: ${describeThrown(thrown)}`,
        ),
      )
    }, signal)
    const notify = throttle(() => this.#notify(), signal)
    this.#connection.listen({
      changed: (list) => (list === 'tools' ? relist() : notify()),
      lost: (reason) =>
        this.#report('stream-lost', `${source} stopped reporting changes: ${reason}`),
    })
  }

  subscribe(listener: () => void): () => void {
    const wrapped = (): void => listener()
    this.#listeners.add(wrapped)
    return () => void this.#listeners.delete(wrapped)
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    const message = `The connection to ${this.source} was closed.`
    this.#closing.abort(new OffstageError('disposed', message))
    this.#listeners.clear()
    await this.#connection.close()
  }

  #notify(): void {
    notifyAll(this.#listeners)
  }

  #report(type: 'list-failed' | 'stream-lost', message: string): void {
    if (!this.#closing.signal.aborted) this.#options.onDiagnostic?.({ type, message })
  }
}

/** Shortest and longest gap between calls of `run`. It grows while requests keep coming. Milliseconds. */
const SHORTEST = 1000
const LONGEST = 60_000

/**
 * Calls `run` at once, then throttles it with a gap that grows while requests keep coming: a server may send
 * thousands of notifications a second. Does nothing after the signal aborts.
 */
function throttle(run: () => void, signal: AbortSignal): () => void {
  let gap = SHORTEST
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  const runNow = (): void => {
    last = monotonicMs()
    run()
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  return () => {
    if (timer !== undefined || signal.aborted) return
    const elapsed = monotonicMs() - last
    if (elapsed >= 4 * gap) gap = SHORTEST
    if (elapsed >= gap) return runNow()
    timer = setTimeout(() => {
      timer = undefined
      gap = Math.min(2 * gap, LONGEST)
      runNow()
    }, gap - elapsed)
  }
}
