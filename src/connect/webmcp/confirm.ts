import { byAnnotations } from '../../client/tools/describe-tools.ts'
import type { ApprovalPolicy } from '../../client/api/options.ts'
import type { Tool, ToolCallInfo } from '../../client/tools/tool.ts'
import type { CallAbout } from '../../protocol/run.ts'

export type PublishPolicy = Extract<ApprovalPolicy, string>

/** A call by another agent that needs a person's approval. */
export interface PublishedCall {
  readonly tool: Tool
  /** Validated input, which the tool's function will get. */
  readonly input: unknown
  /** The tool's own description of the call's targets. */
  readonly about?: CallAbout
  readonly signal: AbortSignal
}

/** Asks a person about a call. The call runs only if the function returns true. */
export type Confirm = (call: PublishedCall) => boolean | undefined | Promise<boolean | undefined>

/** Whether any call of the tool may need approval. */
export function mayNeedApproval(
  { needsApproval, annotations }: Tool,
  policy: PublishPolicy = 'destructive',
): boolean {
  if (needsApproval === true || policy === 'always') return true
  if (typeof needsApproval === 'function') return true
  return needsApproval !== false && byAnnotations(annotations, policy)
}

/** Whether this call needs approval. True if the function in `needsApproval` throws or returns nothing. */
export async function needsApproval(
  tool: Tool,
  {
    input,
    info,
    policy = 'destructive',
  }: {
    readonly input: unknown
    readonly info: ToolCallInfo
    readonly policy: PublishPolicy | undefined
  },
): Promise<boolean> {
  if (typeof tool.needsApproval !== 'function' || policy === 'always')
    return mayNeedApproval(tool, policy)
  try {
    const answer = await tool.needsApproval(input, info)
    return answer === 'default' ? byAnnotations(tool.annotations, policy) : answer !== false
  } catch {
    return true
  }
}
