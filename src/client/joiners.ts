import { pageWide } from '../lib/page-wide.ts'
import type { CompositeTool, Tool } from './tool.ts'

/** The call that an agent works for. */
export interface ChildCall {
  readonly conversationId: string
  readonly toolCallId: string
  /** Of the conversation that the agent works in. */
  readonly childId: string
  /** The person asked for what calls to go on here: what works for it does, too, wherever it is. */
  readonly takesOver?: boolean
}

/** Goes on with the runs that calls of a tool wait for which is an agent. `agentId`: of the agent that called. */
export interface ChildJoiner {
  join(agentId: string, call: ChildCall): Promise<void>
}

/** Of all copies of the package: an agent of one may have a tool of another's. */
const joiners = pageWide('joiners', () => new WeakMap<Tool | CompositeTool, ChildJoiner>())

export function setJoiner(tool: Tool, joiner: ChildJoiner): void {
  joiners.set(tool, joiner)
}

/** Of a tool that is an agent; undefined for all others. */
export function joinerOf(tool: Tool | CompositeTool | undefined): ChildJoiner | undefined {
  return tool && joiners.get(tool)
}
