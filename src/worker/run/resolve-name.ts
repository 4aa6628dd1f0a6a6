import { bareName } from '../../action/foreign/foreign-call.ts'
import { plainName } from '../../action/suggest.ts'
import type { ToolTable } from './tool-table.ts'

/**
 * The tool that a native call's name means. A name that no registered tool has is one tool's, if it
 * differs from that tool's only in letter case, separators or a namespace (`functions.search`), and
 * if no other registered tool, enabled or not, could be meant. Otherwise it stays as it is, and the
 * call is refused: a name is never a guess.
 */
export function resolveName(name: string, tools: ToolTable): string {
  const registered = [...tools.names, ...tools.others]
  if (registered.includes(name)) return name
  const wanted = new Set([plainName(name), plainName(bareName(name))])
  const meant = registered.filter((candidate) => wanted.has(plainName(candidate)))
  const [only] = meant
  return only !== undefined && meant.length === 1 && tools.get(only) ? only : name
}
