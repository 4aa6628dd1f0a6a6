import { textDigest } from '../../lib/text-digest.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { cleanName } from './clean-name.ts'
import { badConfig } from '../api/failures.ts'
import type { AgentOptions, ApprovalPolicy } from '../api/options.ts'
import type { PreparedTool } from './prepare-tool.ts'
import { type CompositeTool, isComposite, type Tool } from './tool.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { WhileTainted } from '../../protocol/taint.ts'

type AnyTool = Tool | CompositeTool
type Trust = Pick<ToolDescriptor, 'hasCommits' | 'remote' | 'untrusted' | 'whileTainted'>

/** Returns the source of the tool's untrusted content, and which calls need approval in a tainted conversation. */
function trustOf(tool: AnyTool, name: string, policy: WhileTainted): Trust {
  const { remote } = tool
  const untrusted = untrustedSource(tool, name)
  const whileTainted = needsApprovalWhileTainted(tool, policy)
  return {
    ...(remote && { remote: { ...remote } }),
    ...(tool.commits && { hasCommits: true }),
    ...(untrusted !== undefined && { untrusted }),
    ...(whileTainted && { whileTainted }),
  }
}

/**
 * True for a tool from outside the app, except a read-only one from a trusted source. Its calls need approval by
 * default.
 */
function isForeign({ annotations, remote }: AnyTool): boolean {
  return remote !== undefined && !(remote.trusted === true && annotations?.readOnly === true)
}

function untrustedSource(
  { annotations, remote, title }: AnyTool,
  name: string,
): string | undefined {
  const isUntrusted = annotations?.untrustedContent
  if (remote) return remote.trusted && isUntrusted === false ? undefined : remote.source
  return isUntrusted ? (title ?? name) : undefined
}

function needsApprovalWhileTainted(
  { annotations = {}, commits, remote }: AnyTool,
  policy: WhileTainted,
): Trust['whileTainted'] {
  const { destructive, idempotent, openWorld, readOnly, reversible } = annotations
  if (policy === 'allow') return undefined
  // An untrusted source could claim harmless annotations, so they can't avoid approval.
  if (remote && !remote.trusted) return 'ask'
  if (policy === 'ask-writes') return readOnly ? undefined : 'ask'
  if (commits) return 'commits'
  if (openWorld || destructive) return 'ask'
  if (readOnly || idempotent || reversible) return undefined
  return remote ? 'ask' : 'unknown'
}

/** Agent options that decide which calls need approval. */
type ToolPolicies = Pick<AgentOptions, 'toolApproval' | 'whileTainted'>

/**
 * Describes the enabled and available tools for the worker. Throws `no-tools-available` if tools are enabled but none
 * is available.
 */
export function describeTools(registry: ToolRegistry, policies: ToolPolicies): ToolDescriptor[] {
  const { enabledNames } = registry
  const enabled = registry.all().filter((entry) => isEnabled(entry, enabledNames))
  const available = enabled.filter(isAvailable)
  if (!available.length && (enabledNames ?? enabled).length)
    throw new OffstageError(
      'no-tools-available',
      `None of the tools ${(enabledNames ?? enabled.map(({ name }) => name)).join(', ')} is registered and available.`,
    )
  return available.map((entry) => describeTool(entry, policies))
}

/** Returns the digest of the tool's current definition. Undefined if the tool isn't enabled or isn't available. */
export function usableDefinition(
  entry: PreparedTool,
  { enabledNames }: ToolRegistry,
  policies: ToolPolicies,
): string | undefined {
  try {
    return isEnabled(entry, enabledNames) && isAvailable(entry)
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
  // Copied, because a framework's proxy around the object can't be posted.
  const annotations = { ...tool.annotations }
  const needsApproval = resolveNeedsApproval(tool, toolApproval)
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
    ...(tool.describe && { hasDescribe: true }),
    ...(tool.secretsIn && { hasSecretsIn: true }),
    ...(tool.consentKey && { hasConsentKey: true }),
    ...(isComposite(tool) && { composite: true }),
    definition: definitionOf(
      tool.remote,
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
        // Approval requests show the title, so it belongs to the definition.
        ...(tool.title === undefined ? [] : [{ title: tool.title }]),
      ]),
    ),
  }
}

/** Identifies a definition. A server could make two with the same short digest, so a remote tool adds SHA-256. */
function definitionOf(remote: AnyTool['remote'], text: string): string {
  return remote?.digest ? `${textDigest(text)}-${remote.digest}` : textDigest(text)
}

const schemaTexts = new WeakMap<PreparedTool['inputSchema'], string>()

/** Caches the JSON: schemas are large, and every step describes all tools. */
function schemaText({ inputSchema }: PreparedTool): string {
  const cached = schemaTexts.get(inputSchema)
  if (cached !== undefined) return cached
  const text = JSON.stringify(inputSchema)
  schemaTexts.set(inputSchema, text)
  return text
}

/**
 * Whether calls need approval, or `'ask'` if a function decides. The tool or the policy may require it. `needsApproval:
 * false` doesn't exempt a tool from `'always'` or a function.
 */
function resolveNeedsApproval(tool: Tool | CompositeTool, policy: ApprovalPolicy): boolean | 'ask' {
  const { needsApproval, annotations } = tool
  if (needsApproval === true || policy === 'always') return true
  if (isForeign(tool) && needsApproval !== false && policy !== 'never') return true
  if (typeof needsApproval === 'function' || typeof policy === 'function') return 'ask'
  return needsApproval !== false && byAnnotations(annotations, policy)
}

/** Applies a policy that isn't a function to a tool's annotations. */
export function byAnnotations(
  annotations: Tool['annotations'],
  policy: Exclude<ApprovalPolicy, (...args: never) => unknown>,
): boolean {
  if (policy === 'always' || policy === 'never') return policy === 'always'
  return policy === 'writes' ? !annotations?.readOnly : annotations?.destructive === true
}
