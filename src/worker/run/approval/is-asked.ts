import type { Taint } from '../../../protocol/taint.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'

type Call = Pick<CallState, 'quoted' | 'rescued' | 'askedAt'>

export interface Judged {
  readonly call: Call
  readonly tool: ToolDescriptor
  /** Taint of the request that the call comes from. */
  readonly taint: readonly Taint[]
  /** Whether this is one-shot mode, where the page runs the calls and decides itself whether to request approval. */
  readonly isOneShot: boolean
  /** The tool's `secretsIn` failed, so it is unknown which values of the input are secret. */
  readonly isUnclear: boolean
  /** Result of `asksWhileTainted`, with `'page'` already resolved by the page. */
  readonly isTaintAReason: boolean
}

/**
 * Whether the call needs a person's approval. `'page'`: a function of the page decides. The checks follow the table "Is
 * this call asked about?" in docs/security.md; `needsApproval` (client/describe-tools.ts) has its last rows.
 */
export function isAsked(judged: Judged): boolean | 'page' {
  const { call, tool, taint, isOneShot, isUnclear, isTaintAReason } = judged
  if (isOneShot) return false
  // A call that has requested approval never runs without it, even if another tool now has its name.
  if (call.askedAt !== undefined) return true
  if (isUnclear) return true
  if (mayMislead(call, tool, taint)) return true
  if (isTaintAReason) return true
  return tool.needsApproval === 'ask' ? 'page' : tool.needsApproval
}

/** Whether untrusted content is a reason to request approval. `'page'`: the tool's `commits` decides. */
export function asksWhileTainted(
  call: Call,
  tool: ToolDescriptor,
  taint: readonly Taint[],
): boolean | 'page' {
  if (taint.length === 0) return false
  if (call.rescued && !isReadOnly(tool)) return true
  return tool.whileTainted === 'commits' ? 'page' : tool.whileTainted !== undefined
}

/** Whether untrusted content may have dictated the call, and its tool does more than read. */
export function mayMislead(call: Call, tool: ToolDescriptor, taint: readonly Taint[]): boolean {
  return (call.quoted || (call.rescued && taint.length > 0)) && !isReadOnly(tool)
}

/** Whether neither a person nor the page has a say, so that the call may start with the commit of its output. */
export function runsUnasked(judged: Omit<Judged, 'isTaintAReason'>): boolean {
  const { call, tool, taint } = judged
  const asks = asksWhileTainted(call, tool, taint)
  return asks === false && isAsked({ ...judged, isTaintAReason: false }) === false
}

/** Whether a function of the page decides if the call needs approval. */
export function isDecidedByPage(tool: ToolDescriptor | undefined): boolean {
  return tool?.needsApproval === 'ask' || tool?.whileTainted === 'commits'
}

/** Whether the tool only reads. An untrusted server's own annotation doesn't count. */
function isReadOnly({ annotations, remote }: ToolDescriptor): boolean {
  return annotations.readOnly === true && (!remote || remote.trusted === true)
}
