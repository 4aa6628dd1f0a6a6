import type { Taint } from '../../../protocol/taint.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'

type Call = Pick<CallState, 'quoted' | 'rescued' | 'askedAt'>

export interface Judged {
  readonly call: Call
  readonly tool: ToolDescriptor
  /** Taint of the request that the call comes from. */
  readonly taint: readonly Taint[]
  /** The page runs the call itself, and asks whom it likes. */
  readonly isOneShot: boolean
  /** Which values of the input are secret isn't known: its `secretsIn` failed. */
  readonly isUnclear: boolean
  /** What `asksWhileTainted` comes to, the answer of the page included. */
  readonly isTaintAReason: boolean
}

/**
 * Whether a person is to be asked before the call runs; `'page'`: a function of the page decides. The rows of "Is this
 * call asked about?" in docs/security.md, from the top; the last ones are in `needsApproval` (client/describe-tools.ts).
 */
export function isAsked(judged: Judged): boolean | 'page' {
  const { call, tool, taint, isOneShot, isUnclear, isTaintAReason } = judged
  if (isOneShot) return false
  // Whatever a policy says now: what a person was asked about is not done unasked, by another tool of that name.
  if (call.askedAt !== undefined) return true
  if (isUnclear) return true
  if (mayMislead(call, tool, taint)) return true
  if (isTaintAReason) return true
  return tool.needsApproval === 'ask' ? 'page' : tool.needsApproval
}

/** The row about taint: whether words of others are a reason to ask; `'page'`: the tool's `commits` decides. */
export function asksWhileTainted(
  call: Call,
  tool: ToolDescriptor,
  taint: readonly Taint[],
): boolean | 'page' {
  if (taint.length === 0) return false
  if (call.rescued && !isReadOnly(tool)) return true
  return tool.whileTainted === 'commits' ? 'page' : tool.whileTainted !== undefined
}

/** A call that others may have written, of a tool that does more than read. */
export function mayMislead(call: Call, tool: ToolDescriptor, taint: readonly Taint[]): boolean {
  return (call.quoted || (call.rescued && taint.length > 0)) && !isReadOnly(tool)
}

/** Nobody has to be asked, nor the page: the call may start with the commit of the model's output. */
export function runsUnasked(judged: Omit<Judged, 'isTaintAReason'>): boolean {
  const { call, tool, taint } = judged
  const asks = asksWhileTainted(call, tool, taint)
  return asks === false && isAsked({ ...judged, isTaintAReason: false }) === false
}

/** A function of the page says whether a person is asked. */
export function isDecidedByPage(tool: ToolDescriptor | undefined): boolean {
  return tool?.needsApproval === 'ask' || tool?.whileTainted === 'commits'
}

/** What an untrusted server says of its own tool isn't enough. */
function isReadOnly({ annotations, remote }: ToolDescriptor): boolean {
  return annotations.readOnly === true && (!remote || remote.trusted === true)
}
