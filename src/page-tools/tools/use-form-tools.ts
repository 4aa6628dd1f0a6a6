import type { Tool } from '../../client/tools/tool.ts'
import { once } from '../../lib/once.ts'
import { isToolPrefix, TOOL_PREFIX_RULE } from '../../lib/tool-prefix.ts'
import { PageError, type PageOptions } from '../page.ts'
import { part } from '../page.ts'

const loadForms = part(() => import('./connect-forms.ts'))

// Submitting a form may load a page without the form. That page must still report the outcome of the call.

const KEY = 'offstage-left-forms'

/** Notes for the next page of this tab that a form's tool is running. Returns a function that removes the note. */
export function noteFormAtWork(name: string): () => void {
  writeNames([...new Set([...readRunningForms(), name])])
  return () => forgetLeftForm(name)
}

/** Removes the note once the form is on this page, or its outcome is reported. Later pages then offer no stand-in. */
export function forgetLeftForm(name: string): void {
  writeNames(readRunningForms().filter((candidate) => candidate !== name))
}

function writeNames(names: readonly string[]): void {
  try {
    if (names.length > 0) sessionStorage.setItem(KEY, JSON.stringify(names))
    else sessionStorage.removeItem(KEY)
  } catch {
    // Storage is blocked: the outcome is reported as unknown.
  }
}

/** Names of form tools that were running when the previous page was left. */
const leftForms: () => readonly string[] = once(readRunningForms)

function readRunningForms(): readonly string[] {
  try {
    const names: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(names) ? names.filter((candidate) => typeof candidate === 'string') : []
  } catch {
    return []
  }
}

/** Stand-in for the tool of a form that isn't on this page. Offered until the outcome of a call is reported. */
function createStandIn(name: string): Tool {
  let isReconciled = false
  return {
    name,
    description: 'A form of the page before, which is not on this one.',
    annotations: { untrustedContent: true },
    available: () => !isReconciled,
    execute() {
      throw new PageError('not-found', 'This form is not on this page.')
    },
    async reconcile(_input, { idempotencyKey }) {
      isReconciled = true
      forgetLeftForm(name)
      return (await loadForms()).readUnloadNote(idempotencyKey)
    },
  }
}

/** Limits and settings of the forms' tools. */
export interface FormToolsOptions extends PageOptions {
  /** Prefix of the tools' names for the model; never empty: 1 to 31 letters, digits, `_` or `-`. Default `form_`. */
  readonly prefix?: string
  /**
   * True if everything in the markup of the page's forms is your own. If false, each call needs approval, and the
   * conversation is tainted while the tools are offered. Default false.
   */
  readonly trusted?: boolean
}

/** The part of an agent that registers tools. */
export interface ToolRegistrar {
  registerTool(tool: Tool): () => void
}

/** Connects the forms of a page with an agent. */
export interface FormToolsLink {
  /** Resolves once the forms that the page has now are registered. Never rejects. */
  readonly ready: Promise<void>
  /** Names of the tools, as the model knows them. */
  readonly tools: readonly string[]
  /** Unregisters all tools, and ends the connection. */
  dispose(): void
}

/**
 * Registers each form with the attributes `toolname` and `tooldescription` as a tool, including forms added later,
 * until `dispose()`. Forms that the browser itself lists as WebMCP tools are left to `useWebMcp`. Throws
 * `invalid-input` for an invalid prefix.
 */
export function useFormTools(agent: ToolRegistrar, options: FormToolsOptions = {}): FormToolsLink {
  const { prefix = 'form_', trusted = false, ...limits } = options
  if (!isToolPrefix(prefix)) throw new PageError('invalid-input', `prefix ${TOOL_PREFIX_RULE}`)
  // Registered immediately, because a run that resumes after a reload may already need them.
  const standIns = offerStandIns(agent)
  let link: FormToolsLink | undefined
  let isDisposed = false
  const connect = async (): Promise<void> => {
    try {
      const { connectForms } = await loadForms()
      if (isDisposed) return
      link = connectForms(agent, { prefix, trusted, limits, left: standIns })
      await link.ready
    } catch (thrown) {
      console.warn('offstage: the forms of the page cannot be read.', thrown)
    }
  }
  return {
    ready: connect(),
    get tools() {
      return link?.tools ?? []
    },
    dispose() {
      isDisposed = true
      for (const undo of standIns.values()) undo()
      link?.dispose()
    },
  }
}

function offerStandIns(agent: ToolRegistrar): Map<string, () => void> {
  const standIns = new Map<string, () => void>()
  for (const name of leftForms()) {
    const undo = registered(agent, createStandIn(name))
    if (undo) standIns.set(name, undo)
  }
  return standIns
}

/** Returns null if the agent rejects the tool. */
export function registered(agent: ToolRegistrar, tool: Tool): (() => void) | null {
  try {
    return agent.registerTool(tool)
  } catch {
    return null
  }
}
