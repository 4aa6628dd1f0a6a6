import { meantName } from '../../action/meant-name.ts'
import type { ToolTable } from './tool-table.ts'

/**
 * Returns the own name of the tool that a native call means, even if case, separators or a namespace differ. If no tool
 * or several registered ones (enabled or not) match, the name stays and the call is refused.
 */
export function resolveName(name: string, tools: ToolTable): string {
  return tools.get(meantName(name, [...tools.names, ...tools.others]) ?? '')?.name ?? name
}
