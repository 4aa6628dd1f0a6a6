import { OffstageError } from '../protocol/error.ts'
import type { ToolDescriptor } from '../protocol/tool.ts'
import type { ApprovalPolicy } from './options.ts'
import type { PreparedTool } from './prepare-tool.ts'
import { prepareTool } from './prepare-tool.ts'
import type { Tool } from './tool.ts'

export interface RegisterOptions {
  /** Unregisters the tool when aborted. */
  readonly signal?: AbortSignal
  /** Take the place of a tool with the same name instead of throwing. */
  readonly replace?: boolean
}

export interface RegistryObserver {
  onChange(): void
  /** A tool is gone; its running calls end. */
  onRemove(tool: PreparedTool): void
}

/** The page's tools, live. Keyed by clean name in a `Map`, so `__proto__` is a name like others. */
export interface ToolRegistry {
  register(tool: Tool, options?: RegisterOptions): () => void
  /** By the name that the model knows. */
  get(name: string): PreparedTool | undefined
  /** Null: all. */
  enable(names: readonly string[] | null): void
  /** Enabled and available ones. Throws `no-tools-available` when some are wanted and none is there. */
  descriptors(): ToolDescriptor[]
  clear(): void
}

export function createToolRegistry(
  policy: ApprovalPolicy,
  observer: RegistryObserver,
): ToolRegistry {
  const tools = new Map<string, PreparedTool>()
  let enabled: readonly string[] | null = null

  const remove = (entry: PreparedTool): void => {
    if (tools.get(entry.name) !== entry) return
    tools.delete(entry.name)
    observer.onRemove(entry)
    observer.onChange()
    void entry.tool.dispose?.()
  }

  return {
    register(tool, { signal, replace } = {}) {
      // A copy: each registration is its own, so that an undo removes nothing but what it added.
      const entry = { ...prepareTool(tool) }
      if (signal?.aborted) return () => {}
      const present = tools.get(entry.name)
      if (present && !replace) throw duplicate(present, entry)
      if (present) remove(present)
      tools.set(entry.name, entry)
      observer.onChange()
      const undo = (): void => remove(entry)
      signal?.addEventListener('abort', undo, { once: true })
      return undo
    },
    get: (name) => tools.get(name),
    enable(names) {
      enabled = names
      observer.onChange()
    },
    descriptors() {
      const wanted = [...tools.values()].filter(
        ({ name, tool }) => !enabled || enabled.includes(name) || enabled.includes(tool.name),
      )
      const there = wanted.filter(({ tool }) => tool.available?.() ?? true)
      if (!there.length && (enabled ?? wanted).length)
        throw new OffstageError(
          'no-tools-available',
          `None of the tools ${(enabled ?? wanted.map(({ name }) => name)).join(', ')} is registered and available.`,
        )
      return there.map((entry) => describeTool(entry, policy))
    },
    clear() {
      for (const entry of tools.values()) remove(entry)
    },
  }
}

function duplicate(present: PreparedTool, added: PreparedTool): OffstageError {
  const [first, second] = [present.tool.name, added.tool.name]
  return new OffstageError(
    'duplicate-tool',
    first === second
      ? `A tool named ${first} is registered already. Pass { replace: true } to take its place.`
      : `The tools ${first} and ${second} both become ${added.name} for the model. Rename one.`,
  )
}

function describeTool(
  { tool, name, inputSchema }: PreparedTool,
  policy: ApprovalPolicy,
): ToolDescriptor {
  const annotations = tool.annotations ?? {}
  return {
    name,
    description: tool.description,
    inputSchema,
    ...(tool.title !== undefined && { title: tool.title }),
    annotations,
    timeoutMs: tool.timeoutMs ?? 60_000,
    parallelSafe: tool.sequential === false,
    sequential: tool.sequential === true,
    needsApproval: approvalOf(tool, policy),
    hasReconcile: tool.reconcile !== undefined,
  }
}

/**
 * A tool and the policy can each require approval; `needsApproval: false` frees a tool only from
 * the policies that go by annotations.
 */
function approvalOf({ needsApproval, annotations }: Tool, policy: ApprovalPolicy): boolean | 'ask' {
  if (needsApproval === true || policy === 'always') return true
  if (typeof needsApproval === 'function' || typeof policy === 'function') return 'ask'
  if (needsApproval === false || policy === 'never') return false
  return policy === 'writes' ? !annotations?.readOnly : annotations?.destructive === true
}
