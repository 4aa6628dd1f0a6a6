import type { CallContext } from '../protocol/questions.ts'
import { byAnnotations } from './describe-tools.ts'
import type { AgentOptions, HookedCall } from './options.ts'
import type { PreparedTool } from './prepare-tool.ts'

interface Policy {
  readonly options: Pick<AgentOptions, 'toolApproval'>
  /** Emits a warning of the agent. */
  warn(code: string, message: string): void
}

/** Calls the functions of tools and of the agent that decide whether a call needs approval. */
export class ApprovalFunctions {
  readonly #policy: Policy
  /** Tools that have been warned about. */
  readonly #warned = new Set<string>()

  constructor(policy: Policy) {
    this.#policy = policy
  }

  /**
   * Whether the call needs approval. Each function can require it. If one throws, or returns an unclear value, approval
   * is needed.
   */
  async ask(
    entry: PreparedTool | undefined,
    call: CallContext,
    asked: HookedCall,
  ): Promise<boolean> {
    const { toolApproval = 'destructive' } = this.#policy.options
    const { toolName } = call
    const needs = entry?.tool.needsApproval
    try {
      const own: unknown =
        entry && typeof needs === 'function'
          ? await needs.call(entry.tool, call.input, asked)
          : (needs ?? 'default')
      if (typeof own !== 'boolean' && own !== 'default')
        return this.#unclear(toolName, 'needsApproval', own)
      if (own === true) return true
      if (typeof toolApproval !== 'function')
        return own === 'default' && byAnnotations(entry?.tool.annotations, toolApproval)
      const asks: unknown = await toolApproval(asked)
      if (typeof asks !== 'boolean') return this.#unclear(toolName, 'toolApproval', asks)
      if (!asks && own === 'default') this.#frees(entry)
      return asks
    } catch {
      return true
    }
  }

  /** Warns of destructive tools that never need approval. */
  look(entries: readonly PreparedTool[]): void {
    if (this.#policy.options.toolApproval === 'never')
      for (const entry of entries) this.#frees(entry)
  }

  /** Warns if only the agent's `toolApproval` lets a destructive tool run without approval. */
  #frees(entry: PreparedTool | undefined): void {
    if (entry?.tool.annotations?.destructive !== true || entry.tool.needsApproval !== undefined)
      return
    this.#warn(
      entry.name,
      `The tool ${entry.name} is marked as destructive, but toolApproval lets it run unasked. If that is right, set needsApproval: false.`,
    )
  }

  #unclear(toolName: string, name: string, answer: unknown): true {
    const wanted = name === 'toolApproval' ? 'true or false' : "true, false or 'default'"
    this.#warn(
      toolName,
      `${name} of the tool ${toolName} returned ${typeof answer}, not ${wanted}: a person is asked.`,
    )
    return true
  }

  #warn(toolName: string, message: string): void {
    if (this.#warned.has(toolName)) return
    this.#warned.add(toolName)
    this.#policy.warn('approval-policy', message)
  }
}
