import type { ToolDescriptor } from '../protocol/tool.ts'
import type { WhileTainted } from '../protocol/taint.ts'
import type { CompositeTool, Tool } from './tool.ts'

type AnyTool = Tool | CompositeTool
type Trust = Pick<ToolDescriptor, 'commits' | 'remote' | 'untrusted' | 'whileTainted'>

/** Source of the tool's untrusted content, and which calls need approval once a conversation is tainted. */
export function trustOf(tool: AnyTool, name: string, policy: WhileTainted): Trust {
  const { remote } = tool
  const untrusted = whoseWords(tool, name)
  const whileTainted = askedWhileTainted(tool, policy)
  return {
    ...(remote && { remote }),
    ...(tool.commits && { commits: true }),
    ...(untrusted !== undefined && { untrusted }),
    ...(whileTainted && { whileTainted }),
  }
}

/** True if every call needs approval, tainted or not, unless the app says otherwise. */
export function isForeign({ annotations, remote }: AnyTool): boolean {
  return remote !== undefined && !(remote.trusted === true && annotations?.readOnly === true)
}

function whoseWords({ annotations, remote, title }: AnyTool, name: string): string | undefined {
  const says = annotations?.untrustedContent
  if (remote) return remote.trusted && says === false ? undefined : remote.source
  return says ? (title ?? name) : undefined
}

function askedWhileTainted(
  { annotations = {}, commits, remote }: AnyTool,
  policy: WhileTainted,
): Trust['whileTainted'] {
  const { destructive, idempotent, openWorld, readOnly, reversible } = annotations
  if (policy === 'allow') return undefined
  // Annotations of an untrusted source only count against its tool.
  if (remote && !remote.trusted) return 'ask'
  if (policy === 'ask-writes') return readOnly ? undefined : 'ask'
  if (commits) return 'commits'
  if (openWorld || destructive) return 'ask'
  if (readOnly || idempotent || reversible) return undefined
  return remote ? 'ask' : 'unknown'
}
