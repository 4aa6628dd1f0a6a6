import type { ToolDescriptor } from '../../protocol/tool.ts'

/** A call that others may have written, of a tool that does more than read: a person is to be asked. */
export function mayMislead(call: { readonly quoted: boolean }, tool: ToolDescriptor): boolean {
  return call.quoted && tool.annotations.readOnly !== true
}

/**
 * Whether a person is to be asked before the call runs; `'page'`: a function of the page decides. The one
 * place of these rules: what it answers `false` for may start with the commit of the model's output.
 */
export function approvalOf(
  call: { readonly quoted: boolean },
  tool: ToolDescriptor,
): boolean | 'page' {
  if (mayMislead(call, tool)) return true
  return tool.needsApproval === 'ask' ? 'page' : tool.needsApproval
}
