import type { Taint } from '../../protocol/taint.ts'
import type { CallState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'

type Call = Pick<CallState, 'quoted' | 'rescued'>

/** What of the conversation decides whether a person is asked about a call. */
export interface ApprovalContext {
  /** Of the request that the call comes from. */
  readonly taint: readonly Taint[]
  /** A person has allowed a call of this tool in this conversation, asked because of words of others. */
  readonly isAllowed: boolean
}

/** A call that others may have written, of a tool that does more than read: a person is to be asked. */
export function mayMislead(call: Call, tool: ToolDescriptor, { taint }: ApprovalContext): boolean {
  return (call.quoted || (call.rescued && taint.length > 0)) && !isReadOnly(tool)
}

/** Whether words of others in the context are a reason to ask; `'page'`: the tool's `commits` decides. */
export function asksBecauseOfTaint(
  call: Call,
  tool: ToolDescriptor,
  { taint, isAllowed }: ApprovalContext,
): boolean | 'page' {
  if (taint.length === 0) return false
  if (call.rescued && !isReadOnly(tool)) return true
  switch (tool.whileTainted) {
    case undefined:
      return false
    case 'ask':
      return true
    case 'once':
      return !isAllowed
    case 'commits':
      return 'page'
    default:
      return tool.whileTainted satisfies never
  }
}

/**
 * Whether a person is to be asked before the call runs; `'page'`: a function of the page decides. The one
 * place of these rules: what it answers `false` for may start with the commit of the model's output.
 */
export function approvalOf(
  call: Call,
  tool: ToolDescriptor,
  about: ApprovalContext,
): boolean | 'page' {
  const asks = asksBecauseOfTaint(call, tool, about)
  return asks === false ? asksByRule(call, tool, about) : asks
}

/** The same, but for words of others in the context. */
export function asksByRule(
  call: Call,
  tool: ToolDescriptor,
  about: ApprovalContext,
): boolean | 'page' {
  if (mayMislead(call, tool, about)) return true
  return tool.needsApproval === 'ask' ? 'page' : tool.needsApproval
}

/** What an untrusted server says of its own tool isn't enough. */
function isReadOnly({ annotations, remote }: ToolDescriptor): boolean {
  return annotations.readOnly === true && (!remote || remote.trusted === true)
}

/** A function of the page says whether a person is asked. */
export function isDecidedByPage(tool: ToolDescriptor | undefined): boolean {
  return tool?.needsApproval === 'ask' || tool?.whileTainted === 'commits'
}
