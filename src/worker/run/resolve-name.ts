import { meantName } from '../../action/meant-name.ts'
import type { ToolTable } from './tool-table.ts'

/**
 * Own name of the tool that a native call's name means, if no other registered tool, enabled or not, could be meant.
 * Otherwise the name stays as it is, and the call is refused.
 */
export function resolveName(name: string, tools: ToolTable): string {
  return tools.get(meantName(name, [...tools.names, ...tools.others]) ?? '')?.name ?? name
}
