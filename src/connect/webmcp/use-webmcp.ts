import { badConfig, reportThrown } from '../../client/api/failures.ts'
import type { Tool } from '../../client/tools/tool.ts'
import {
  listTools,
  bookOf,
  statusOf,
  type Entry,
  type ToolBook,
  type WebMcpTool,
} from './tool-book.ts'
import { makeTool } from './make-tool.ts'
import { canConsume, type Consumable, pageContext } from './model-context.ts'
import {
  type CheckedOptions,
  checkWebMcpOptions,
  isIncluded,
  type WebMcpOptions,
} from './options.ts'
import type { Agent } from '../../client/api/agent.ts'
import { canonicalJson } from '../../lib/json/canonical-json.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { PageTool } from './page-tool.ts'

/**
 * Keeps an agent's tools in sync with the tools that the page has registered with WebMCP, until `dispose()`. If the
 * browser has no WebMCP, adds none. Throws `invalid-config`.
 */
export function useWebMcp(agent: Registers, options: WebMcpOptions = {}): WebMcpLink {
  const checked = checkWebMcpOptions(options)
  const context = contextOf(checked)
  return context
    ? new ToolLink(agent, context, checked)
    : {
        ready: Promise.resolve(),
        tools: [],
        accept: () => false,
        refresh: () => Promise.resolve(),
        dispose: () => {},
      }
}

/**
 * Returns the tools that the page has registered with WebMCP now, for `createAgent({ tools })`. If a tool changes
 * afterwards, its calls fail without running. A tool that has already changed is omitted unless `onDefinitionChange`
 * returns true. Empty if the browser has no WebMCP. Rejects with `invalid-config`.
 */
export async function webMcpTools(options: WebMcpOptions = {}): Promise<Tool[]> {
  const checked = checkWebMcpOptions(options)
  const context = contextOf(checked)
  if (!context) return []
  const book = bookOf(context, checked)
  book.update(await listTools(context), (tool) => isIncluded(tool, checked))
  for (const entry of book.entries) {
    const { name, pinned: before, changed: after } = entry
    if (before && after && (await checked.onDefinitionChange?.({ name, before, after })) === true)
      book.accept(entry)
  }
  return book.entries.flatMap((entry) => {
    const { name, window, pinned: tool } = entry
    const isOffered = tool && statusOf(entry) === 'offered'
    return isOffered ? makeTool({ name, window, tool, context, options: checked }) : []
  })
}

function contextOf({ context }: CheckedOptions): Consumable | undefined {
  const candidate = context ?? pageContext()
  if (canConsume(candidate)) return candidate
  if (context) throw badConfig('context of WebMCP needs getTools() and executeTool().')
  return undefined
}

export type Registers = Pick<Agent, 'registerTool'>

/** An agent's connection to the tools that the page registers with the browser. */
export interface WebMcpLink {
  /** Resolves when the tools that the page has now are registered. Never rejects. */
  readonly ready: Promise<void>
  /** Current state of every tool, in the order of first appearance. */
  readonly tools: readonly WebMcpTool[]
  /** Accepts the changed definition of a tool. Returns false if the tool has none. */
  accept(name: string): boolean
  /** Reads the page's tools again. Changes are also noticed without it. */
  refresh(): Promise<void>
  /** Removes all of the page's tools from the agent and stops watching. */
  dispose(): void
}

/** Registers a page's tools with an agent, and updates them when they change. */
class ToolLink implements WebMcpLink {
  readonly ready: Promise<void>
  readonly #agent: Registers
  readonly #context: Consumable
  readonly #options: CheckedOptions
  readonly #book: ToolBook
  readonly #offers = new Map<Entry, Offer>()
  /** Newest definition that was reported to `onDefinitionChange`, by entry. */
  readonly #reported = new Map<Entry, string>()
  readonly #watch: ToolWatch

  constructor(agent: Registers, context: Consumable, options: CheckedOptions) {
    this.#agent = agent
    this.#context = context
    this.#options = options
    this.#book = bookOf(context, options)
    this.#watch = watchTools(context, () => this.#readTools())
    this.ready = this.#watch.read()
  }

  get tools(): readonly WebMcpTool[] {
    return this.#book.list()
  }

  refresh(): Promise<void> {
    return this.#watch.read()
  }

  accept(name: string): boolean {
    const entry = this.#book.entries.find((each) => each.name === name)
    if (!entry || !this.#book.accept(entry)) return false
    this.#syncTools()
    return true
  }

  dispose(): void {
    this.#watch.stop()
    for (const { undo } of this.#offers.values()) undo()
    this.#offers.clear()
  }

  async #readTools(): Promise<void> {
    const listed = await listTools(this.#context)
    this.#book.update(listed, (tool) => isIncluded(tool, this.#options))
    for (const entry of this.#book.entries) {
      const { pinned, changed } = entry
      if (!pinned || !changed) continue
      if (this.#options.trusted) this.accept(entry.name)
      else this.#reportChange(entry, pinned, changed)
    }
    this.#syncTools()
  }

  /** Reports each changed definition of a tool to the app once. */
  #reportChange(entry: Entry, before: PageTool, after: PageTool): void {
    const { name } = entry
    const text = canonicalJson(after)
    if (this.#reported.get(entry) === text) return
    this.#reported.set(entry, text)
    const { onDefinitionChange } = this.#options
    if (!onDefinitionChange) {
      console.warn(
        `offstage: the page changed its tool ${name}, which is not offered until accept('${name}') is called, or onDefinitionChange returns true.`,
      )
      return
    }
    const decide = async (): Promise<void> => {
      const decision = await onDefinitionChange({ name, before, after })
      if (decision === true && canonicalJson(entry.changed ?? null) === text) this.accept(name)
    }
    decide().catch(reportThrown)
  }

  /** Registers and removes tools until the agent has exactly the accepted ones. */
  readonly #syncTools = (): void => {
    if (this.#watch.isStopped) return
    for (const entry of this.#book.entries) {
      const definition = statusOf(entry) === 'offered' ? entry.pinned : undefined
      const offer = this.#offers.get(entry)
      if (offer) {
        offer.isWanted = offer.tool === definition
        if (offer.isWanted || offer.isBusy) continue
        offer.undo()
        this.#offers.delete(entry)
      }
      if (definition) this.#offer(entry, definition)
    }
  }

  #offer(entry: Entry, tool: PageTool): void {
    const { name, window } = entry
    const [context, options] = [this.#context, this.#options]
    const offer = new Offer(tool, this.#syncTools)
    const { wrap, available } = offer
    try {
      offer.undo = this.#agent.registerTool(
        makeTool({ name, window, tool, context, options, wrap, available }),
      )
      this.#offers.set(entry, offer)
    } catch (thrown) {
      // The schema is invalid, or the app has a tool of this name.
      entry.problem = describeThrown(thrown)
    }
  }
}

/** A tool of the page that is registered with the agent. */
class Offer {
  readonly tool: PageTool
  /** False once the page has removed or changed the tool. */
  isWanted = true
  /** Removes the tool from the agent. */
  undo: () => void = () => {}
  readonly #onIdle: () => void
  #callCount = 0

  constructor(tool: PageTool, onIdle: () => void) {
    this.tool = tool
    this.#onIdle = onIdle
  }

  /**
   * Whether a call is running. Removing the tool would stop the call, and many calls make the page change or remove
   * their tool.
   */
  get isBusy(): boolean {
    return this.#callCount > 0
  }

  readonly available = (): boolean => this.isWanted

  readonly wrap = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    this.#callCount += 1
    try {
      return await call()
    } finally {
      this.#callCount -= 1
      // Uses a timeout, so that the agent gets the result first.
      if (!this.isBusy) setTimeout(this.#onIdle)
    }
  }
}

/** Polling interval in browsers that don't fire `toolchange`. Milliseconds. */
const POLL_MS = 2000
/**
 * Polling interval in browsers that fire `toolchange`, because Chromium 156 doesn't fire it when a frame is removed.
 * Milliseconds.
 */
const SLOW_POLL_MS = 10_000

interface ToolWatch {
  readonly isStopped: boolean
  /** Reads the tools. While a read is running, at most one more waits. Never rejects. */
  read(): Promise<void>
  stop(): void
}

/** Calls `readTools` whenever the page's tools may have changed. */
function watchTools(context: Consumable, readTools: () => Promise<void>): ToolWatch {
  const controller = new AbortController()
  const { signal } = controller
  let running: Promise<void> | undefined
  let queued: Promise<void> | undefined

  const readOnce = (): Promise<void> =>
    readTools()
      .catch(reportThrown)
      .finally(() => (running = undefined))
  const read = (): Promise<void> => {
    if (signal.aborted) return Promise.resolve()
    if (!running) return (running = readOnce())
    queued ??= running.then(() => {
      queued = undefined
      return signal.aborted ? undefined : (running = readOnce())
    })
    return queued
  }

  const onChange = (): void => void read()
  const hasEvent = 'ontoolchange' in context && context.addEventListener !== undefined
  if (hasEvent) context.addEventListener?.('toolchange', onChange, { signal })
  const timer: number | { unref?(): void } = setInterval(
    onChange,
    hasEvent ? SLOW_POLL_MS : POLL_MS,
  )
  // The timer must not keep a Node process alive.
  if (typeof timer === 'object') timer.unref?.()
  signal.addEventListener('abort', () => clearInterval(timer as number))
  return {
    get isStopped() {
      return signal.aborted
    },
    read,
    stop: () => controller.abort(),
  }
}
