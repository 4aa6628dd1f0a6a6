import { textDigest } from '../lib/text-digest.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { ToolDescriptor } from '../protocol/tool.ts'
import { cleanName } from './clean-name.ts'
import { badConfig } from './failures.ts'
import type { AgentOptions, ApprovalPolicy } from './options.ts'
import type { PreparedTool } from './prepare-tool.ts'
import { type CompositeTool, isComposite, type Tool } from './tool.ts'
import type { ToolRegistry } from './tool-registry.ts'
import { isForeign, trustOf } from './tool-trust.ts'

/** Of an agent's options, what decides which calls a person is asked about. */
type ToolPolicies = Pick<AgentOptions, 'toolApproval' | 'whileTainted'>

/**
 * The tools that are enabled and available, as the worker sees them. Throws `no-tools-available` when
 * some are wanted and none is there.
 */
export function describeTools(registry: ToolRegistry, policies: ToolPolicies): ToolDescriptor[] {
  const { enabled } = registry
  const wanted = registry.all().filter((entry) => isEnabled(entry, enabled))
  const there = wanted.filter(isAvailable)
  if (!there.length && (enabled ?? wanted).length)
    throw new OffstageError(
      'no-tools-available',
      `None of the tools ${(enabled ?? wanted.map(({ name }) => name)).join(', ')} is registered and available.`,
    )
  return there.map((entry) => describeTool(entry, policies))
}

/** Of the tool as it may be called now; undefined when it is not enabled or not available. */
export function usableDefinition(
  entry: PreparedTool,
  { enabled }: ToolRegistry,
  policies: ToolPolicies,
): string | undefined {
  try {
    return isEnabled(entry, enabled) && isAvailable(entry)
      ? describeTool(entry, policies).definition
      : undefined
  } catch {
    return undefined
  }
}

function isEnabled(entry: PreparedTool, enabled: readonly string[] | null): boolean {
  const { modelName, isAlwaysEnabled = !enabled } = entry
  return isAlwaysEnabled || enabled?.some((name) => cleanName(name) === modelName) === true
}

function isAvailable({ tool, name }: PreparedTool): boolean {
  try {
    return tool.available?.() ?? true
  } catch (cause) {
    throw badConfig(`available() of the tool ${name} failed: ${describeThrown(cause)}`)
  }
}

function describeTool(
  entry: PreparedTool,
  { toolApproval = 'destructive', whileTainted = 'ask-effects' }: ToolPolicies,
): ToolDescriptor {
  const { tool, name, inputSchema } = entry
  const annotations = tool.annotations ?? {}
  const needsApproval = approvalOf(tool, toolApproval)
  return {
    name,
    description: tool.description,
    inputSchema,
    ...(tool.title !== undefined && { title: tool.title }),
    annotations,
    ...trustOf(tool, name, whileTainted),
    timeoutMs: tool.timeoutMs ?? 60_000,
    parallelSafe: tool.sequential === false,
    sequential: tool.sequential === true,
    needsApproval,
    hasReconcile: !isComposite(tool) && tool.reconcile !== undefined,
    ...(tool.undo && { hasUndo: true }),
    ...(tool.describe && { describes: true }),
    ...(tool.secretsIn && { seals: true }),
    ...(tool.consentKey && { hasConsentKey: true }),
    ...(isComposite(tool) && { composite: true }),
    definition: textDigest(
      JSON.stringify([
        name,
        tool.description,
        annotations,
        needsApproval,
        schemaText(entry),
        ...(tool.remote ? [tool.remote] : []),
        ...(tool.commits ? ['commits'] : []),
        ...(whileTainted === 'ask-effects' ? [] : [whileTainted]),
        ...(isComposite(tool) ? [tool.version ?? ''] : []),
        // People are asked by it.
        ...(tool.title === undefined ? [] : [{ title: tool.title }]),
      ]),
    ),
  }
}

const schemaTexts = new WeakMap<PreparedTool['inputSchema'], string>()

/** Made once: schemas are large, and every step describes all tools. */
function schemaText({ inputSchema }: PreparedTool): string {
  const known = schemaTexts.get(inputSchema)
  if (known !== undefined) return known
  const text = JSON.stringify(inputSchema)
  schemaTexts.set(inputSchema, text)
  return text
}

/**
 * A tool and the policy can each require approval; `needsApproval: false` frees a tool only from
 * the policies that go by annotations. For tools of others, saying nothing is requiring it.
 */
function approvalOf(tool: Tool | CompositeTool, policy: ApprovalPolicy): boolean | 'ask' {
  const { needsApproval, annotations } = tool
  if (needsApproval === true || policy === 'always') return true
  if (isForeign(tool) && needsApproval !== false && policy !== 'never') return true
  if (typeof needsApproval === 'function' || typeof policy === 'function') return 'ask'
  return needsApproval !== false && byAnnotations(annotations, policy)
}

/** What a policy that is no function says of a tool. */
export function byAnnotations(
  annotations: Tool['annotations'],
  policy: Exclude<ApprovalPolicy, (...args: never) => unknown>,
): boolean {
  if (policy === 'always' || policy === 'never') return policy === 'always'
  return policy === 'writes' ? !annotations?.readOnly : annotations?.destructive === true
}
