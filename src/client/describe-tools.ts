import { OffstageError } from '../protocol/error.ts'
import type { JsonSchema } from '../protocol/json.ts'
import type { ToolDescriptor } from '../protocol/tool.ts'
import { checkPatterns } from './check-patterns.ts'
import type { ApprovalPolicy } from './options.ts'
import type { PreparedTool } from './prepare-tool.ts'
import type { Tool } from './tool.ts'
import type { ToolRegistry } from './tool-registry.ts'

/**
 * The tools that are enabled and available, as the worker sees them. Throws `no-tools-available` when
 * some are wanted and none is there.
 */
export function describeTools(registry: ToolRegistry, policy: ApprovalPolicy): ToolDescriptor[] {
  const { enabled } = registry
  const wanted = registry
    .all()
    .filter(({ name, tool }) => !enabled || enabled.includes(name) || enabled.includes(tool.name))
  const there = wanted.filter(({ tool }) => tool.available?.() ?? true)
  if (!there.length && (enabled ?? wanted).length)
    throw new OffstageError(
      'no-tools-available',
      `None of the tools ${(enabled ?? wanted.map(({ name }) => name)).join(', ')} is registered and available.`,
    )
  return there.map((entry) => describeTool(entry, policy))
}

const checked = new WeakSet<JsonSchema>()

/**
 * Throws `schema-unsupported` for a schema that must not reach the worker. Here and not where tools are
 * registered, because a page's first load has no room for what it takes.
 */
export function checkTools(tools: ToolDescriptor[]): ToolDescriptor[] {
  for (const { name, inputSchema } of tools) {
    if (!checked.has(inputSchema)) checkPatterns(inputSchema, `of the tool ${name}`)
    checked.add(inputSchema)
  }
  return tools
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
