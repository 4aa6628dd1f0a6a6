import type {
  CallContext,
  CallDescription,
  DescribeCall,
  ReconcileTool,
  ReconcileVerdict,
} from '../../protocol/page-calls.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { AgentOptions, HookedCall } from '../api/options.ts'
import { retryWhenLeaving } from '../page-life/page-leaving.ts'
import { byAnnotations } from '../tools/describe-tools.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'
import { errorOutput, formatOutput, stringify, truncate } from './format-output.ts'

/** Calls the tool's `commits`. Throwing, or returning anything but false, counts as true. */
export async function commits(
  entry: PreparedTool | undefined,
  { runId, conversationId, toolCallId, input }: CallContext,
): Promise<boolean> {
  if (!entry?.tool.commits) return true
  const { tool } = entry
  const context = { runId, conversationId, toolCallId, tainted: true }
  try {
    const says: unknown = await retryWhenLeaving(async () => tool.commits?.(input, context))
    return says !== false
  } catch {
    return true
  }
}

/** Returns null if the tool's `consentKey` throws or returns no text. */
export function consentKey(entry: PreparedTool | undefined, call: CallContext): string | null {
  try {
    const key: unknown = entry?.tool.consentKey?.(call.input)
    return typeof key === 'string' && key !== '' ? key : null
  } catch {
    return null
  }
}

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
  async needsApproval(
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
  warnOfUnapprovedTools(entries: readonly PreparedTool[]): void {
    if (this.#policy.options.toolApproval === 'never')
      for (const entry of entries) this.#frees(entry)
  }

  /** Warns if only the agent's `toolApproval` lets a destructive tool run without approval. */
  #frees(entry: PreparedTool | undefined): void {
    if (entry?.tool.annotations?.destructive !== true || entry.tool.needsApproval !== undefined)
      return
    this.#warn(
      entry.name,
      `The tool ${entry.name} is marked as destructive, but toolApproval lets it run without approval. If that is right, set needsApproval: false.`,
    )
  }

  #unclear(toolName: string, name: string, answer: unknown): true {
    const wanted = name === 'toolApproval' ? 'true or false' : "true, false or 'default'"
    this.#warn(
      toolName,
      `${name} of the tool ${toolName} returned ${typeof answer}, not ${wanted}: approval is requested.`,
    )
    return true
  }

  #warn(toolName: string, message: string): void {
    if (this.#warned.has(toolName)) return
    this.#warned.add(toolName)
    this.#policy.warn('approval-policy', message)
  }
}

/** Calls the tool's `reconcile`. If it throws, the outcome is unknown. */
export async function reconcile(
  entry: PreparedTool | undefined,
  { idempotencyKey, epoch: fence, input }: ReconcileTool,
  asked: HookedCall,
): Promise<ReconcileVerdict> {
  const context = { ...asked, idempotencyKey, fence }
  try {
    const verdict = await retryWhenLeaving(async () =>
      entry && 'reconcile' in entry.tool ? entry.tool.reconcile?.(input, context) : undefined,
    )
    if (!verdict) return { type: 'unknown' }
    return verdict.happened
      ? { type: 'happened', output: await formatOutput(verdict.result) }
      : { type: 'did-not-happen' }
  } catch {
    return { type: 'unknown' }
  }
}

/** Asks a tool to describe what a call is about to act on. Never rejects: if `describe` throws, the call fails. */
export async function describeCall(
  entry: PreparedTool | undefined,
  call: DescribeCall,
): Promise<CallDescription> {
  if (!entry?.tool.describe) return { type: 'nothing' }
  const { runId, conversationId, toolCallId, input, previous } = call
  const context = {
    runId,
    conversationId,
    toolCallId,
    ...(previous !== undefined && { previous }),
  }
  try {
    const about = await entry.tool.describe(input, context)
    if (!about) return { type: 'nothing' }
    if (typeof about.text !== 'string') throw new TypeError('describe() must return a text.')
    const data = stringify(about.data)
    return {
      type: 'described',
      about: {
        text: truncate(about.text),
        ...(data !== undefined && { data: JSON.parse(data) as JsonValue }),
        ...(about.onPage && { onPage: true }),
      },
    }
  } catch (thrown) {
    return { type: 'failed', output: errorOutput('failed', describeThrown(thrown)) }
  }
}

/** Asks a tool which values of an input are secret, as JSON pointers. Null if the tool can't say. Never rejects. */
export async function secretsIn(
  entry: PreparedTool | undefined,
  { runId, conversationId, toolCallId, toolName, input }: CallContext,
  warn: (message: string) => void,
): Promise<readonly string[] | null> {
  // The tool that declared `secretsIn` is no longer registered.
  if (!entry?.tool.secretsIn) return null
  try {
    const info = { runId, conversationId, toolCallId }
    const pointers: unknown = await entry.tool.secretsIn(input, info)
    if (!Array.isArray(pointers) || !pointers.every(isPointer))
      throw new TypeError('secretsIn() must return JSON pointers.')
    return pointers
  } catch {
    // The warning leaves out the thrown error, which may hold the secret.
    warn(`secretsIn of ${toolName} failed: its whole input is kept secret, and needs approval.`)
    return null
  }
}

function isPointer(value: unknown): value is string {
  return typeof value === 'string' && (value === '' || value.startsWith('/'))
}
