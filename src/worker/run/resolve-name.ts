import { meantName } from '../../action/meant-name.ts'
import type { ToolTable } from './tool-table.ts'

/**
 * The tool that a native call's name means, if no other registered tool, enabled or not, could be meant.
 * Otherwise the name stays as it is, and the call is refused.
 */
export function resolveName(name: string, tools: ToolTable): string {
  const meant = meantName(name, [...tools.names, ...tools.others])
  return meant !== undefined && tools.get(meant) ? meant : name
}
