import { OffstageError } from '../../protocol/error.ts'
import { cleanName } from './clean-name.ts'
import { badConfig } from '../api/failures.ts'
import { checkNames } from '../api/check-names.ts'
import type { PreparedTool } from './prepare-tool.ts'
import { prepareTool } from './prepare-tool.ts'
import type { CompositeTool, Tool } from './tool.ts'

/** Options of `agent.registerTool`. */
export interface RegisterOptions {
  /** Unregisters the tool when aborted. */
  readonly signal?: AbortSignal
  /** Replaces a tool with the same name instead of throwing `duplicate-tool`. Default false. */
  readonly replace?: boolean
}

/**
 * A tool, or a function that returns the current tool. The function is called at each use, so that the newest `execute`
 * runs.
 */
export type ToolSource = Tool | CompositeTool | (() => Tool | CompositeTool)

export interface RegistryObserver {
  /** Names of built-in tools. No tool of the page can have these names. */
  readonly reserved: readonly string[]
  onChange(): void
  /** Called when a tool was removed. Its running calls end. */
  onRemove(tool: PreparedTool): void
}

/** The page's current tools. */
export interface ToolRegistry {
  register(tool: ToolSource, options?: RegisterOptions): () => void
  /** Adds a built-in tool. */
  provide(entry: PreparedTool): void
  /** Finds a tool by its own name, or by the model's. */
  get(name: string): PreparedTool | undefined
  /** Limits the model to these tools. Null: all. */
  setEnabledTools(names: readonly string[] | null): void
  /** Names that `setEnabledTools` was given. */
  readonly enabledNames: readonly string[] | null
  all(): PreparedTool[]
  clear(): void
}

export function createToolRegistry(observer: RegistryObserver): ToolRegistry {
  const tools = new Map<string, PreparedTool>()
  let enabled: readonly string[] | null = null

  const remove = (entry: PreparedTool): void => {
    if (tools.get(entry.modelName) !== entry) return
    tools.delete(entry.modelName)
    observer.onRemove(entry)
    observer.onChange()
    // Async, so that an error in `dispose` becomes an unhandled rejection and doesn't stop this function.
    void (async () => entry.tool.dispose?.())()
  }

  return {
    register(tool, options = {}) {
      checkNames(options, 'registerTool')
      const { signal, replace } = options
      // A new entry for each registration, so that unregistering removes only this one.
      const readTool = typeof tool === 'function' ? tool : () => tool
      const entry = {
        ...prepareTool(readTool()),
        get tool() {
          return readTool()
        },
      }
      if (observer.reserved.includes(entry.modelName))
        throw badConfig(`The tool ${entry.name} is named like a control tool.`)
      if (signal?.aborted) return () => {}
      const existing = tools.get(entry.modelName)
      if (existing && !replace) throw duplicate(existing, entry)
      if (existing) remove(existing)
      tools.set(entry.modelName, entry)
      observer.onChange()
      const unregister = (): void => remove(entry)
      signal?.addEventListener('abort', unregister, { once: true })
      return unregister
    },
    provide: (entry) => void tools.set(entry.modelName, entry),
    get: (name) => tools.get(cleanName(name)),
    all: () => [...tools.values()],
    get enabledNames() {
      return enabled
    },
    setEnabledTools(names) {
      enabled = names
      observer.onChange()
    },
    clear() {
      for (const entry of tools.values()) remove(entry)
    },
  }
}

function duplicate(existing: PreparedTool, added: PreparedTool): OffstageError {
  const [first, second] = [existing.name, added.name]
  return new OffstageError(
    'duplicate-tool',
    first === second
      ? `A tool named ${first} is registered already. Rename one; registerTool() can also replace it.`
      : `The tools ${first} and ${second} both become ${added.modelName}. Rename one.`,
  )
}
