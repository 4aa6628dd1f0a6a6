import { getPageSingleton } from '../../lib/page-singleton.ts'
import type { CompositeTool, Tool } from '../tools/tool.ts'

/** Ids of calling agents, keyed by the signal of the tool's execution. All copies of the package share the map. */
export const callers: WeakMap<AbortSignal, string> = getPageSingleton(
  'callers',
  () => new WeakMap(),
)

/** A call, and the conversation of its child run. */
export interface ChildCall {
  readonly conversationId: string
  readonly toolCallId: string
  /** Id of the child conversation. */
  readonly childId: string
  /** True if a person has taken the calling conversation over to this page. The child run then moves here, too. */
  readonly takesOver?: boolean
}

/** Resumes the child runs of calls to a tool that is an agent. `agentId`: the calling agent. */
export interface ChildRunResumer {
  resumeChildRun(agentId: string, call: ChildCall): Promise<void>
}

/** Shared by all copies of the package: an agent of one copy may have a tool from another. */
const resumers = getPageSingleton(
  'joiners',
  () => new WeakMap<Tool | CompositeTool, ChildRunResumer>(),
)

export function setChildRunResumer(tool: Tool, resumer: ChildRunResumer): void {
  resumers.set(tool, resumer)
}

/** Returns the resumer of a tool that is an agent. Undefined for other tools. */
export function findChildRunResumer(
  tool: Tool | CompositeTool | undefined,
): ChildRunResumer | undefined {
  return tool && resumers.get(tool)
}
